/**
 * The admin APIs over a real connection: tables, families, garbage collection rules, tables of
 * several projects, instances. docs/data-model.md defines identifiers such as L2.
 */
import { status } from '@grpc/grpc-js';
import { decodePublished } from '../engines/protocol/published.js';
import {
  instance,
  createTestTable,
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
const create = (tableId: string, table: object = {}, more: object = {}) =>
  tables('CreateTable', { parent: instance, tableId, table, ...more });

const modify = (...modifications: object[]) =>
  tables('ModifyColumnFamilies', { name: tableName, modifications });

const families = async (): Promise<string[]> =>
  Object.keys(
    (await served.client.unary('tables', 'GetTable', { name: tableName })).columnFamilies as object,
  ).sort();

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
