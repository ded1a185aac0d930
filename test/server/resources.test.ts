/**
 * Instances, clusters, app profiles, value types and access policies: what is kept, and bad input,
 * which leaves everything as it was.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { ResourceStore } from '../../src/server/resources/resource-store.js';
import {
  collectCall,
  RawClient,
  serveMemory,
  setCell,
  utf8,
  type TestServer,
} from './raw-client.js';
import { resourceState } from './resource-state.js';

const project = 'projects/p';
const instance = `${project}/instances/created`;
const table = `${instance}/tables/t`;
const invalid = { code: status.INVALID_ARGUMENT };
const missing = { code: status.NOT_FOUND };
const unoffered = { code: status.UNIMPLEMENTED };
const precondition = { code: status.FAILED_PRECONDITION };
const location = `${project}/locations/z`;
const autoscaling = (minServeNodes: number, maxServeNodes: number, more: object = {}) => ({
  clusterAutoscalingConfig: {
    autoscalingLimits: { minServeNodes, maxServeNodes },
    autoscalingTargets: { cpuUtilizationPercent: 50, ...more },
  },
});
const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
const text = { stringType: { encoding: { utf8Bytes: {} } } };

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
  await create(served.client);
});
afterEach(() => served.close());

/** An instance with two clusters, an app profile and a table. */
async function create(client: RawClient): Promise<void> {
  await client.unary('instances', 'CreateInstance', {
    parent: project,
    instanceId: 'created',
    instance: { displayName: 'Created', labels: { a: '1' }, tags: { 'tagKeys/1': 'tagValues/2' } },
    clusters: {
      'cluster-1': { location, serveNodes: 3 },
      'cluster-2': { location, clusterConfig: autoscaling(2, 8) },
    },
  });
  await client.unary('instances', 'CreateAppProfile', {
    parent: instance,
    appProfileId: 'one',
    appProfile: {
      description: 'first',
      singleClusterRouting: { clusterId: 'cluster-1' },
      standardIsolation: { priority: 'PRIORITY_LOW' },
    },
  });
  await client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId: 't',
    table: {
      columnFamilies: {
        plain: {},
        text: { valueType: text },
        sum: { valueType: { aggregateType: { inputType: int64, sum: {} } } },
      },
    },
  });
}

const instances = (method: string, request: object) =>
  served.client.call('instances', method, request);
const tables = (method: string, request: object) => served.client.call('tables', method, request);
const get = (method: string, name: string) => served.client.unary('instances', method, { name });
const state = () => resourceState(served.client, project);

type Case = readonly [method: string, request: object, expected: { readonly code: number }];

/** Makes calls that fail, and checks that none of them had an effect. */
async function rejected(
  call: (method: string, request: object) => Promise<{ readonly code: number }>,
  cases: readonly Case[],
): Promise<void> {
  const before = await state();
  for (const [method, request, expected] of cases) {
    const { code } = await call(method, request);
    expect({ method, request, code }).toEqual({ method, request, code: expected.code });
  }
  expect(await state()).toEqual(before);
}

describe('instances', () => {
  test('an instance is deleted with its tables, profiles and clusters', async () => {
    await served.client.unary('tables', 'CreateTable', { parent: instance, tableId: 'u' });
    await served.client.unary('tables', 'CreateTable', {
      parent: `${project}/instances/other-1`,
      tableId: 't',
    });
    expect(await instances('DeleteInstance', { name: instance })).toMatchObject({ code: 0 });
    expect(await instances('GetInstance', { name: instance })).toMatchObject(missing);
    expect(await tables('GetTable', { name: table })).toMatchObject(missing);
    expect((await served.engine.listTables()).map(({ name }) => name)).not.toContain('u');
    expect(
      await tables('GetTable', { name: `${project}/instances/other-1/tables/t` }),
    ).toMatchObject({ code: 0 });
    // Nothing of it is left for a new instance of the same name.
    await create(served.client);
    expect(await get('GetInstance', instance)).toMatchObject({ displayName: 'Created' });
  });

  test('a protected table keeps the whole instance', async () => {
    await served.client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId: 'zz-protected',
      table: { deletionProtection: true },
    });
    await rejected(instances, [['DeleteInstance', { name: instance }, precondition]]);
    await served.client.unary('tables', 'UpdateTable', {
      table: { name: `${instance}/tables/zz-protected` },
      updateMask: { paths: ['deletion_protection'] },
    });
    expect(await instances('DeleteInstance', { name: instance })).toMatchObject({ code: 0 });
  });

  test('tags are kept', async () => {
    expect(await get('GetInstance', instance)).toMatchObject({
      tags: { 'tagKeys/1': 'tagValues/2' },
    });
    await served.client.unary('instances', 'UpdateInstance', {
      name: instance,
      displayName: 'Renamed',
    });
    expect(await get('GetInstance', instance)).toMatchObject({
      displayName: 'Renamed',
      type: 'PRODUCTION',
      tags: { 'tagKeys/1': 'tagValues/2' },
    });
  });

  test('an update with an unspecified type leaves the type unchanged', async () => {
    const update = (changes: object, ...paths: string[]) =>
      instances('PartialUpdateInstance', {
        instance: { name: instance, ...changes },
        updateMask: { paths },
      });
    expect(await update({ type: 'DEVELOPMENT' }, 'type')).toMatchObject({ code: 0 });
    expect(await update({}, 'type')).toMatchObject({ code: 0 });
    expect(await get('GetInstance', instance)).toMatchObject({ type: 'DEVELOPMENT' });
    await served.client.unary('instances', 'UpdateInstance', { name: instance, displayName: 'x' });
    expect(await get('GetInstance', instance)).toMatchObject({ type: 'DEVELOPMENT' });
  });

  test('an instance that is implied by a table stays with what was created in it', async () => {
    const implied = `${project}/instances/implied`;
    const only = { parent: implied, tableId: 't' };
    const additions: [method: string, request: object][] = [
      [
        'CreateAppProfile',
        { parent: implied, appProfileId: 'x', appProfile: { multiClusterRoutingUseAny: {} } },
      ],
      ['CreateCluster', { parent: implied, clusterId: 'second', cluster: { serveNodes: 1 } }],
      ['SetIamPolicy', { resource: implied, policy: { bindings: [] } }],
      ['UpdateCluster', { name: `${implied}/clusters/local`, serveNodes: 2 }],
      [
        'UpdateAppProfile',
        {
          appProfile: { name: `${implied}/appProfiles/default`, description: 'x' },
          updateMask: { paths: ['description'] },
        },
      ],
    ];
    for (const [method, request] of additions) {
      await served.client.unary('tables', 'CreateTable', only);
      expect(await instances(method, request)).toMatchObject({ code: 0 });
      await served.client.unary('tables', 'DeleteTable', { name: `${implied}/tables/t` });
      expect(await instances('GetInstance', { name: implied })).toMatchObject({ code: 0 });
      await served.client.unary('instances', 'DeleteInstance', { name: implied });
    }
    await served.client.unary('tables', 'CreateTable', only);
    await served.client.unary('tables', 'DeleteTable', { name: `${implied}/tables/t` });
    expect(await instances('GetInstance', { name: implied })).toMatchObject(missing);
  });

  test('an instance whose only table was deleted through the engine is not listed', async () => {
    const implied = `${project}/instances/implied`;
    await served.client.unary('tables', 'CreateTable', { parent: implied, tableId: 'gone' });
    await served.engine.deleteTable('gone');
    const { instances: listed } = await served.client.unary('instances', 'ListInstances', {
      parent: project,
    });
    expect(listed).toMatchObject([{ name: instance }]);
    expect(await instances('ListClusters', { parent: `${project}/instances/-` })).toMatchObject({
      code: 0,
    });
    expect(await instances('GetInstance', { name: implied })).toMatchObject(missing);
  });

  test('nothing that an interrupted call has left belongs to a new instance', async () => {
    const name = `${project}/instances/second`;
    const store = await ResourceStore.open(served.engine);
    await store.put('cluster', `${name}/clusters/left-over`, new Uint8Array());
    await store.put('appProfile', `${name}/appProfiles/left-over`, new Uint8Array());
    await store.put('policy', name, new Uint8Array());
    const server = await startServer(served.engine);
    const client = new RawClient(server.address);
    await client.unary('instances', 'CreateInstance', {
      parent: project,
      instanceId: 'second',
      instance: { displayName: 'Second' },
      clusters: { 'cluster-1': { location, serveNodes: 1 } },
    });
    const list = (method: string) => client.unary('instances', method, { parent: name });
    expect((await list('ListClusters')).clusters).toMatchObject([
      { name: `${name}/clusters/cluster-1` },
    ]);
    expect((await list('ListAppProfiles')).appProfiles).toMatchObject([
      { name: `${name}/appProfiles/default` },
    ]);
    expect(await client.unary('instances', 'GetIamPolicy', { resource: name })).toEqual({
      etag: Buffer.of(0, 1),
    });
    client.close();
    await server.close({ graceMs: 100 });
  });

  test('labels as instance.proto allows them', async () => {
    const update = (labels: object) =>
      instances('PartialUpdateInstance', {
        instance: { name: instance, labels },
        updateMask: { paths: ['labels'] },
      });
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, '']));
    for (const labels of [
      many(64),
      { é_1: '' },
      { ['a'.repeat(63)]: '_-9', time_created: '1764000000000' },
    ])
      expect(await update(labels)).toMatchObject({ code: 0 });
    await rejected(
      (_method, labels) => update(labels),
      [
        many(65),
        { '': 'x' },
        { A: 'x' },
        { '1': 'x' },
        { 'a b': 'x' },
        { a: 'B' },
        { ['a'.repeat(64)]: 'x' },
        { a: 'x'.repeat(64) },
        // 63 characters of 3 bytes.
        { a: '中'.repeat(63) },
      ].map((labels): Case => ['labels', labels, invalid]),
    );
    const created = { parent: project, instanceId: 'second', clusters: { 'cluster-1': {} } };
    await rejected(instances, [
      ['CreateInstance', { ...created, instance: { labels: { A: 'x' } } }, invalid],
      ['UpdateInstance', { name: instance, displayName: 'x', labels: { A: 'x' } }, invalid],
    ]);
  });

  test('bad input', async () => {
    const creation = (changes: object = {}) => ({
      parent: project,
      instanceId: 'second',
      instance: { displayName: 'Second' },
      clusters: { 'cluster-1': { location, serveNodes: 1 } },
      ...changes,
    });
    await rejected(instances, [
      ['CreateInstance', creation({ parent: 'p' }), invalid],
      ['CreateInstance', creation({ instanceId: '' }), invalid],
      ['CreateInstance', creation({ instance: undefined }), invalid],
      ['CreateInstance', creation({ clusters: {} }), invalid],
      ['CreateInstance', creation({ clusters: { X: { location } } }), invalid],
      ['CreateInstance', creation({ clusters: { 'cluster-1': { serveNodes: -1 } } }), invalid],
      ['CreateInstance', creation({ clusters: { 'cluster-1': { location: 'z' } } }), invalid],
      ['CreateInstance', creation({ instance: { name: instance } }), invalid],
      ['CreateInstance', creation({ instance: { state: 'READY' } }), invalid],
      ['CreateInstance', creation({ instance: { type: 9 } }), invalid],
      ['CreateInstance', creation({ instanceId: 'created' }), { code: status.ALREADY_EXISTS }],
      ['DeleteInstance', { name: 'projects/rowsmith/instances/local' }, precondition],
      ['DeleteInstance', { name: `${project}/instances/nowhere` }, missing],
      ['UpdateInstance', { name: instance, displayName: 'x', tags: { other: 'x' } }, invalid],
      ['UpdateInstance', { name: instance, labels: { a: '2' } }, invalid],
      [
        'PartialUpdateInstance',
        { instance: { name: instance }, updateMask: { paths: ['labels', 'display_name'] } },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        { instance: { name: instance, tags: { other: 'x' } }, updateMask: { paths: ['tags'] } },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        {
          instance: { name: instance, displayName: 'x' },
          updateMask: { paths: ['display_name', 'labels.a'] },
        },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        { instance: { displayName: 'x' }, updateMask: { paths: ['display_name'] } },
        invalid,
      ],
    ]);
  });
});

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
    // The nodes of an autoscaled cluster are the server's.
    expect(await update(['serve_nodes'], { serveNodes: 9 })).toMatchObject({ code: 0 });
    await served.client.unary('instances', 'UpdateCluster', { name, serveNodes: 9 });
    expect(await get('GetCluster', name)).toMatchObject({ serveNodes: 3 });
    expect(await update(['serve_nodes', whole], { serveNodes: 9 })).toMatchObject({ code: 0 });
    const after = await get('GetCluster', name);
    expect(after).toMatchObject({ serveNodes: 9 });
    expect(after.clusterConfig).toBeUndefined();
  });

  test('an instance whose clusters are implied keeps its cluster beside a new one', async () => {
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

describe('app profiles', () => {
  const name = `${instance}/appProfiles/one`;
  const update = (paths: readonly string[], appProfile: object) =>
    instances('UpdateAppProfile', { appProfile: { name, ...appProfile }, updateMask: { paths } });

  test('standard_isolation is kept, and replaces other isolations', async () => {
    expect(await get('GetAppProfile', name)).toMatchObject({
      standardIsolation: { priority: 'PRIORITY_LOW' },
    });
    expect(
      await update(['standard_isolation'], { standardIsolation: { priority: 'PRIORITY_MEDIUM' } }),
    ).toMatchObject({ code: 0 });
    expect(await get('GetAppProfile', name)).toMatchObject({
      description: 'first',
      standardIsolation: { priority: 'PRIORITY_MEDIUM' },
    });
    await update(['data_boost_isolation_read_only'], {
      dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' },
    });
    const after = await get('GetAppProfile', name);
    expect(after).toMatchObject({
      dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' },
    });
    expect(after.standardIsolation).toBeUndefined();
  });

  test('the deprecated priority sets that of standard_isolation, and none is high', async () => {
    const high = { standardIsolation: { priority: 'PRIORITY_HIGH' } };
    const medium = { standardIsolation: { priority: 'PRIORITY_MEDIUM' } };
    await update(['priority'], { priority: 'PRIORITY_MEDIUM' });
    const updated = await get('GetAppProfile', name);
    expect(updated).toMatchObject(medium);
    expect(updated.priority).toBeUndefined();
    const created = (appProfileId: string, isolation: object) =>
      served.client.unary('instances', 'CreateAppProfile', {
        parent: instance,
        appProfileId,
        appProfile: { multiClusterRoutingUseAny: {}, ...isolation },
      });
    expect(await created('two', { priority: 'PRIORITY_MEDIUM' })).toMatchObject(medium);
    expect(await created('three', { standardIsolation: {} })).toMatchObject(high);
    expect(await created('four', {})).toMatchObject(high);
    expect(await get('GetAppProfile', `${instance}/appProfiles/default`)).toMatchObject(high);
    await update(['standard_isolation'], { standardIsolation: {} });
    expect(await get('GetAppProfile', name)).toMatchObject(high);
  });

  test('the default profile allows all calls, also after a change of its description', async () => {
    const byDefault = `${instance}/appProfiles/default`;
    await served.client.unary('instances', 'UpdateAppProfile', {
      appProfile: { name: byDefault, description: 'changed' },
      updateMask: { paths: ['description'] },
    });
    expect(await get('GetAppProfile', byDefault)).toMatchObject({ description: 'changed' });
    expect(
      await served.client.call('data', 'ReadModifyWriteRow', {
        tableName: table,
        rowKey: utf8('r'),
        rules: [{ familyName: 'plain', columnQualifier: utf8('q'), incrementAmount: 1 }],
      }),
    ).toMatchObject({ code: 0 });
  });

  test('a token of a page that no call has returned is rejected', async () => {
    const parent = instance;
    const { nextPageToken } = await served.client.unary('instances', 'ListAppProfiles', {
      parent,
      pageSize: 1,
    });
    const page = { parent, pageToken: nextPageToken };
    expect(await instances('ListAppProfiles', page)).toMatchObject({ code: 0 });
    for (const pageToken of ['???', '-', `${nextPageToken}=`, 'ÿ']) {
      expect(await instances('ListAppProfiles', { parent, pageToken })).toMatchObject(invalid);
      expect(await tables('ListTables', { parent, pageToken })).toMatchObject(invalid);
    }
  });

  test('the etag of the last change is needed, if one is given', async () => {
    const { etag } = await get('GetAppProfile', name);
    const second = await update(['description'], { description: 'second', etag });
    expect(second).toMatchObject({ code: 0 });
    await rejected(instances, [
      [
        'UpdateAppProfile',
        { appProfile: { name, description: 'x', etag }, updateMask: { paths: ['description'] } },
        { code: status.ABORTED },
      ],
    ]);
    expect((await get('GetAppProfile', name)).etag).not.toBe(etag);
  });

  test('only single-cluster routing with transactional writes allows conditional writes', async () => {
    const increment = () =>
      served.client.call('data', 'ReadModifyWriteRow', {
        tableName: table,
        appProfileId: 'one',
        rowKey: utf8('r'),
        rules: [{ familyName: 'plain', columnQualifier: utf8('q'), incrementAmount: 1 }],
      });
    expect(await increment()).toMatchObject(precondition);
    await update(['single_cluster_routing.allow_transactional_writes'], {
      singleClusterRouting: { allowTransactionalWrites: true },
    });
    expect(await get('GetAppProfile', name)).toMatchObject({
      singleClusterRouting: { clusterId: 'cluster-1', allowTransactionalWrites: true },
    });
    expect(await increment()).toMatchObject({ code: 0 });
  });

  test('bad input', async () => {
    const creation = (appProfile: object | undefined, changes: object = {}) => ({
      parent: instance,
      appProfileId: 'two',
      appProfile,
      ...changes,
    });
    const any = { multiClusterRoutingUseAny: {} };
    const masked = (path: string, appProfile: object) => ({
      appProfile: { name, ...appProfile },
      updateMask: { paths: [path] },
    });
    const to = (clusterId: string) => ({ singleClusterRouting: { clusterId } });
    const among = (...clusterIds: string[]) => ({ multiClusterRoutingUseAny: { clusterIds } });
    await rejected(instances, [
      ['CreateAppProfile', creation(undefined), invalid],
      ['CreateAppProfile', creation({ description: 'no policy' }), invalid],
      ['CreateAppProfile', creation(any, { appProfileId: '' }), invalid],
      ['CreateAppProfile', creation(any, { appProfileId: 'one' }), { code: status.ALREADY_EXISTS }],
      ['CreateAppProfile', creation(any, { parent: `${project}/instances/nowhere` }), missing],
      ['CreateAppProfile', creation({ ...any, name }), invalid],
      ['CreateAppProfile', creation(to('nowhere')), invalid],
      ['CreateAppProfile', creation(to('')), invalid],
      ['CreateAppProfile', creation(among('cluster-1', 'nowhere')), invalid],
      ['CreateAppProfile', creation(among('cluster-1', 'cluster-1')), invalid],
      ['CreateAppProfile', creation({ ...any, standardIsolation: { priority: 9 } }), invalid],
      ['CreateAppProfile', creation({ ...any, dataBoostIsolationReadOnly: {} }), invalid],
      [
        'CreateAppProfile',
        creation({ ...any, dataBoostIsolationReadOnly: { computeBillingOwner: 1 } }),
        invalid,
      ],
      ['UpdateAppProfile', { appProfile: { name, description: 'x' } }, invalid],
      ['UpdateAppProfile', masked('etag', { etag: 'x' }), { code: status.ABORTED }],
      ['UpdateAppProfile', masked('name', {}), invalid],
      ['UpdateAppProfile', masked('single_cluster_routing', {}), invalid],
      ['UpdateAppProfile', masked('single_cluster_routing', to('nowhere')), invalid],
      ['UpdateAppProfile', masked('multi_cluster_routing_use_any', among('nowhere')), invalid],
      ['UpdateAppProfile', masked('standard_isolation.nothing', {}), invalid],
      [
        'UpdateAppProfile',
        { appProfile: { name: `${name}x` }, updateMask: { paths: ['description'] } },
        missing,
      ],
      ['DeleteAppProfile', { name: `${name}x` }, missing],
      ['DeleteAppProfile', { name: `${instance}/appProfiles/default` }, precondition],
      ['GetAppProfile', { name: `${instance}/clusters/cluster-1` }, invalid],
    ]);
  });
});

describe('value types', () => {
  const modify = (...modifications: object[]) =>
    tables('ModifyColumnFamilies', { name: table, modifications });
  const types = async () => {
    const { columnFamilies } = await served.client.unary('tables', 'GetTable', { name: table });
    return Object.fromEntries(
      Object.entries(columnFamilies as Record<string, { valueType?: object }>).map(
        ([id, { valueType }]) => [id, valueType],
      ),
    );
  };

  test('strings and bytes are kept, and change with the family', async () => {
    expect(await types()).toMatchObject({ plain: undefined, text });
    const raw = { bytesType: { encoding: { raw: {} } } };
    const paths = ['value_type'];
    expect(
      await modify(
        { id: 'plain', update: { valueType: text }, updateMask: { paths } },
        { id: 'text', update: { valueType: raw }, updateMask: { paths } },
        { id: 'new', create: { valueType: text } },
      ),
    ).toMatchObject({ code: 0 });
    expect(await types()).toMatchObject({ plain: text, text: raw, new: text });
    // Values are bytes for the engine, whatever they are described as.
    expect(
      await served.client.call('data', 'MutateRow', {
        tableName: table,
        rowKey: utf8('r'),
        mutations: [setCell('plain', 'q', Buffer.of(0xff))],
      }),
    ).toMatchObject({ code: 0 });
    await modify({ id: 'new', drop: true });
    await modify({ id: 'new', create: {} });
    expect((await types()).new).toBeUndefined();
    await tables('DeleteTable', { name: table });
    await tables('CreateTable', {
      parent: instance,
      tableId: 't',
      table: { columnFamilies: { text: {} } },
    });
    expect(await types()).toEqual({ text: undefined });
  });

  test('the changes of a request see those before them', async () => {
    const sum = { aggregateType: { inputType: int64, sum: {} } };
    const paths = ['value_type'];
    const versions = { maxNumVersions: 3 };
    expect(
      await modify(
        { id: 'new', create: { gcRule: versions } },
        { id: 'new', update: { valueType: text }, updateMask: { paths } },
        { id: 'plain', update: { gcRule: versions } },
        { id: 'plain', update: { valueType: text }, updateMask: { paths } },
      ),
    ).toMatchObject({ code: 0 });
    const { columnFamilies } = await served.client.unary('tables', 'GetTable', { name: table });
    expect(columnFamilies).toMatchObject({
      new: { gcRule: versions, valueType: text },
      plain: { gcRule: versions, valueType: text },
    });
    await rejected(
      (_method, modifications) => modify(...(modifications as object[])),
      [
        [
          { id: 'more', create: { valueType: sum } },
          { id: 'more', update: { valueType: text }, updateMask: { paths } },
        ],
        [
          { id: 'more', create: {} },
          { id: 'more', update: { valueType: sum }, updateMask: { paths } },
        ],
        [
          { id: 'plain', drop: true },
          { id: 'plain', create: { valueType: sum } },
          { id: 'plain', update: { valueType: text }, updateMask: { paths } },
        ],
      ].map((modifications): Case => ['modifications', modifications, invalid]),
    );
  });

  test('bad input', async () => {
    const change = (id: string, valueType: object | undefined, paths: string[]) => ({
      name: table,
      modifications: [
        { id: 'more', create: { valueType: text } },
        { id, update: { valueType }, updateMask: { paths } },
      ],
    });
    const sum = { aggregateType: { inputType: int64, sum: {} } };
    await rejected(tables, [
      ['ModifyColumnFamilies', change('sum', text, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('sum', undefined, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', sum, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', text, []), invalid],
      ['ModifyColumnFamilies', change('plain', text, ['value_type.string_type']), invalid],
      ['ModifyColumnFamilies', change('plain', undefined, ['gc_rule.nothing']), invalid],
      ['ModifyColumnFamilies', change('plain', { int64Type: {} }, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', { arrayType: {} }, ['value_type']), unoffered],
      ['ModifyColumnFamilies', change('nowhere', text, ['value_type']), missing],
      ['GetTable', { name: table, view: 77 }, invalid],
      // A wildcard in lists.
      ['CreateTable', { parent: `${project}/instances/-`, tableId: 't' }, invalid],
      ['CreateTable', { parent: instance, tableId: 'u', table: { name: table } }, invalid],
      [
        'UpdateTable',
        { table: { name: table }, updateMask: { paths: ['change_stream_config'] } },
        unoffered,
      ],
      ['UpdateTable', { table: { name: table }, updateMask: { paths: ['nothing'] } }, invalid],
    ]);
  });
});

describe('access policies', () => {
  const bindings = [{ role: 'roles/bigtable.user', members: ['user:a@example.com'] }];
  const condition = { expression: 'true', title: 'always' };

  test.each(['instances', 'tables'] as const)('of %s are kept with their etag', async (service) => {
    const resource = service === 'instances' ? instance : table;
    const ask = (method: string, request: object) =>
      served.client.unary(service, method, { resource, ...request });
    const empty = await ask('GetIamPolicy', {});
    expect(empty).toEqual({ etag: Buffer.of(0, 1) });
    const set = await ask('SetIamPolicy', { policy: { bindings, etag: empty.etag } });
    expect(set).toMatchObject({ bindings });
    expect(await ask('GetIamPolicy', {})).toEqual(set);
    await rejected(
      (method, request) => served.client.call(service, method, request),
      [
        [
          'SetIamPolicy',
          { resource, policy: { bindings: [], etag: empty.etag } },
          { code: status.ABORTED },
        ],
      ],
    );
    const audited = { version: 3, auditConfigs: [{ service: 'allServices' }], bindings: [] };
    await ask('SetIamPolicy', { policy: audited, updateMask: { paths: ['audit_configs'] } });
    expect(await ask('GetIamPolicy', {})).toMatchObject({
      bindings,
      auditConfigs: [{ service: 'allServices' }],
    });
    expect(await ask('TestIamPermissions', { permissions: ['bigtable.tables.get'] })).toEqual({
      permissions: ['bigtable.tables.get'],
    });
    // Gone with its resource.
    if (service === 'tables') await tables('DeleteTable', { name: table });
    else await instances('DeleteInstance', { name: instance });
    expect(await served.client.call(service, 'GetIamPolicy', { resource })).toMatchObject(missing);
    expect(await ask('TestIamPermissions', { permissions: ['bigtable.tables.get'] })).toEqual({});
    if (service === 'instances') await create(served.client);
    else await tables('CreateTable', { parent: instance, tableId: 't' });
    expect(await ask('GetIamPolicy', {})).toEqual(empty);
  });

  test('that of a table which was deleted through the engine is not that of a new one', async () => {
    const parent = 'projects/rowsmith/instances/local';
    const resource = `${parent}/tables/mine`;
    await served.client.unary('tables', 'CreateTable', { parent, tableId: 'mine' });
    await served.client.unary('tables', 'SetIamPolicy', { resource, policy: { bindings } });
    await served.engine.deleteTable('mine');
    await served.client.unary('tables', 'CreateTable', { parent, tableId: 'mine' });
    expect(await served.client.unary('tables', 'GetIamPolicy', { resource })).toEqual({
      etag: Buffer.of(0, 1),
    });
  });

  test('bad input', async () => {
    const policy = (changes: object) => ({ resource: instance, policy: changes });
    const conditional = [{ ...bindings[0], condition }];
    await rejected(instances, [
      ['GetIamPolicy', {}, invalid],
      ['GetIamPolicy', { resource: table }, invalid],
      ['GetIamPolicy', { resource: `${project}/instances/nowhere` }, missing],
      ['GetIamPolicy', { resource: instance, options: { requestedPolicyVersion: 2 } }, invalid],
      ['SetIamPolicy', { resource: instance }, invalid],
      ['SetIamPolicy', { resource: `${project}/instances/nowhere`, policy: {} }, missing],
      ['SetIamPolicy', policy({ version: 2 }), invalid],
      ['SetIamPolicy', policy({ bindings: [{ members: ['user:a'] }] }), invalid],
      ['SetIamPolicy', policy({ bindings: [{ role: 'r', members: ['nobody'] }] }), invalid],
      ['SetIamPolicy', policy({ version: 1, bindings: conditional }), invalid],
      ['SetIamPolicy', { ...policy({ bindings }), updateMask: { paths: ['roles'] } }, invalid],
      ['SetIamPolicy', policy({ etag: utf8('wrong') }), { code: status.ABORTED }],
      ['TestIamPermissions', { resource: instance }, invalid],
      ['TestIamPermissions', { resource: instance, permissions: ['bigtable.*'] }, invalid],
    ]);
    await served.client.unary('instances', 'SetIamPolicy', {
      resource: instance,
      policy: { version: 3, bindings: conditional },
    });
    const options = { requestedPolicyVersion: 3 };
    await rejected(instances, [['GetIamPolicy', { resource: instance }, invalid]]);
    expect(
      await served.client.unary('instances', 'GetIamPolicy', { resource: instance, options }),
    ).toMatchObject({ version: 3, bindings: conditional });
    await rejected(tables, [
      ['GetIamPolicy', { resource: instance }, invalid],
      ['SetIamPolicy', { resource: `${table}x`, policy: {} }, missing],
    ]);
  });
});

test('calls at the same time have an effect one after the other', async () => {
  const profile = {
    parent: instance,
    appProfileId: 'same',
    appProfile: { multiClusterRoutingUseAny: {} },
  };
  const creations = await Promise.all(
    Array.from({ length: 5 }, () => instances('CreateAppProfile', profile)),
  );
  expect(creations.map(({ code }) => code).sort((a, b) => a - b)).toEqual([0, 6, 6, 6, 6]);
  const { etag } = await get('GetAppProfile', `${instance}/appProfiles/same`);
  const updates = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      instances('UpdateAppProfile', {
        appProfile: { name: `${instance}/appProfiles/same`, description: `${i}`, etag },
        updateMask: { paths: ['description'] },
      }),
    ),
  );
  expect(updates.map(({ code }) => code).sort((a, b) => a - b)).toEqual([0, 10, 10, 10, 10]);
  // Protection comes before the deletion, or after it, and never in the middle.
  const [protection, deletion] = await Promise.all([
    tables('UpdateTable', {
      table: { name: table, deletionProtection: true },
      updateMask: { paths: ['deletion_protection'] },
    }),
    instances('DeleteInstance', { name: instance }),
  ]);
  expect([protection.code, deletion.code]).toEqual(protection.code === status.OK ? [0, 9] : [5, 0]);
});

test('a field that the server does not know is rejected, at any level', async () => {
  const path = '/google.bigtable.admin.v2.BigtableInstanceAdmin/GetInstance';
  // Field 99, a string.
  const unknown = Buffer.from([0x9a, 0x06, 0x01, 0x78]);
  const answer = await collectCall(served.client.bytes(path, unknown, 10_000));
  expect(answer).toMatchObject({
    ...unoffered,
    details: expect.stringContaining('field 99') as string,
  });
});

test('everything is kept across a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-resources-'));
  const states: unknown[] = [];
  for (const first of [true, false]) {
    const engine = await openDiskEngine(join(folder, 'data'));
    const server = await startServer(engine);
    const client = new RawClient(server.address);
    if (first) {
      await create(client);
      for (const [service, resource] of [
        ['instances', instance],
        ['tables', table],
      ] as const)
        await client.unary(service, 'SetIamPolicy', {
          resource,
          policy: { bindings: [{ role: 'roles/viewer', members: ['allUsers'] }] },
        });
    }
    states.push(await resourceState(client, project));
    client.close();
    await server.close();
    await engine.close();
  }
  expect(states[1]).toEqual(states[0]);
  expect(JSON.stringify(states[0])).toContain('allUsers');
  rmSync(folder, { recursive: true });
});

test('resources that the first release stored are read and can be changed', async () => {
  const engine = await openMemoryEngine();
  await engine.createTable({ name: '_rowsmith.server', families: new Map([['r', {}]]) });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const stored = JSON.parse(
    readFileSync(join(__dirname, 'fixtures/resources-1.json'), 'utf8'),
  ) as Record<string, string>;
  for (const [key, value] of Object.entries(stored))
    await engine.mutateRow('_rowsmith.server', {
      key: utf8(key),
      mutations: [
        {
          kind: 'setCell',
          family: 'r',
          qualifier: Buffer.alloc(0),
          timestamp: 0,
          value: Buffer.from(value, 'base64'),
        },
      ],
    });
  await using server = await startServer(engine);
  const client = new RawClient(server.address);
  const old = `${project}/instances/stored`;
  const ask = (method: string, request: object) => client.unary('instances', method, request);
  expect(await ask('GetInstance', { name: old })).toMatchObject({
    displayName: 'Stored',
    type: 'DEVELOPMENT',
    labels: { a: '1' },
  });
  const cluster = `${old}/clusters/cluster-1`;
  expect(await ask('GetCluster', { name: cluster })).toMatchObject({
    serveNodes: 3,
    defaultStorageType: 'HDD',
    clusterConfig: autoscaling(2, 9),
  });
  const { appProfiles } = await ask('ListAppProfiles', { parent: old });
  expect(appProfiles).toMatchObject([
    {
      name: `${old}/appProfiles/any`,
      multiClusterRoutingUseAny: { clusterIds: ['cluster-1'] },
      standardIsolation: { priority: 'PRIORITY_LOW' },
    },
    { name: `${old}/appProfiles/default` },
  ]);
  const profile = { name: `${old}/appProfiles/any`, description: 'changed' };
  await ask('UpdateAppProfile', {
    appProfile: profile,
    updateMask: { paths: ['description'] },
  });
  expect(await ask('GetAppProfile', { name: profile.name })).toMatchObject({
    ...profile,
    multiClusterRoutingUseAny: { clusterIds: ['cluster-1'] },
    standardIsolation: { priority: 'PRIORITY_LOW' },
  });
  expect(await ask('GetInstance', { name: `${project}/instances/bare-instance` })).toMatchObject({
    state: 'READY',
  });
  await ask('DeleteInstance', { name: old });
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(['_rowsmith.server']);
  client.close();
});
