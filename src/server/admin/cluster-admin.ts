/** Clusters. An instance without stored clusters has one called `local`. */
import type { FaultTexts } from '../../base/index.js';
import {
  applyMask,
  AppProfile,
  checkId,
  Cluster,
  CreateClusterMetadata,
  CreateClusterRequest,
  DeleteClusterRequest,
  Empty,
  GetClusterRequest,
  ListClustersRequest,
  ListClustersResponse,
  LongOperation,
  parseResource,
  PartialUpdateClusterMetadata,
  PartialUpdateClusterRequest,
  requestError,
  UpdateClusterMetadata,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { autoscalingOf, checkedCluster, newCluster, rejectEncryption } from './cluster-content.js';
import type { ClusterContent, InstanceLookup } from '../resources/instance-lookup.js';
import type { Operations } from './operations.js';
import { routedClusters } from '../resources/profile-routing.js';
import {
  alreadyExistsError,
  notFoundError,
  preconditionError,
} from '../resources/resource-error.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { assertNoBackups } from '../resources/stored-backups.js';
import type { TaskQueue } from '../resources/task-queue.js';

/** What PartialUpdateCluster may change. */
const mutableFields = ['serve_nodes', 'cluster_config'];

/** The methods of the service that are about clusters. */
export function clusterMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
  changes: TaskQueue,
): Methods {
  const admin = new ClusterAdmin(store, instances, operations);
  return {
    CreateCluster: service.unary('CreateCluster', CreateClusterRequest, LongOperation, (request) =>
      changes.run(() => admin.create(request)),
    ),
    GetCluster: service.unary('GetCluster', GetClusterRequest, Cluster, ({ name }) =>
      admin.get(name),
    ),
    ListClusters: service.unary(
      'ListClusters',
      ListClustersRequest,
      ListClustersResponse,
      async ({ parent }) => ({ clusters: await admin.list(parent) }),
    ),
    UpdateCluster: service.unary('UpdateCluster', Cluster, LongOperation, (cluster) =>
      changes.run(() => admin.update(cluster)),
    ),
    PartialUpdateCluster: service.unary(
      'PartialUpdateCluster',
      PartialUpdateClusterRequest,
      LongOperation,
      (request) => changes.run(() => admin.partialUpdate(request)),
    ),
    DeleteCluster: service.unary('DeleteCluster', DeleteClusterRequest, Empty, ({ name }) =>
      changes.run(() => admin.delete(name)),
    ),
  };
}

/** Stores a cluster, and returns it. */
export async function storeCluster(
  store: ResourceStore,
  cluster: ClusterContent,
): Promise<ClusterContent> {
  await store.put('cluster', cluster.name!, Cluster.encode(cluster));
  return cluster;
}

class ClusterAdmin {
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;

  constructor(store: ResourceStore, instances: InstanceLookup, operations: Operations) {
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
  }

  async create({
    parent,
    clusterId,
    cluster,
  }: ContentOf<typeof CreateClusterRequest>): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    await this.#instances.get(parent);
    const name = `${parent!}/clusters/${checkId(clusterId, 'clusters')}`;
    if (cluster === undefined) throw requestError('cluster', faults.missingCluster);
    const others = this.#instances.clusters(parent!);
    if (others.some((other) => other.name === name)) throw alreadyExistsError('Cluster', name);
    const created = newCluster(name, cluster);
    await this.#instances.keep(parent!);
    // The implied cluster of an instance exists beside the first one that is created.
    for (const other of others)
      if (this.#store.get('cluster', other.name!) === undefined)
        await storeCluster(this.#store, other);
    await storeCluster(this.#store, created);
    const metadata = {
      originalRequest: CreateClusterRequest.encode({ parent, clusterId, cluster }),
      requestTime,
      finishTime: new Date(),
    };
    return this.#operations.finished(name, [Cluster, created], [CreateClusterMetadata, metadata]);
  }

  async get(name: string | undefined): Promise<ClusterContent> {
    const { parent } = parseResource(name, 'clusters');
    await this.#instances.get(parent);
    const found = this.#instances.clusters(parent).find((cluster) => cluster.name === name);
    if (found === undefined) throw notFoundError('Cluster', name!);
    return found;
  }

  async list(parent: string | undefined): Promise<ClusterContent[]> {
    const names = await this.#instances.parents(parent);
    return names.flatMap((name) => this.#instances.clusters(name));
  }

  /** The fields that UpdateCluster cannot change must be absent, or as they are. */
  async update(cluster: ClusterContent): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const current = await this.get(cluster.name);
    for (const field of ['location', 'defaultStorageType', 'nodeScalingFactor'] as const) {
      const value = cluster[field] || undefined;
      if (value !== undefined && value !== current[field])
        throw requestError(field, faults.immutableField);
    }
    rejectEncryption(cluster);
    const { clusterConfig } = cluster;
    // Its nodes are set by the server (bigtable_instance_admin.proto, PartialUpdateCluster).
    const isAutoscaled = autoscalingOf(current) !== undefined;
    if (clusterConfig !== undefined && !isSameConfig({ ...current, clusterConfig }, current))
      throw requestError('cluster_config', faults.immutableAutoscaling);
    const serveNodes = isAutoscaled ? current.serveNodes : cluster.serveNodes;
    const changed = await this.#storeChecked({ ...current, serveNodes });
    const originalRequest = Cluster.encode(cluster);
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [UpdateClusterMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  async partialUpdate({
    cluster = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateClusterRequest>): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const current = await this.get(cluster.name);
    const paths = updateMask?.paths;
    const masked = applyMask(Cluster.shape, current, cluster, paths, mutableFields);
    const namesNodes = paths!.includes('serve_nodes');
    const namesConfig = paths!.some((path) => path.startsWith('cluster_config'));
    if (namesNodes && autoscalingOf(masked) !== undefined) {
      if (namesConfig && (cluster.serveNodes ?? 0) !== 0)
        throw requestError('update_mask', faults.nodesWithAutoscaling);
      masked.serveNodes = current.serveNodes;
    }
    const changed = await this.#storeChecked(masked);
    const originalRequest = PartialUpdateClusterRequest.encode({ cluster, updateMask });
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [PartialUpdateClusterMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  async delete(name = ''): Promise<object> {
    await this.get(name);
    const { parent, id } = parseResource(name, 'clusters');
    if (this.#instances.clusters(parent).length === 1)
      throw preconditionError(`Cluster ${name} is the last one of its instance.`);
    for (const [profile, bytes] of this.#store.list('appProfile', `${parent}/appProfiles/`))
      if (routedClusters(AppProfile.decode(bytes)).includes(id))
        throw preconditionError(`Cluster ${name} is used by ${profile}.`);
    assertNoBackups(this.#store, 'Cluster', name);
    await this.#store.remove('cluster', name);
    return {};
  }

  async #storeChecked(cluster: ClusterContent): Promise<ClusterContent> {
    const checked = checkedCluster(cluster);
    await this.#instances.keep(parseResource(cluster.name, 'clusters').parent);
    return storeCluster(this.#store, checked);
  }
}

/** Whether the configurations are equal, with their defaults. */
function isSameConfig(a: ClusterContent, b: ClusterContent): boolean {
  const encode = (cluster: ClusterContent) => {
    const { clusterConfig } = checkedCluster(cluster);
    return Buffer.from(Cluster.encode({ clusterConfig }));
  };
  return encode(a).equals(encode(b));
}

const faults = {
  missingCluster: { problem: 'The cluster must be specified' },
  immutableField: { problem: 'The field is immutable' },
  immutableAutoscaling: { problem: 'Autoscaling is updated by PartialUpdateCluster' },
  nodesWithAutoscaling: { problem: 'Nodes and autoscaling cannot both be specified' },
} satisfies FaultTexts;
