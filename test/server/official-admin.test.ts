/** Administration through Google's own Node client, unchanged, against our server. */
import type { Bigtable as BigtableClass, Instance } from '@google-cloud/bigtable';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';

// Loaded by require: the client is CommonJS, and declares exports that it does not have.

const { Bigtable } = require('@google-cloud/bigtable') as { Bigtable: typeof BigtableClass };

let engine: Engine;
let server: BigtableServer;
let client: BigtableClass;
let instance: Instance;

beforeAll(async () => {
  engine = await openMemoryEngine();
  server = await startServer(engine);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  // The client's authentication would look for Google's metadata server.
  process.env.METADATA_SERVER_DETECTION = 'none';
  client = new Bigtable({ projectId: 'p', metricsEnabled: false });
});
afterAll(async () => {
  delete process.env.BIGTABLE_EMULATOR_HOST;
  delete process.env.METADATA_SERVER_DETECTION;
  await client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
});
beforeEach(async () => {
  instance = client.instance('instance-2');
  const [, operation] = await instance.create({
    clusters: [{ id: 'cluster-1', location: 'us-central1-b', nodes: 1 }],
    displayName: 'Second',
    labels: { env: 'test' },
  });
  await operation.promise();
});
afterEach(() => instance.delete());

test('an instance with tables is deleted', async () => {
  await instance.createTable('t', { families: ['f'] } as never);
  await instance.delete();
  expect(await instance.exists()).toEqual([false]);
  const [, operation] = await instance.create({
    clusters: [{ id: 'cluster-1', location: 'us-central1-b', nodes: 1 }],
  });
  await operation.promise();
  expect((await instance.getTables())[0]).toEqual([]);
});

test('clusters: nodes and autoscaling', async () => {
  const cluster = instance.cluster('cluster-2');
  const [, operation] = await instance.createCluster('cluster-2', {
    location: 'us-central1-c',
    minServeNodes: 2,
    maxServeNodes: 4,
    cpuUtilizationPercent: 50,
  } as never);
  await operation.promise();
  const limits = { minServeNodes: 2, maxServeNodes: 4 };
  const scaled = (autoscalingLimits: object) => ({
    clusterConfig: { clusterAutoscalingConfig: { autoscalingLimits } },
  });
  expect((await cluster.getMetadata())[0]).toMatchObject({ serveNodes: 2, ...scaled(limits) });
  await cluster.setMetadata({
    minServeNodes: 3,
    maxServeNodes: 6,
    cpuUtilizationPercent: 60,
  });
  // As in the client's own tests, which run against Bigtable: the nodes are scaled later.
  expect((await cluster.getMetadata())[0]).toMatchObject({
    serveNodes: 2,
    ...scaled({ minServeNodes: 3, maxServeNodes: 6 }),
  });
  await cluster.setMetadata({ nodes: 5 });
  const [fixed] = await cluster.getMetadata();
  expect(fixed).toMatchObject({ serveNodes: 5 });
  expect(fixed.clusterConfig ?? null).toBeNull();
  await cluster.delete();
  await expect(instance.cluster('cluster-1').delete()).rejects.toMatchObject({ code: 9 });
});

test('app profiles', async () => {
  const profile = instance.appProfile('mine');
  await profile.create({
    routing: instance.cluster('cluster-1'),
    allowTransactionalWrites: true,
    description: 'My own',
  } as never);
  await profile.setMetadata({ routing: 'any', description: 'Changed' } as never);
  const [metadata] = await profile.getMetadata();
  expect(metadata).toMatchObject({
    description: 'Changed',
    routingPolicy: 'multiClusterRoutingUseAny',
  });
  await expect(
    instance.appProfile('elsewhere').create({ routing: instance.cluster('nowhere-1') } as never),
  ).rejects.toMatchObject({ code: 3 });
  await profile.delete({ ignoreWarnings: true } as never);
  expect(await profile.exists()).toEqual([false]);
});

test('the metadata of an instance', async () => {
  await instance.setMetadata({ displayName: 'Renamed', labels: { env: 'other' } });
  expect((await instance.getMetadata())[0]).toMatchObject({
    displayName: 'Renamed',
    labels: { env: 'other' },
  });
});

// Not with a wrong etag: the client throws outside of its promise when SetIamPolicy fails.
test('access policies of instances and tables', async () => {
  const [table] = await instance.createTable('t', { families: ['f'] } as never);
  for (const resource of [instance, table]) {
    const [empty] = await resource.getIamPolicy();
    const bindings = [{ role: 'roles/bigtable.user', members: ['user:a@example.com'] }];
    const [policy] = await resource.setIamPolicy({ ...empty, bindings });
    expect((await resource.getIamPolicy())[0]).toMatchObject({ bindings, etag: policy.etag });
    expect(await resource.testIamPermissions('bigtable.tables.get')).toEqual([
      ['bigtable.tables.get'],
    ]);
  }
});

test('the replication state of a table', async () => {
  const [table] = await instance.createTable('t', { families: ['f'] } as never);
  const [states] = await table.getReplicationStates();
  expect([...states].map(([id, { replicationState }]) => [id, replicationState])).toEqual([
    ['cluster-1', 'READY'],
  ]);
});
