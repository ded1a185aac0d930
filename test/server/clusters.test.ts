/** Clusters of our server. */
import { status } from '@grpc/grpc-js';
import {
  project,
  instance,
  table,
  invalid,
  missing,
  unoffered,
  precondition,
  location,
  autoscaling,
  resourceServer,
} from './resource-calls.js';

const { served, instances, get, rejected } = resourceServer();

describe('clusters', () => {
  const name = `${instance}/clusters/cluster-1`;
  const scaled = `${instance}/clusters/cluster-2`;
  const update = (paths: readonly string[], cluster: object) =>
    instances('PartialUpdateCluster', { cluster: { name, ...cluster }, updateMask: { paths } });

  test('autoscaling is set, changed and removed by masks', async () => {
    const whole = 'cluster_config.cluster_autoscaling_config';
    expect(await update([whole], { clusterConfig: autoscaling(4, 8) })).toMatchObject({ code: 0 });
    // An update leaves the nodes as they are, and nothing scales them.
    expect(await get('GetCluster', name)).toMatchObject({
      serveNodes: 3,
      clusterConfig: autoscaling(4, 8),
    });
    const max = `${whole}.autoscaling_limits.max_serve_nodes`;
    expect(await update([max], { clusterConfig: autoscaling(0, 20) })).toMatchObject({ code: 0 });
    expect(await get('GetCluster', name)).toMatchObject({ clusterConfig: autoscaling(4, 20) });
    const limits = (count: number) => update([max], { clusterConfig: autoscaling(0, count) });
    expect([await limits(41), await limits(40)]).toMatchObject([{ code: 3 }, { code: 0 }]);
    // The nodes of an autoscaled cluster are the server's.
    expect(await update(['serve_nodes'], { serveNodes: 9 })).toMatchObject({ code: 0 });
    await served.client.unary('instances', 'UpdateCluster', { name, serveNodes: 9 });
    expect(await get('GetCluster', name)).toMatchObject({ serveNodes: 3 });
    expect(await update(['serve_nodes', whole], { serveNodes: 9 })).toMatchObject({ code: 0 });
    const after = await get('GetCluster', name);
    expect(after).toMatchObject({ serveNodes: 9 });
    expect(after.clusterConfig).toBeUndefined();
  });

  test('an instance with an implied cluster keeps it beside a new one', async () => {
    const implied = `${project}/instances/implied`;
    await served.client.unary('tables', 'CreateTable', { parent: implied, tableId: 't' });
    await served.client.unary('instances', 'CreateCluster', {
      parent: implied,
      clusterId: 'second',
      cluster: { location, serveNodes: 1 },
    });
    const { clusters } = await served.client.unary('instances', 'ListClusters', {
      parent: implied,
    });
    expect((clusters as { name: string }[]).map((one) => one.name)).toEqual([
      `${implied}/clusters/local`,
      `${implied}/clusters/second`,
    ]);
    const all = await served.client.unary('instances', 'ListClusters', {
      parent: `${project}/instances/-`,
    });
    expect(all.clusters).toHaveLength(4);
  });

  test('with a scaling factor of 2 the numbers of nodes are even', async () => {
    const doubled = `${instance}/clusters/doubled`;
    const create = (cluster: object, clusterId = 'doubled') =>
      instances('CreateCluster', {
        parent: instance,
        clusterId,
        cluster: { nodeScalingFactor: 'NODE_SCALING_FACTOR_2X', ...cluster },
      });
    expect(await create({})).toMatchObject({ code: 0 });
    expect(await get('GetCluster', doubled)).toMatchObject({ serveNodes: 2 });
    await rejected(instances, [['UpdateCluster', { name: doubled, serveNodes: 5 }, invalid]]);
    expect(await create({ clusterConfig: autoscaling(4, 8) }, 'scaled')).toMatchObject({ code: 0 });
  });

  test('views of a table name the clusters of its instance, and how they encrypt', async () => {
    const replicated = { replicationState: 'READY' };
    const encrypted = { encryptionInfo: [{ encryptionType: 'GOOGLE_DEFAULT_ENCRYPTION' }] };
    for (const [view, expected] of [
      ['REPLICATION_VIEW', replicated],
      ['ENCRYPTION_VIEW', encrypted],
      ['FULL', { ...replicated, ...encrypted }],
    ] as const) {
      const { clusterStates } = await served.client.unary('tables', 'GetTable', {
        name: table,
        view,
      });
      expect(clusterStates).toEqual({ 'cluster-1': expected, 'cluster-2': expected });
    }
  });

  test('a storage target of 0 is the default of the storage type', async () => {
    const target = async (cluster: string): Promise<number> => {
      const { clusterConfig } = await get('GetCluster', cluster);
      const { autoscalingTargets } = clusterConfig.clusterAutoscalingConfig;
      return autoscalingTargets.storageUtilizationGibPerNode as number;
    };
    expect(await target(scaled)).toBe(2560);
    // As it was created, without the default.
    expect(
      await instances('UpdateCluster', { name: scaled, clusterConfig: autoscaling(2, 8) }),
    ).toMatchObject({ code: 0 });
    const path =
      'cluster_config.cluster_autoscaling_config.autoscaling_targets.storage_utilization_gib_per_node';
    const set = (storageUtilizationGibPerNode: number) =>
      served.client.unary('instances', 'PartialUpdateCluster', {
        cluster: {
          name: scaled,
          clusterConfig: autoscaling(0, 0, { storageUtilizationGibPerNode }),
        },
        updateMask: { paths: [path] },
      });
    await set(2777);
    expect(await target(scaled)).toBe(2777);
    await set(0);
    expect(await target(scaled)).toBe(2560);
    await served.client.unary('instances', 'CreateCluster', {
      parent: instance,
      clusterId: 'disks-1',
      cluster: { defaultStorageType: 'HDD', clusterConfig: autoscaling(1, 2) },
    });
    expect(await target(`${instance}/clusters/disks-1`)).toBe(8192);
  });

  test('bad input', async () => {
    const creation = (cluster: object | undefined, changes: object = {}) => ({
      parent: instance,
      clusterId: 'third-one',
      cluster,
      ...changes,
    });
    const masked = (path: string, cluster: object) => ({
      cluster: { name, ...cluster },
      updateMask: { paths: [path] },
    });
    const config = 'cluster_config.cluster_autoscaling_config';
    await rejected(instances, [
      ['CreateCluster', creation(undefined), invalid],
      ['CreateCluster', creation({}, { clusterId: '' }), invalid],
      ['CreateCluster', creation({}, { parent: `${project}/instances/nowhere` }), missing],
      ['CreateCluster', creation({}, { clusterId: 'cluster-1' }), { code: status.ALREADY_EXISTS }],
      ['CreateCluster', creation({ state: 'READY' }), invalid],
      ['CreateCluster', creation({ defaultStorageType: 7 }), invalid],
      ['CreateCluster', creation({ nodeScalingFactor: 7 }), invalid],
      ['CreateCluster', creation({ encryptionConfig: { kmsKeyName: 'k' } }), unoffered],
      ['CreateCluster', creation({ serveNodes: 1, clusterConfig: autoscaling(1, 2) }), invalid],
      ['CreateCluster', creation({ clusterConfig: autoscaling(0, 2) }), invalid],
      ['CreateCluster', creation({ clusterConfig: autoscaling(3, 2) }), invalid],
      ['CreateCluster', creation({ clusterConfig: autoscaling(1, 11) }), invalid],
      [
        'CreateCluster',
        creation({ clusterConfig: autoscaling(1, 2, { cpuUtilizationPercent: 9 }) }),
        invalid,
      ],
      [
        'CreateCluster',
        creation({ clusterConfig: autoscaling(1, 2, { storageUtilizationGibPerNode: 2559 }) }),
        invalid,
      ],
      ['UpdateCluster', { name, serveNodes: 0 }, invalid],
      ['UpdateCluster', { name, serveNodes: 4, location: `${location}2` }, invalid],
      ['UpdateCluster', { name, serveNodes: 4, defaultStorageType: 'HDD' }, invalid],
      ['UpdateCluster', { name, serveNodes: 4, clusterConfig: autoscaling(1, 2) }, invalid],
      ['UpdateCluster', { name: scaled, clusterConfig: autoscaling(1, 2) }, invalid],
      ['UpdateCluster', { name: `${name}x`, serveNodes: 4 }, missing],
      ['PartialUpdateCluster', { cluster: { name, serveNodes: 4 } }, invalid],
      ['PartialUpdateCluster', masked('serve_nodes', {}), invalid],
      ['PartialUpdateCluster', masked('location', { location }), invalid],
      ['PartialUpdateCluster', masked('serveNodes', { serveNodes: 4 }), invalid],
      ['PartialUpdateCluster', masked(`${config}.nothing`, {}), invalid],
      ['PartialUpdateCluster', masked('serve_nodes.x', { serveNodes: 4 }), invalid],
      [
        'PartialUpdateCluster',
        {
          cluster: { name, serveNodes: 4, clusterConfig: autoscaling(1, 2) },
          updateMask: { paths: ['serve_nodes', config] },
        },
        invalid,
      ],
      ['CreateCluster', creation({ location: `${location}${'z'.repeat(70)}` }), invalid],
      ['CreateCluster', creation({ nodeScalingFactor: 2, serveNodes: 3 }), invalid],
      [
        'CreateCluster',
        creation({ nodeScalingFactor: 2, clusterConfig: autoscaling(2, 5) }),
        invalid,
      ],
      [
        'CreateCluster',
        creation({ nodeScalingFactor: 2, clusterConfig: autoscaling(1, 4) }),
        invalid,
      ],
      ['DeleteCluster', { name }, precondition],
      ['DeleteCluster', { name: `${name}x` }, missing],
      ['ListClusters', { parent: `${project}/instances/nowhere` }, missing],
    ]);
    expect(await instances('DeleteCluster', { name: scaled })).toMatchObject({ code: 0 });
    await served.client.unary('instances', 'DeleteAppProfile', {
      name: `${instance}/appProfiles/one`,
    });
    await rejected(instances, [['DeleteCluster', { name }, precondition]]);
  });
});
