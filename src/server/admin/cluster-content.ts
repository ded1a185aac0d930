/** What a cluster may contain (instance.proto, Cluster). */
import type { FaultTexts } from '../../base/index.js';
import {
  requestError,
  unsupportedRequest,
  type ContentOf,
  type Cluster,
} from '../../engines/protocol/index.js';
import {
  defaultLocation,
  stateReady,
  storageSsd,
  type ClusterContent,
} from '../resources/instance-lookup.js';

type Autoscaling = NonNullable<
  NonNullable<ContentOf<typeof Cluster>['clusterConfig']>['clusterAutoscalingConfig']
>;

/** StorageType.HDD. */
const storageHdd = 2;
/** NodeScalingFactor.NODE_SCALING_FACTOR_2X, the largest. */
const maxScalingFactor = 2;
/** GiB per node that autoscaling may aim at (AutoscalingTargets). */
const storageTargets = new Map([
  [storageSsd, [2560, 5120]],
  [storageHdd, [8192, 16_384]],
]);

/** The cluster that a request creates under the name; INVALID_ARGUMENT if it cannot be. */
export function newCluster(name: string, cluster: ClusterContent): ClusterContent {
  if (cluster.name !== undefined && cluster.name !== '' && cluster.name !== name)
    throw requestError('cluster.name', faults.wrongName(cluster.name, name));
  if (cluster.state !== undefined && cluster.state !== 0)
    throw requestError('cluster.state', faults.outputOnlyState);
  rejectEncryption(cluster);
  const location = cluster.location || defaultLocation(name.split('/clusters/')[0]);
  // The zone is sent in the trailing metadata of each call of the data API.
  if (!/^projects\/[^/]+\/locations\/[-_.a-zA-Z0-9]{1,63}$/.test(location))
    throw requestError('cluster.location', faults.notALocation(location));
  const created = {
    ...cluster,
    encryptionConfig: undefined,
    name,
    location,
    defaultStorageType: cluster.defaultStorageType || storageSsd,
    state: stateReady,
  };
  if (autoscalingOf(created) !== undefined && (created.serveNodes ?? 0) !== 0)
    throw requestError('cluster.serve_nodes', faults.nodesWithAutoscaling);
  if (autoscalingOf(created) === undefined && (created.serveNodes ?? 0) === 0)
    created.serveNodes = nodeIncrement(created);
  return checkedCluster(created);
}

/** Rejects keys for encryption, which this server would have to ignore. */
export function rejectEncryption({ encryptionConfig }: ClusterContent): void {
  // An empty one means Google's own keys; cbt always sends it.
  if ((encryptionConfig?.kmsKeyName ?? '') === '') return;
  throw unsupportedRequest('encryption_config', faults.unsupportedEncryption);
}

/** The autoscaling of a cluster, if it has any. */
export function autoscalingOf({ clusterConfig }: ClusterContent): Autoscaling | undefined {
  return clusterConfig?.clusterAutoscalingConfig;
}

/** The cluster if it is valid; INVALID_ARGUMENT otherwise. */
export function checkedCluster(cluster: ClusterContent): ClusterContent {
  const { defaultStorageType = storageSsd, nodeScalingFactor = 0 } = cluster;
  if (!storageTargets.has(defaultStorageType))
    throw requestError('default_storage_type', faults.unknownStorageType(defaultStorageType));
  if (nodeScalingFactor < 0 || nodeScalingFactor > maxScalingFactor)
    throw requestError('node_scaling_factor', faults.unknownScalingFactor(nodeScalingFactor));
  const { serveNodes = 0 } = cluster;
  const autoscaling = autoscalingOf(cluster);
  checkIncrements(cluster);
  if (autoscaling === undefined) {
    if (serveNodes < 1) throw requestError('serve_nodes', faults.tooFewNodes);
    return { ...cluster, clusterConfig: undefined };
  }
  const clusterAutoscalingConfig = checkedAutoscaling(autoscaling, defaultStorageType);
  return {
    ...cluster,
    clusterConfig: { clusterAutoscalingConfig },
    // The nodes of an existing cluster are scaled later, by a load that does not exist here.
    serveNodes: serveNodes || autoscaling.autoscalingLimits!.minServeNodes,
  };
}

/** A valid configuration, with the default of a storage target that is not set. */

/** All numbers of nodes are multiples of it (Cluster.NodeScalingFactor). */
function nodeIncrement({ nodeScalingFactor }: ClusterContent): number {
  return nodeScalingFactor || 1;
}

function checkIncrements(cluster: ClusterContent): void {
  const increment = nodeIncrement(cluster);
  const { minServeNodes, maxServeNodes } = autoscalingOf(cluster)?.autoscalingLimits ?? {};
  const counts = { serve_nodes: cluster.serveNodes, min_serve_nodes: minServeNodes };
  for (const [field, count = 0] of Object.entries({ ...counts, max_serve_nodes: maxServeNodes }))
    if (count % increment !== 0) throw requestError(field, faults.notAMultiple(count, increment));
}

function checkedAutoscaling(
  { autoscalingLimits, autoscalingTargets }: Autoscaling,
  storageType: number,
): Autoscaling {
  const { minServeNodes: min = 0, maxServeNodes: max = 0 } = autoscalingLimits ?? {};
  if (min < 1) throw requestError('min_serve_nodes', faults.missingNodes);
  if (max < min) throw requestError('max_serve_nodes', faults.maxBelowMin(max));
  if (max > 10 * min) throw requestError('max_serve_nodes', faults.maxTooLarge(max));
  const { cpuUtilizationPercent: cpu = 0, storageUtilizationGibPerNode: storage = 0 } =
    autoscalingTargets ?? {};
  if (cpu < 10 || cpu > 80)
    throw requestError('cpu_utilization_percent', faults.cpuOutOfRange(cpu));
  const [least, most] = storageTargets.get(storageType)!;
  // 0 is the default (AutoscalingTargets).
  if (storage !== 0 && (storage < least || storage > most)) {
    const problem = `${storage} is not from ${least} to ${most}`;
    throw requestError('storage_utilization_gib_per_node', { problem });
  }
  const storageUtilizationGibPerNode = storage || least;
  return {
    autoscalingLimits,
    autoscalingTargets: { ...autoscalingTargets, storageUtilizationGibPerNode },
  };
}

const faults = {
  wrongName: (clusterName: string, name: string) => ({
    problem: `'${clusterName}' is not ${name}`,
  }),
  outputOnlyState: { problem: 'The state is set by the server, and must be left blank' },
  notALocation: (location: string) => ({
    problem: `'${location}' is not projects/PROJECT/locations/ZONE`,
  }),
  nodesWithAutoscaling: { problem: 'Nodes and autoscaling cannot both be specified' },
  unsupportedEncryption: { problem: 'Encryption is not offered by this server.' },
  unknownStorageType: (defaultStorageType: number) => ({
    problem: `There is no storage type ${defaultStorageType}`,
  }),
  unknownScalingFactor: (nodeScalingFactor: number) => ({
    problem: `There is no scaling factor ${nodeScalingFactor}`,
  }),
  tooFewNodes: { problem: 'A cluster needs at least one node' },
  notAMultiple: (count: number, increment: number) => ({
    problem: `${count} is not a multiple of the scaling factor ${increment}`,
  }),
  missingNodes: { problem: 'At least one node must be specified' },
  maxBelowMin: (max: number) => ({ problem: `${max} is less than min_serve_nodes` }),
  maxTooLarge: (max: number) => ({ problem: `${max} is more than ten times min_serve_nodes` }),
  cpuOutOfRange: (cpu: number) => ({ problem: `${cpu} is not from 10 to 80` }),
} satisfies FaultTexts;
