/**
 * The admin APIs over a real connection: tables, families, garbage collection rules, tables of
 * several projects, instances. Identifiers such as L2 are those of docs/data-model.md.
 */
import { status } from '@grpc/grpc-js';
import { startServer } from '../../src/server/index.js';
import { decodePublished } from '../protocol/published.js';
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

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
});
afterEach(() => served.close());

const tables = (method: string, request: object) => served.client.call('tables', method, request);
const create = (tableId: string, table: object = {}, more: object = {}) =>
  tables('CreateTable', { parent: instance, tableId, table, ...more });
const modify = (...modifications: object[]) =>
  tables('ModifyColumnFamilies', { name: tableName, modifications });
const families = async (): Promise<string[]> =>
  Object.keys(
    (await served.client.unary('tables', 'GetTable', { name: tableName })).columnFamilies as object,
  ).sort();
const invalid = { code: status.INVALID_ARGUMENT };

describe('tables', () => {
  test('L2, L3: names, existing and missing tables', async () => {
    expect(await create('t')).toMatchObject({
      code: status.ALREADY_EXISTS,
      details: `Table already exists: ${tableName}`,
    });
    for (const id of ['', 'a b', '-a', 'x'.repeat(51), 'a/b', 'ä'])
      expect(await create(id)).toMatchObject(invalid);
    expect(await create('x'.repeat(50))).toMatchObject({ code: status.OK });
    expect(await create('u', { columnFamilies: { 'a b': {} } })).toMatchObject(invalid);
    const missing = { code: status.NOT_FOUND, details: `Table not found: ${tableName}x` };
    for (const method of ['GetTable', 'DeleteTable', 'GenerateConsistencyToken'])
      expect(await tables(method, { name: `${tableName}x` })).toMatchObject(missing);
    expect(await tables('CreateTable', { parent: 'projects/p', tableId: 'u' })).toMatchObject(
      invalid,
    );
  });

  test('a table is returned as it was created, in each view', async () => {
    const gcRule = {
      intersection: {
        rules: [
          { maxNumVersions: 2 },
          {
            union: {
              rules: [{ maxAge: { seconds: '90', nanos: 5_000_000 } }, { maxNumVersions: 7 }],
            },
          },
        ],
      },
    };
    await create(
      'full',
      { columnFamilies: { f: { gcRule } }, deletionProtection: true },
      { initialSplits: [{ key: utf8('m') }] },
    );
    const get = (view?: string) =>
      served.client.unary('tables', 'GetTable', {
        name: `${instance}/tables/full`,
        view,
      });
    expect(await get()).toEqual({
      name: `${instance}/tables/full`,
      granularity: 'MILLIS',
      deletionProtection: true,
      columnFamilies: { f: { gcRule } },
    });
    expect(await get('NAME_ONLY')).toEqual({ name: `${instance}/tables/full` });
    expect((await get('REPLICATION_VIEW')).clusterStates).toEqual({
      local: { replicationState: 'READY' },
    });
  });

  test('an empty split key is rejected, and no table is created', async () => {
    const initialSplits = [{ key: utf8('m') }, { key: utf8('') }];
    expect(await create('u', {}, { initialSplits })).toMatchObject({
      ...invalid,
      details: expect.stringContaining('Split keys must be non-empty'),
    });
    const get = { name: `${instance}/tables/u` };
    expect((await served.client.call('tables', 'GetTable', get)).code).toBe(status.NOT_FOUND);
  });

  test('features that are not offered are rejected, not ignored', async () => {
    expect(
      await create('u', { changeStreamConfig: { retentionPeriod: { seconds: 86_400 } } }),
    ).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(
      await create('u', { automatedBackupPolicy: { frequency: { seconds: 86_400 } } }),
    ).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await tables('GetTable', { name: `${instance}/tables/u` })).toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  test('L3: a protected table cannot be deleted until protection is removed', async () => {
    const update = (deletionProtection: boolean, paths = ['deletion_protection']) =>
      tables('UpdateTable', {
        table: { name: tableName, deletionProtection },
        updateMask: { paths },
      });
    const {
      messages: [operation],
    } = await update(true);
    expect(operation).toMatchObject({
      done: true,
      response: { type_url: 'type.googleapis.com/google.bigtable.admin.v2.Table' },
    });
    expect(
      decodePublished('google.bigtable.admin.v2.Table', operation.response.value),
    ).toMatchObject({ name: tableName, deletionProtection: true });
    expect(await tables('DeleteTable', { name: tableName })).toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    expect(await modify({ id: 'a', drop: true })).toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    expect(await update(false, [])).toMatchObject(invalid);
    expect(await update(false, ['granularity'])).toMatchObject(invalid);
    await update(false);
    expect(await tables('DeleteTable', { name: tableName })).toMatchObject({ code: status.OK });
  });

  test('lists are paginated', async () => {
    for (const id of ['b', 'c', 'd']) await create(id);
    const names: string[] = [];
    let pageToken = '';
    do {
      const page = await served.client.unary('tables', 'ListTables', {
        parent: instance,
        pageSize: 3,
        pageToken,
      });
      names.push(...(page.tables as { name: string }[]).map(({ name }) => name.split('/').at(-1)!));
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
    expect(names).toEqual(['b', 'c', 'd', 't']);
  });

  test('B9: DropRowRange', async () => {
    const rows = async () =>
      (await served.client.rows({ tableName })).map(({ key }) =>
        Buffer.from(key).toString('latin1'),
      );
    const put = (key: string) =>
      served.client.unary('data', 'MutateRow', {
        tableName,
        rowKey: Buffer.from(key, 'latin1'),
        mutations: [setCell('a', 'q', 'v')],
      });
    for (const key of ['x1', 'x2', 'y', '\xfe', '\xff\xff', '\xff\xff\x01']) await put(key);
    expect(await tables('DropRowRange', { name: tableName })).toMatchObject(invalid);
    expect(await tables('DropRowRange', { name: tableName, rowKeyPrefix: utf8('') })).toMatchObject(
      { ...invalid, details: expect.stringContaining('Prefix cannot be zero length') },
    );
    expect(
      await tables('DropRowRange', { name: tableName, deleteAllDataFromTable: false }),
    ).toMatchObject({ code: status.OK });
    expect(await rows()).toHaveLength(6);
    await tables('DropRowRange', { name: tableName, rowKeyPrefix: utf8('x') });
    await tables('DropRowRange', { name: tableName, rowKeyPrefix: Buffer.from([0xff, 0xff]) });
    expect(await rows()).toEqual(['y', '\xfe']);
  });

  test('L4: consistency tokens', async () => {
    const { consistencyToken } = await served.client.unary('tables', 'GenerateConsistencyToken', {
      name: tableName,
    });
    expect(
      await served.client.unary('tables', 'CheckConsistency', {
        name: tableName,
        consistencyToken,
      }),
    ).toEqual({ consistent: true });
    expect(
      await tables('CheckConsistency', { name: tableName, consistencyToken: 'bogus' }),
    ).toMatchObject(invalid);
  });
});

describe('families', () => {
  test('L3b: changes are applied together or not at all', async () => {
    expect(await modify({ id: 'new', create: {} }, { id: 'none', drop: true })).toMatchObject({
      code: status.NOT_FOUND,
    });
    expect(await families()).toEqual(['a', 'b', 'sum']);
    expect(
      await modify(
        { id: 'new', create: {} },
        { id: 'b', drop: true },
        { id: 'a', update: { gcRule: { maxNumVersions: 1 } } },
      ),
    ).toMatchObject({ code: status.OK });
    expect(await families()).toEqual(['a', 'new', 'sum']);
    expect(await modify({ id: 'new', create: {} })).toMatchObject({ code: status.ALREADY_EXISTS });
    expect(await modify()).toMatchObject(invalid);
    expect(await modify({ id: 'new' })).toMatchObject(invalid);
    expect(await modify({ id: 'new', drop: false })).toMatchObject(invalid);
  });

  test.each<[string, object]>([
    ['zero versions', { maxNumVersions: 0 }],
    ['a nanosecond', { maxAge: { nanos: 1 } }],
    ['a negative number of versions, nested', { union: { rules: [{ maxNumVersions: -1 }] } }],
    ['501 bytes', { union: { rules: Array.from({ length: 130 }, () => ({ maxNumVersions: 1 })) } }],
  ])('J5: a rule of %s is INVALID_ARGUMENT', async (_what, gcRule) => {
    expect(await modify({ id: 'f', create: { gcRule } })).toMatchObject(invalid);
    expect(await families()).toEqual(['a', 'b', 'sum']);
  });

  test('K7, K8: types', async () => {
    const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
    const family = (valueType: object) => modify({ id: 'f', create: { valueType } });
    expect(
      await family({ aggregateType: { inputType: int64, hllppUniqueCount: {} } }),
    ).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(
      await family({ aggregateType: { inputType: { stringType: {} }, sum: {} } }),
    ).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await family({ aggregateType: { inputType: int64 } })).toMatchObject(invalid);
    expect(await family({ int64Type: {} })).toMatchObject(invalid);
    expect(
      await modify({
        id: 'sum',
        update: { valueType: { aggregateType: { inputType: int64, max: {} } } },
        updateMask: { paths: ['value_type'] },
      }),
    ).toMatchObject(invalid);
    expect(await modify({ id: 'sum', update: { gcRule: { maxNumVersions: 1 } } })).toMatchObject({
      code: status.OK,
    });
    const { columnFamilies } = await served.client.unary('tables', 'GetTable', { name: tableName });
    expect(columnFamilies.sum).toEqual({
      gcRule: { maxNumVersions: 1 },
      valueType: { aggregateType: { inputType: int64, stateType: int64, sum: {} } },
    });
    expect(
      await modify({ id: 'sum', update: {}, updateMask: { paths: ['nonsense'] } }),
    ).toMatchObject(invalid);
  });
});

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
