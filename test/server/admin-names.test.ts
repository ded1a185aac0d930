/** Names, instances and updates of stored resources. */
import { status } from '@grpc/grpc-js';
import { startServer } from '../../src/server/index.js';
import {
  instance,
  createTestTable,
  RawClient,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';
import { invalid } from './resource-calls.js';

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
});
afterEach(() => served.close());

const tables = (method: string, request: object) => served.client.call('tables', method, request);
describe('names', () => {
  const ids = async (client: RawClient, parent: string) =>
    (
      ((await client.unary('tables', 'ListTables', { parent })).tables as
        { name: string }[] | undefined) ?? []
    ).map(({ name }) => name);

  test("each project and instance has its own tables; the home instance has the engine's", async () => {
    const home = 'projects/rowsmith/instances/local';
    await served.engine.createTable({ name: 'plain', families: new Map([['a', {}]]) });
    expect(await ids(served.client, home)).toEqual([`${home}/tables/plain`]);
    expect(await ids(served.client, instance)).toEqual([tableName]);
    for (const parent of ['projects/q/instances/instance-1', home]) {
      await served.client.unary('tables', 'CreateTable', {
        parent,
        tableId: 't',
        table: { columnFamilies: { a: {} } },
      });
      await served.client.unary('data', 'MutateRow', {
        tableName: `${parent}/tables/t`,
        rowKey: utf8(parent),
        mutations: [setCell('a', 'q', 'v')],
      });
      expect(
        (await served.client.rows({ tableName: `${parent}/tables/t` })).map(({ key }) =>
          Buffer.from(key).toString(),
        ),
      ).toEqual([parent]);
    }
    expect(await served.client.rows({ tableName })).toEqual([]);
    expect((await served.engine.listTables()).map(({ name }) => name)).toEqual([
      '_rowsmith.server',
      'plain',
      't',
      't.2',
      't.3',
    ]);
    await served.client.unary('tables', 'DeleteTable', { name: tableName });
    expect(await ids(served.client, instance)).toEqual([]);
    expect(await ids(served.client, home)).toEqual([`${home}/tables/plain`, `${home}/tables/t`]);
  });

  test("the server's own table is not accessible, and another server has the same names", async () => {
    const systemTable = 'projects/rowsmith/instances/local/tables/_rowsmith.server';
    expect(await served.client.call('data', 'ReadRows', { tableName: systemTable })).toMatchObject({
      code: status.NOT_FOUND,
    });
    expect(await tables('DeleteTable', { name: systemTable })).toMatchObject({
      code: status.NOT_FOUND,
    });
    await served.client.unary('data', 'MutateRow', {
      tableName,
      rowKey: utf8('r'),
      mutations: [setCell('a', 'q', 'v')],
    });
    await served.server.close();
    await using other = await startServer(served.engine);
    const client = new RawClient(other.address);
    expect(await ids(client, instance)).toEqual([tableName]);
    expect(await client.rows({ tableName })).toHaveLength(1);
    client.close();
  });

  test('tables created at the same time all get a name', async () => {
    const parents = Array.from({ length: 20 }, (_, i) => `projects/p${i}/instances/instance-1`);
    await Promise.all(
      parents.map((parent) =>
        served.client.unary('tables', 'CreateTable', { parent, tableId: 'same' }),
      ),
    );
    for (const parent of parents)
      expect(await ids(served.client, parent)).toEqual([`${parent}/tables/same`]);
  });
});

describe('instances', () => {
  const instances = (method: string, request: object) =>
    served.client.call('instances', method, request);

  test('create, get, list, delete', async () => {
    const request = {
      parent: 'projects/p',
      instanceId: 'created',
      instance: { displayName: 'Created' },
    };
    const created = await instances('CreateInstance', {
      ...request,
      clusters: { 'cluster-1': { location: 'projects/p/locations/z', serveNodes: 3 } },
    });
    expect(created.messages[0]).toMatchObject({
      done: true,
      response: { type_url: 'type.googleapis.com/google.bigtable.admin.v2.Instance' },
    });
    const name = 'projects/p/instances/created';
    expect(await served.client.unary('instances', 'GetInstance', { name })).toMatchObject({
      name,
      displayName: 'Created',
      state: 'READY',
    });
    expect(
      (
        await served.client.unary('instances', 'ListInstances', { parent: 'projects/p' })
      ).instances.map((each: { name: string }) => each.name),
    ).toEqual([name, instance]);
    expect(
      await served.client.unary('instances', 'GetCluster', { name: `${name}/clusters/cluster-1` }),
    ).toMatchObject({ serveNodes: 3, defaultStorageType: 'SSD' });
    expect(
      await instances('CreateInstance', { parent: 'projects/p', instanceId: 'created' }),
    ).toMatchObject({ code: status.ALREADY_EXISTS });
    expect(
      await instances('CreateInstance', { parent: 'projects/p', instanceId: 'X' }),
    ).toMatchObject(invalid);
    expect(await instances('DeleteInstance', { name })).toMatchObject({ code: status.OK });
    expect(await instances('GetInstance', { name })).toMatchObject({ code: status.NOT_FOUND });
  });

  test('an instance with tables exists', async () => {
    expect(await served.client.unary('instances', 'GetInstance', { name: instance })).toMatchObject(
      { name: instance, state: 'READY' },
    );
    expect(await instances('GetInstance', { name: 'projects/p/instances/nowhere' })).toMatchObject({
      code: status.NOT_FOUND,
    });
    expect(
      (await served.client.unary('instances', 'ListClusters', { parent: instance })).clusters,
    ).toHaveLength(1);
    expect(
      (await served.client.unary('instances', 'ListAppProfiles', { parent: instance })).appProfiles,
    ).toMatchObject([{ name: `${instance}/appProfiles/default` }]);
  });
});

describe('updates of stored resources', () => {
  const ask = (method: string, request: object) =>
    served.client.unary('instances', method, request);
  const call = (method: string, request: object) =>
    served.client.call('instances', method, request);

  test('an instance, as a whole and by mask; also one that exists only because of its tables', async () => {
    await ask('UpdateInstance', { name: instance, displayName: 'Whole' });
    expect(await ask('GetInstance', { name: instance })).toMatchObject({
      displayName: 'Whole',
      state: 'READY',
    });
    const operation = await ask('PartialUpdateInstance', {
      instance: { name: instance, displayName: 'not named', labels: { b: '2' } },
      updateMask: { paths: ['labels'] },
    });
    expect(operation).toMatchObject({
      done: true,
      metadata: { type_url: 'type.googleapis.com/google.bigtable.admin.v2.UpdateInstanceMetadata' },
    });
    expect(await ask('GetInstance', { name: instance })).toMatchObject({
      displayName: 'Whole',
      labels: { b: '2' },
    });
    expect(await call('PartialUpdateInstance', { instance: { name: instance } })).toMatchObject(
      invalid,
    );
    expect(
      await call('PartialUpdateInstance', {
        instance: { name: instance },
        updateMask: { paths: ['state'] },
      }),
    ).toMatchObject(invalid);
    expect(
      await call('UpdateInstance', { name: 'projects/p/instances/nowhere', displayName: 'x' }),
    ).toMatchObject({ code: status.NOT_FOUND });
  });

  test('a cluster', async () => {
    await ask('CreateInstance', {
      parent: 'projects/p',
      instanceId: 'created',
      instance: {},
      clusters: { 'cluster-1': { location: 'projects/p/locations/z', serveNodes: 3 } },
    });
    const name = 'projects/p/instances/created/clusters/cluster-1';
    await ask('UpdateCluster', { name, serveNodes: 5, location: 'projects/p/locations/z' });
    expect(await ask('GetCluster', { name })).toMatchObject({
      serveNodes: 5,
      location: 'projects/p/locations/z',
    });
    await ask('PartialUpdateCluster', {
      cluster: { name, serveNodes: 7 },
      updateMask: { paths: ['serve_nodes'] },
    });
    expect(await ask('GetCluster', { name })).toMatchObject({ serveNodes: 7 });
    expect(
      await call('PartialUpdateCluster', {
        cluster: { name, serveNodes: 7 },
        updateMask: { paths: ['location'] },
      }),
    ).toMatchObject(invalid);
    expect(await call('UpdateCluster', { name: `${name}2`, serveNodes: 1 })).toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  test('an app profile: its routing policies are a oneof', async () => {
    const name = `${instance}/appProfiles/batch`;
    await ask('CreateAppProfile', {
      parent: instance,
      appProfileId: 'batch',
      appProfile: { description: 'before', multiClusterRoutingUseAny: {} },
    });
    const appProfile = {
      name,
      description: 'after',
      singleClusterRouting: { clusterId: 'local' },
    };
    await ask('UpdateAppProfile', { appProfile, updateMask: { paths: ['description'] } });
    expect(await ask('GetAppProfile', { name })).toMatchObject({
      description: 'after',
      multiClusterRoutingUseAny: {},
    });
    await ask('UpdateAppProfile', {
      appProfile,
      updateMask: { paths: ['single_cluster_routing'] },
    });
    const after = await ask('GetAppProfile', { name });
    expect(after).toMatchObject({ singleClusterRouting: { clusterId: 'local' } });
    expect(after.multiClusterRoutingUseAny).toBeUndefined();
    expect(
      await call('UpdateAppProfile', {
        appProfile: { name: `${instance}/appProfiles/none` },
        updateMask: { paths: ['description'] },
      }),
    ).toMatchObject({ code: status.NOT_FOUND });
    expect(
      await call('UpdateAppProfile', { appProfile, updateMask: { paths: ['name'] } }),
    ).toMatchObject(invalid);
  });
});
