/** Google's own Node client, as applications use it, unchanged, against our server. */
import type { Bigtable as BigtableClass, Instance, Table } from '@google-cloud/bigtable';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';

// Loaded by require: the client is CommonJS, and declares exports that it does not have.

const { Bigtable } = require('@google-cloud/bigtable') as { Bigtable: typeof BigtableClass };

let engine: Engine;
let server: BigtableServer;
let client: BigtableClass;
let instance: Instance;
let table: Table;

beforeAll(async () => {
  engine = await openMemoryEngine();
  server = await startServer(engine);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  // The client's authentication would look for Google's metadata server.
  process.env.METADATA_SERVER_DETECTION = 'none';
  client = new Bigtable({ projectId: 'p', metricsEnabled: false });
  instance = client.instance('instance-1');
  [table] = await instance.createTable('t', {
    families: ['a', { name: 'b', rule: { versions: 2, age: { seconds: 3600 }, union: true } }],
    splits: [Buffer.from('m')],
  } as never);
});
afterAll(async () => {
  delete process.env.BIGTABLE_EMULATOR_HOST;
  delete process.env.METADATA_SERVER_DETECTION;
  await client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
});
beforeEach(() => table.truncate());

const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
/** Family -> qualifier -> newest value. */
const values = (row: {
  readonly data: Record<string, Record<string, { readonly value: unknown }[]>>;
}) =>
  Object.fromEntries(
    Object.entries(row.data).map(([family, columns]) => [
      family,
      Object.fromEntries(
        Object.entries(columns).map(([qualifier, cells]) => [qualifier, cells[0].value]),
      ),
    ]),
  );

describe('administration', () => {
  test('tables: create, list, metadata, families, delete', async () => {
    const [created] = await instance.createTable('other', { families: ['x'] });
    expect((await instance.getTables())[0].map(({ name }) => name)).toEqual([
      'projects/p/instances/instance-1/tables/other',
      'projects/p/instances/instance-1/tables/t',
    ]);
    expect(await created.exists()).toEqual([true]);
    await created.createFamily('y', { rule: { versions: 3 } });
    const [families] = await created.getFamilies();
    expect(
      families.map(({ id, metadata }) => [
        id,
        (metadata as { gcRule?: { maxNumVersions?: number } }).gcRule?.maxNumVersions,
      ]),
    ).toEqual([
      ['x', undefined],
      ['y', 3],
    ]);
    await created.family('x').delete();
    expect((await created.getFamilies())[0].map(({ id }) => id)).toEqual(['y']);
    await created.delete();
    expect(await created.exists()).toEqual([false]);
    await expect(instance.createTable('t')).rejects.toMatchObject({ code: 6 });
    await expect(created.getRows()).rejects.toMatchObject({ code: 5 });
  });

  test('a GC rule is returned as it was set', async () => {
    const [metadata] = await table.family('b').getMetadata();
    expect(metadata).toMatchObject({
      gcRule: { union: { rules: [{ maxAge: { seconds: '3600' } }, { maxNumVersions: 2 }] } },
    });
  });

  test('consistency tokens', async () => {
    const [token] = await table.generateConsistencyToken();
    expect(await table.checkConsistency(token)).toEqual([true]);
    await expect(table.checkConsistency('bogus')).rejects.toMatchObject({ code: 3 });
  });

  test('instances, clusters and app profiles', async () => {
    const [created, operation] = await client.instance('instance-2').create({
      clusters: [{ id: 'cluster-1', location: 'us-central1-b', nodes: 1 }],
      displayName: 'Second',
      labels: { env: 'test' },
    });
    await operation.promise();
    expect((await created.getMetadata())[0]).toMatchObject({
      displayName: 'Second',
      state: 'READY',
      labels: { env: 'test' },
    });
    expect((await created.getClusters())[0].map(({ id }) => id)).toEqual(['cluster-1']);
    expect((await client.getInstances())[0].map(({ id }) => id)).toContain('instance-2');
    await created.appProfile('mine').create({ routing: 'any', description: 'My own' } as never);
    expect((await created.getAppProfiles())[0].map(({ id }) => id).sort()).toEqual([
      'default',
      'mine',
    ]);
    await created.delete();
    expect(await created.exists()).toEqual([false]);
  });
});

describe('rows', () => {
  const insert = (...keys: string[]) =>
    table.insert(
      keys.map((key) => ({ key, data: { a: { name: `name of ${key}`, n: 1 }, b: { flag: 'x' } } })),
    );

  test('insert and read', async () => {
    await insert('r2', 'r1', 'r3');
    const [rows] = await table.getRows();
    expect(ids(rows)).toEqual(['r1', 'r2', 'r3']);
    expect(values(rows[0] as never)).toEqual({ a: { n: 1, name: 'name of r1' }, b: { flag: 'x' } });
    const [row] = await table.row('r2').get();
    expect(values(row as never)).toEqual({ a: { n: 1, name: 'name of r2' }, b: { flag: 'x' } });
    await expect(table.row('none').get()).rejects.toMatchObject({ code: 404 });
    expect(await table.row('none').exists()).toEqual([false]);
  });

  test('keys, ranges, prefixes, limits', async () => {
    await insert('a1', 'a2', 'b1', 'b2', 'c1');
    expect(ids((await table.getRows({ keys: ['b1', 'a2', 'zz'] }))[0])).toEqual(['a2', 'b1']);
    expect(ids((await table.getRows({ prefix: 'b' }))[0])).toEqual(['b1', 'b2']);
    expect(ids((await table.getRows({ start: 'a2', end: 'b2' }))[0])).toEqual(['a2', 'b1', 'b2']);
    expect(
      ids(
        (
          await table.getRows({
            ranges: [
              { start: { value: 'a1', inclusive: false }, end: { value: 'b1', inclusive: false } },
            ],
          })
        )[0],
      ),
    ).toEqual(['a2']);
    expect(ids((await table.getRows({ limit: 2 }))[0])).toEqual(['a1', 'a2']);
  });

  test('filters', async () => {
    await insert('r1', 'r2');
    await table.mutate({
      key: 'r1',
      method: 'insert',
      data: { a: { name: { value: 'newer', timestamp: new Date(Date.now() + 5000) } } },
    });
    const read = async (filter: unknown) =>
      (await table.getRows({ filter: filter as never }))[0].map((row) => [
        row.id,
        values(row as never),
      ]);
    expect(await read([{ family: 'b' }])).toEqual([
      ['r1', { b: { flag: 'x' } }],
      ['r2', { b: { flag: 'x' } }],
    ]);
    expect(await read([{ column: { name: 'name', cellLimit: 1 } }])).toEqual([
      ['r1', { a: { name: 'newer' } }],
      ['r2', { a: { name: 'name of r2' } }],
    ]);
    expect(await read([{ value: /new.*/ }])).toEqual([['r1', { a: { name: 'newer' } }]]);
    expect(
      await read([
        { row: /r[2-9]/ },
        {
          column: {
            start: { value: 'f', inclusive: true },
            end: { value: 'g', inclusive: true },
            family: 'b',
          },
        },
      ]),
    ).toEqual([['r2', { b: { flag: 'x' } }]]);
    expect(
      await read([{ row: 'r1' }, { interleave: [[{ family: 'b' }], [{ column: 'n' }]] }]),
    ).toEqual([['r1', { a: { n: 1 }, b: { flag: 'x' } }]]);
    expect(
      await read({
        condition: { test: [{ value: 'newer' }], pass: [{ family: 'b' }], fail: [{ column: 'n' }] },
      }),
    ).toEqual([
      ['r1', { b: { flag: 'x' } }],
      ['r2', { a: { n: 1 } }],
    ]);
    expect(await read([{ row: { cellLimit: 1 } }])).toEqual([
      ['r1', { a: { n: 1 } }],
      ['r2', { a: { n: 1 } }],
    ]);
    expect(await read([{ row: 'r1' }, { all: true }, { value: { strip: true } }])).toEqual([
      ['r1', { a: { n: '', name: '' }, b: { flag: '' } }],
    ]);
    const [labelled] = (
      await table.getRows({
        filter: [{ row: 'r1' }, { column: 'flag' }, { label: 'mark' }] as never,
      })
    )[0];
    expect(
      (labelled.data as Record<string, Record<string, { labels: string[] }[]>>).b.flag[0].labels,
    ).toEqual(['mark']);
    await expect(read([{ family: 'nosuch' }])).rejects.toMatchObject({ code: 5 });
    await expect(read([{ value: /(?=x)/ }])).rejects.toMatchObject({ code: 3 });
  });

  test('single rows: save, increment, rules, filter, delete', async () => {
    const row = table.row('r');
    await row.save({ a: { name: 'one', gone: 'soon' } });
    expect((await row.increment('a:count', 3))[0]).toBe(3);
    expect((await row.increment('a:count', -5))[0]).toBe(-2);
    await row.createRules([{ column: 'a:name', append: ' more' }]);
    await row.deleteCells(['a:gone']);
    const [after] = await row.get();
    expect(values(after as never)).toEqual({ a: { count: -2, name: 'one more' } });
    expect(
      (
        await row.filter(
          [{ column: 'name' }, { value: 'one more' }] as never,
          { onMatch: [{ method: 'insert', data: { b: { seen: 'yes' } } }] } as never,
        )
      )[0],
    ).toBe(true);
    expect(
      (
        await row.filter(
          [{ value: 'nothing' }] as never,
          { onNoMatch: [{ method: 'delete', data: ['a:count'] }] } as never,
        )
      )[0],
    ).toBe(false);
    expect(values((await row.get())[0] as never)).toEqual({
      a: { name: 'one more' },
      b: { seen: 'yes' },
    });
    await row.delete();
    expect(await row.exists()).toEqual([false]);
  });

  test('mutate reports the entries that fail', async () => {
    const entry = (key: string, family: string) => ({
      key,
      method: 'insert',
      data: { [family]: { q: 'v' } },
    });
    await expect(
      table.mutate([entry('m1', 'a'), entry('m2', 'zz'), entry('m3', 'a')]),
    ).rejects.toMatchObject({
      errors: [expect.objectContaining({ code: 5, entry: expect.anything() })],
    });
    expect(ids((await table.getRows())[0])).toEqual(['m1', 'm3']);
  });

  test('deleteRows by prefix, sampling', async () => {
    await insert('x1', 'x2', 'y1');
    await table.deleteRows('x');
    expect(ids((await table.getRows())[0])).toEqual(['y1']);
    const [samples] = await table.sampleRowKeys();
    expect(samples.length).toBeGreaterThan(0);
  });

  test('a thousand rows, and a value of several megabytes', async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => ({
      key: `row-${String(i).padStart(5, '0')}`,
      data: { a: { q: `value ${i}` } },
    }));
    await table.insert(rows);
    let seen = 0;
    const wrong: string[] = [];
    for await (const row of table.createReadStream() as AsyncIterable<{
      id: string;
      data: { a: { q: { value: string }[] } };
    }>) {
      if (row.data.a.q[0].value !== `value ${Number(row.id.slice(4))}`) wrong.push(row.id);
      seen++;
    }
    expect(seen).toBe(1_200);
    expect(wrong).toEqual([]);
    const large = Buffer.alloc(5_000_000, 'large');
    await table.insert([{ key: 'large', data: { a: { q: { value: large } } } }] as never);
    const [row] = await table.row('large').get([], { decode: false } as never);
    expect((row.data as { a: { q: { value: Buffer }[] } }).a.q[0].value.equals(large)).toBe(true);
  });

  test('a stream that is ended early ends', async () => {
    await insert('r1', 'r2', 'r3');
    const stream = table.createReadStream();
    const first = await new Promise<{ id: string }>((resolve) => stream.once('data', resolve));
    stream.end();
    expect(first.id).toBe('r1');
    expect(ids((await table.getRows({ limit: 1 }))[0])).toEqual(['r1']);
  });
});
