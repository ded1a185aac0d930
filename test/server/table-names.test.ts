/**
 * Table names when clients of several instances and the owner of the engine create tables at the
 * same time. These bugs were found by test/differential.
 */
import { everyKey } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { collectRows, type Engine, type TableSchema } from '../../src/data/store/index.js';
import { RawClient, setCell, utf8 } from './raw-client.js';

const parent = 'projects/other/instances/i';
const tableName = `${parent}/tables/t`;
const families = new Map([['a', {}]]);
const nowSeconds = () => Math.floor(Date.now() / 1000);
let engine: Engine;
let server: Awaited<ReturnType<typeof startServer>>;
let client: RawClient;

beforeEach(async () => {
  engine = await openMemoryEngine();
  server = await startServer(engine);
  client = new RawClient(server.address);
});
afterEach(async () => {
  client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
});

test('a table that was rejected leaves no record of its name', async () => {
  expect(
    await client.call('tables', 'CreateTable', {
      parent,
      tableId: 't',
      table: { columnFamilies: { ':': {} } },
    }),
  ).toMatchObject({ code: 3 });
  // Created directly in the engine, so it is not a table of the other instance.
  await engine.createTable({ name: 't', families });
  await engine.mutateRow('t', {
    key: utf8('r'),
    mutations: [
      {
        kind: 'setCell',
        family: 'a',
        qualifier: utf8('q'),
        timestamp: 1000,
        value: utf8('secret'),
      },
    ],
  });
  expect(await client.call('data', 'ReadRows', { tableName })).toMatchObject({ code: 5 });
});

test('a name that is taken in the meantime is not assigned', async () => {
  let first = true;
  const racing = new Proxy(engine, {
    get: (target, name) => {
      const member = target[name as keyof Engine];
      if (name !== 'createTable')
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
      return async (schema: TableSchema) => {
        // Another caller is faster, once.
        if (schema.name === 't' && first) await engine.createTable({ name: 't', families });
        if (schema.name === 't') first = false;
        await engine.createTable(schema);
      };
    },
  });
  await using second = await startServer(racing);
  const other = new RawClient(second.address);
  expect(
    await other.call('tables', 'CreateTable', {
      parent,
      tableId: 't',
      table: { columnFamilies: { a: {} } },
    }),
  ).toMatchObject({ code: 0 });
  await other.unary('data', 'MutateRow', {
    tableName,
    rowKey: utf8('r'),
    mutations: [setCell('a', 'q', 'v')],
  });
  expect(
    (await engine.listTables()).map(({ name }) => name).filter((name) => name.startsWith('t')),
  ).toEqual(['t', 't.2']);
  expect(
    await collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false })),
  ).toEqual([]);
  expect(await other.rows({ tableName })).toHaveLength(1);
  other.close();
});

test('creating a table does not list all tables', async () => {
  let lists = 0;
  const counting = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'listTables') lists++;
      const member = target[name as keyof Engine];
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
  await using third = await startServer(counting, { instance: 'projects/p/instances/home' });
  const other = new RawClient(third.address);
  lists = 0;
  const tables = ['projects/p/instances/home', 'projects/p/instances/away'].flatMap((home) =>
    Array.from({ length: 50 }, (_, n) => ({ parent: home, tableId: `many${n}` })),
  );
  for (const { parent: home, tableId } of tables) {
    expect(
      await other.call('tables', 'CreateTable', {
        parent: home,
        tableId,
        table: { columnFamilies: { a: {} } },
      }),
    ).toMatchObject({ code: 0 });
    expect(
      await other.call('tables', 'CreateTable', {
        parent: home,
        tableId,
        table: { columnFamilies: { a: {} } },
      }),
    ).toMatchObject({ code: 6 });
  }
  expect(lists).toBe(0);
  other.close();
});

test('an instance that becomes the home one keeps its tables, each listed once', async () => {
  // Its table t is t.2 in the engine. Both t and t.2 were listed as its table t.
  const create = (instance: string, family: string) =>
    client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId: 't',
      table: { columnFamilies: { [family]: {} } },
    });
  await create('projects/rowsmith/instances/local', 'first');
  await create(parent, 'second');
  await using next = await startServer(engine, { instance: parent });
  const other = new RawClient(next.address);
  const { tables } = await other.unary('tables', 'ListTables', { parent, view: 'SCHEMA_VIEW' });
  expect(tables).toEqual([await other.unary('tables', 'GetTable', { name: tableName })]);
  expect(Object.keys(tables[0].columnFamilies)).toEqual(['second']);
  other.close();
});

test.each(['_rowsmith.server', '_rowsmith.tokens'])('clients may call a table %s', async (id) => {
  const mutation = setCell('a', 'q', 'v');
  for (const owner of [parent, 'projects/rowsmith/instances/local']) {
    const name = `${owner}/tables/${id}`;
    // A write with a token, for which the engine creates its own table.
    const table = { columnFamilies: { a: {} } };
    await client.unary('tables', 'CreateTable', { parent: owner, tableId: 'u', table });
    await client.unary('data', 'MutateRow', {
      tableName: `${owner}/tables/u`,
      rowKey: utf8('r'),
      mutations: [mutation],
      idempotency: { token: utf8('token-of-16-bytes'), startTime: { seconds: nowSeconds() } },
    });
    expect(await client.call('data', 'ReadRows', { tableName: name })).toMatchObject({ code: 5 });
    await client.unary('tables', 'CreateTable', { parent: owner, tableId: id, table });
    await client.unary('data', 'MutateRow', {
      tableName: name,
      rowKey: utf8(owner),
      mutations: [mutation],
    });
    expect((await client.rows({ tableName: name })).map(({ key }) => key)).toEqual([
      new Uint8Array(utf8(owner)),
    ]);
    const { tables } = await client.unary('tables', 'ListTables', { parent: owner });
    expect(tables.map((each: { name: string }) => each.name)).toEqual([name, `${owner}/tables/u`]);
    await client.unary('tables', 'DeleteTable', { name });
    expect(await client.call('tables', 'GetTable', { name })).toMatchObject({ code: 5 });
  }
});
