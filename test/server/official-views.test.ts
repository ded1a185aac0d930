/** Authorized views with Google's own Node client, as its system tests use them. */
import type { Bigtable as BigtableClass, Instance, Table } from '@google-cloud/bigtable';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';

// Loaded by require: the client is CommonJS, and declares exports that it does not have.
const { Bigtable } = require('@google-cloud/bigtable') as { Bigtable: typeof BigtableClass };

const tableName = 'projects/p/instances/instance-1/tables/t';
const viewName = `${tableName}/authorizedViews/v`;
const denied =
  `Cannot mutate from ${viewName} ` +
  'because the mutation contains cells outside the Authorized View.';

let engine: Engine;
let server: BigtableServer;
let client: BigtableClass;
let instance: Instance;
let table: Table;
let view: ReturnType<Instance['view']>;

beforeAll(async () => {
  engine = await openMemoryEngine();
  server = await startServer(engine);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  // The client's authentication would look for Google's metadata server.
  process.env.METADATA_SERVER_DETECTION = 'none';
  client = new Bigtable({ projectId: 'p', metricsEnabled: false });
  instance = client.instance('instance-1');
  [table] = await instance.createTable('t', { families: ['f'] });
  const admin = client.api.BigtableTableAdminClient as unknown as {
    createAuthorizedView(request: object): Promise<[{ promise(): Promise<object[]> }]>;
  };
  const [operation] = await admin.createAuthorizedView({
    parent: tableName,
    authorizedViewId: 'v',
    authorizedView: {
      subsetView: {
        rowPrefixes: [Buffer.from('seen')],
        familySubsets: { f: { qualifiers: [Buffer.from('shown')] } },
      },
    },
  });
  expect((await operation.promise())[0]).toMatchObject({ name: viewName });
  view = instance.view('t', 'v');
});
afterAll(async () => {
  delete process.env.BIGTABLE_EMULATOR_HOST;
  delete process.env.METADATA_SERVER_DETECTION;
  await client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
});

const cell = (value: unknown) => ({ value, timestamp: '77000' });
beforeEach(async () => {
  await table.truncate();
  await table.insert([
    { key: 'seen-1', data: { f: { shown: cell('a'), hidden: cell('b') } } },
    { key: 'unseen', data: { f: { shown: cell('c') } } },
  ]);
});

/** `key qualifier=value` of the newest cells that the view, or the table, returns. */
async function read(from: Pick<Table, 'getRows'> = view): Promise<string[]> {
  const [rows] = await from.getRows();
  return rows.flatMap(({ id, data }: { id: string; data: any }) =>
    Object.entries<any>(data.f).map(
      ([qualifier, [newest]]) => `${id} ${qualifier}=${newest.value}`,
    ),
  );
}

describe('reads', () => {
  test('getRows returns the rows and columns of the view', async () => {
    expect(await read()).toEqual(['seen-1 shown=a']);
    expect(await read(table)).toEqual(['seen-1 hidden=b', 'seen-1 shown=a', 'unseen shown=c']);
  });

  test('createReadStream as well', async () => {
    const ids: string[] = [];
    for await (const { id } of view.createReadStream() as AsyncIterable<{ id: string }>)
      ids.push(id);
    expect(ids).toEqual(['seen-1']);
  });

  test('a filter sees the cells of the view', async () => {
    const [rows] = await view.getRows({ filter: [{ column: 'hidden' }] });
    expect(rows).toEqual([]);
    expect((await view.getRows({ keys: ['unseen'] }))[0]).toEqual([]);
  });

  test('sampleRowKeys returns the end of the rows of the view', async () => {
    const [keys] = (await view.sampleRowKeys()) as unknown as [{ key: Buffer }[]];
    expect(keys.map(({ key }) => String(key))).toEqual(['seeo']);
    const streamed: string[] = [];
    for await (const { key } of view.sampleRowKeysStream() as AsyncIterable<{ key: Buffer }>)
      streamed.push(String(key));
    expect(streamed).toEqual(['seeo']);
  });
});

describe('writes', () => {
  const write = (key: string, qualifier: string) => ({
    key,
    data: { f: { [qualifier]: cell('new') } },
    method: 'insert',
  });

  test('a row outside of the view is refused', async () => {
    await expect(view.mutate(write('unseen', 'shown') as never)).rejects.toThrow(denied);
    expect(await read(table)).toContain('unseen shown=c');
  });

  test('a column outside of the view is refused', async () => {
    await expect(view.mutate(write('seen-1', 'hidden') as never)).rejects.toThrow(denied);
    expect(await read(table)).toContain('seen-1 hidden=b');
  });

  test('mutate and insert write cells of the view', async () => {
    await view.mutate(write('seen-1', 'shown'));
    await view.insert({ key: 'seen-2', data: { f: { shown: cell('x') } } });
    expect(await read()).toEqual(['seen-1 shown=new', 'seen-2 shown=x']);
  });

  test('one refused entry of several leaves the other entries', async () => {
    const entries = [write('seen-1', 'shown'), write('seen-1', 'hidden')];
    await expect(view.mutate(entries as never)).rejects.toThrow(denied);
    expect(await read()).toEqual(['seen-1 shown=new']);
  });

  test('a conditional write of a row outside of the view is refused', async () => {
    const condition = { rowId: 'unseen', filter: [{ column: 'shown' }] };
    const onMatch = [{ method: 'delete' }];
    await expect(view.filter(condition as never, { onMatch } as never)).rejects.toMatchObject({
      details: denied,
      code: 7,
    });
  });

  test('a conditional write changes cells of the view', async () => {
    const condition = { rowId: 'seen-1', filter: [{ column: 'shown' }] };
    const onMatch = [{ method: 'delete', data: ['f:shown'] }];
    await view.filter(condition, { onMatch } as never);
    expect(await read(table)).toEqual(['seen-1 hidden=b', 'unseen shown=c']);
  });

  test('createRules appends to a cell of the view, and to no other', async () => {
    const rule = (column: string) => ({ rowId: 'seen-1', rules: { column, append: '-more' } });
    await view.createRules(rule('f:shown'));
    expect(await read()).toEqual(['seen-1 shown=a-more']);
    await expect(view.createRules(rule('f:hidden') as never)).rejects.toMatchObject({ code: 7 });
  });

  test('increment adds to a cell of the view', async () => {
    await table.insert([{ key: 'seen-3', data: { f: { shown: cell(5) } } }]);
    await view.increment({ rowId: 'seen-3', column: 'f:shown' }, 2);
    expect(await read()).toContain('seen-3 shown=7');
  });
});
