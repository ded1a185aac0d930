/** Tables, single rows, their cells and keys, and rows that no entity decodes. */
import type { CellsLine, CellView, RowName } from '../../../src/tools/studio/protocol/row.js';
import { Blob, Order } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { base64, ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
const foreign = Buffer.from('\x00other');
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  const { db } = client.studio;
  await seedStudio(db);
  const setCell = (qualifier: string, value: string) =>
    ({
      kind: 'setCell',
      family: 'm',
      qualifier: Buffer.from(qualifier),
      timestamp: 1_000,
      value: Buffer.from(value),
    }) as const;
  // Between the keys of orders, and one that ends like a key.
  const inside = Buffer.concat([orderKey(13).subarray(0, -1), Buffer.from('x')]);
  await db.engine.mutateRow('shop', { key: foreign, mutations: [setCell('a', 'b')] });
  await db.engine.mutateRow('shop', { key: inside, mutations: [setCell('status', 'lost')] });
  // Too short for a number.
  await db.engine.mutateRow('shop', { key: orderKey(20), mutations: [setCell('total', 'x')] });
});
afterAll(() => client.close());

function orderKey(hour: number, n = 1): Buffer {
  const { model } = client.studio.db.repository(Order);
  return Buffer.from(model.key.encode({ shop: 'oslo', at: at(hour), n }));
}

const named = (key: Uint8Array): RowName => ({ table: 'shop', key: base64(key) });

test('tables with their entities, and what they hold', async () => {
  const lines = await client.lines('tables', {});
  expect(lines.at(-1)).toEqual({ type: 'end' });
  const tables = ofType(lines, 'table').map(({ table }) => table);
  const shop = tables.find(({ name }) => name === 'shop')!;
  expect(shop.stored).toBe(true);
  expect(shop.entities).toEqual([
    { name: 'Order', rows: { rows: expect.any(Number), estimated: false } },
  ]);
  expect(shop.bytes).toBeGreaterThan(0);
  expect(shop.families).toContainEqual({ name: 'm', gc: 'maxversions=5' });
  const kinds = Object.fromEntries(tables.map(({ name, derived }) => [name, derived]));
  expect(Object.values(kinds)).toEqual(expect.arrayContaining(['index', 'rollup', undefined]));
});

test('the schema has what forms are made of', async () => {
  const { entities, collections } = await client.call('schema', {});
  const order = entities.find(({ name }) => name === 'Order')!;
  expect(order.key.segments).toEqual([
    expect.objectContaining({
      name: 'shop',
      kind: 'string',
      order: 'asc',
      bounds: ['between', 'since', 'until', 'startsWith'],
      rules: expect.objectContaining({ minLength: 1 }),
    }),
    expect.objectContaining({ name: 'at', kind: 'timestamp', order: 'desc' }),
    expect.objectContaining({ name: 'n', kind: 'uint' }),
  ]);
  const columns = Object.fromEntries(order.columns.map((column) => [column.name, column]));
  expect(columns.parcel).toMatchObject({
    role: 'packed',
    kind: 'message',
    message: 'studio.Parcel',
  });
  expect(columns.tags).toMatchObject({ role: 'columnMap', entryKind: 'string', comparable: false });
  expect(columns.price).toMatchObject({ role: 'versions', kind: 'double' });
  expect(columns.views).toMatchObject({ role: 'counter', editable: false });
  expect(columns.status).toMatchObject({ editable: true, comparable: true });
  expect(order.messages.map(({ name }) => name)).toEqual(['studio.Parcel', 'studio.Point']);
  expect(order.indexes[0].key.segments[0].name).toBe('status');
  expect(order.rollups).toMatchObject([{ name: 'daily', seconds: 86_400, values: ['n count'] }]);
  expect(order.patterns[0]).toMatchObject({ name: 'newest', purpose: 'the first page' });
  const reading = entities.find(({ name }) => name === 'Reading')!;
  expect(reading.copies).toEqual([{ property: 'place', of: 'Device.place' }]);
  expect(reading.columns.find(({ name }) => name === 'place')!.editable).toBe(false);
  expect(collections).toMatchObject([
    {
      table: 'fleet',
      members: ['Device', 'Reading'],
      shared: [{ name: 'tenant' }, { name: 'device' }],
    },
  ]);
});

test('a row by its key: bytes by segment, values, sizes', async () => {
  const key = orderKey(10);
  const row = await client.call('row', named(key));
  expect(row).toMatchObject({ exists: true, entity: 'Order', cuts: [] });
  expect(row.values).toMatchObject({ shop: 'oslo', n: 1, total: '9007199254740993', views: null });
  expect(row.families.map(({ name }) => name)).toEqual(expect.arrayContaining(['h', 'm', 't']));
  const { parts } = row.key;
  expect(parts.map(({ kind, name }) => name ?? kind)).toEqual(['literal', 'shop', 'at', 'n']);
  // Without gaps, from the first byte to the last.
  expect(parts.map(({ start }) => start)).toEqual([0, ...parts.slice(0, -1).map(({ end }) => end)]);
  expect(parts.at(-1)!.end).toBe(key.length);
  expect(key.subarray(parts[1].start, parts[1].end).toString()).toMatch(/^oslo/);
  expect(parts[2].value).toBe(at(10).toISOString());
  expect(row.key.cbt).toMatch(/^cbt lookup shop /);
});

test('a key of bytes', async () => {
  const { model } = client.studio.db.repository(Blob);
  const key = model.key.encode({ hash: Uint8Array.of(0, 255, 1), part: 10n ** 20n });
  const row = await client.call('row', { table: 'blobs', key: base64(key) });
  expect(row.values).toMatchObject({ hash: 'AP8B', part: '100000000000000000000' });
  expect(row.key.parts.map(({ name }) => name)).toEqual(['hash', 'part']);
});

test('a row that is gone', async () => {
  expect(await client.call('row', named(orderKey(3)))).toMatchObject({
    exists: false,
    entity: 'Order',
    cells: 0,
  });
});

describe('cells', () => {
  test('in the order of storage, decoded by their properties', async () => {
    const lines = await client.lines('cells', named(orderKey(10)));
    const cells = ofType(lines, 'cells').flatMap((line) => line.cells);
    expect(lines.at(-1)).toEqual({ type: 'end', more: false });
    const total = cells.find(({ property }) => property === 'total')!;
    expect(total).toMatchObject({ family: 'm', size: 8, decoded: '9007199254740993' });
    expect(
      cells.filter(({ property }) => property === 'price').map(({ at: time }) => time),
    ).toEqual(['2026-11-20T02:00:00.000Z', '2026-11-20T01:00:00.000Z']);
    expect(cells.find(({ entry }) => entry === 'size')).toMatchObject({
      property: 'tags',
      decoded: 'large',
    });
  });

  test('in pages', async () => {
    const all = ofType(await client.lines('cells', named(orderKey(10))), 'cells').flatMap(
      (line) => line.cells,
    );
    const paged: CellView[] = [];
    for (let more = true; more;) {
      const lines: readonly CellsLine[] = await client.lines('cells', {
        ...named(orderKey(10)),
        skip: paged.length,
        limit: 3,
      });
      paged.push(...ofType(lines, 'cells').flatMap((line) => line.cells));
      more = ofType(lines, 'end')[0].more;
    }
    expect(paged).toEqual(all);
  });

  test('of one column, with all versions', async () => {
    const { db } = client.studio;
    const key = { shop: 'oslo', at: at(11), n: 1 };
    await db.repository(Order).patch(key, { status: 'sent' });
    const lines = await client.lines('cells', {
      ...named(orderKey(11)),
      family: 'm',
      qualifier: base64('status'),
    });
    const cells = ofType(lines, 'cells').flatMap((line) => line.cells);
    expect(cells.map(({ decoded }) => decoded)).toEqual(['sent', 'paid']);
    const { micros, qualifier } = cells[1];
    const cell = { ...named(orderKey(11)), family: 'm', qualifier, micros };
    expect(await client.call('cellValue', { ...cell, offset: 1, length: 2 })).toEqual({
      size: 4,
      offset: 1,
      bytes: base64('ai'),
    });
    expect(await client.failure('cellValue', { ...cell, micros: '7000' })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  });
});

describe('rows that no entity decodes', () => {
  test('a query tells of those that it met, with the reason', async () => {
    const query = {
      source: { kind: 'entity', entity: 'Order' },
      fixed: [{ segment: 'shop', values: ['oslo'] }],
    } as const;
    const lines = await client.lines('rows', { query });
    const leftOut = ofType(lines, 'rows').flatMap((line) => line.leftOut);
    expect(leftOut.map(({ code }) => code).sort()).toEqual(['DAMAGED_CELL', 'FOREIGN_KEY']);
    expect(leftOut.find(({ code }) => code === 'DAMAGED_CELL')).toMatchObject({
      table: 'shop',
      key: base64(orderKey(20)),
      property: 'total',
    });
    expect(ofType(lines, 'rows').flatMap((line) => line.rows)).toHaveLength(4);
  });

  test('the row itself says why', async () => {
    expect(await client.call('row', named(foreign))).toMatchObject({
      exists: true,
      cells: 1,
      key: {
        printable: '\\x00other',
        cbt: "cbt lookup shop $'\\x00other'",
        parts: [{ kind: 'unknown', start: 0, end: 6 }],
      },
      undecoded: { code: 'FOREIGN_KEY', reason: expect.stringContaining('Order: ') },
    });
    const damaged = await client.call('row', named(orderKey(20)));
    expect(damaged).toMatchObject({ exists: true, undecoded: { code: 'DAMAGED_CELL' } });
    const [cells] = ofType(await client.lines('cells', named(orderKey(20))), 'cells');
    expect(cells.cells[0]).toMatchObject({ property: 'total', problem: expect.any(String) });
  });

  test('the rows of a table are all there', async () => {
    const lines = await client.lines('tableRows', { table: 'shop' });
    const rows = ofType(lines, 'rows').flatMap((line) => line.rows);
    expect(rows[0]).toMatchObject({ printable: '\\x00other', columns: 1 });
    expect(rows[0].entity).toBeUndefined();
    expect(rows[0].reasons!.map(({ entity }) => entity)).toContain('Order');
    expect(rows.filter(({ entity }) => entity === 'Order').length).toBeGreaterThanOrEqual(6);
  });

  test('more than a page of the engine', async () => {
    const blobs = client.studio.db.repository(Blob);
    const hash = (n: number): Uint8Array => Uint8Array.of(7, n);
    await blobs.saveMany(
      Array.from({ length: 70 }, (_, n) =>
        blobs.create({ hash: hash(n), part: 1n, content: hash(n) }),
      ),
    );
    const lines = await client.lines('tableRows', { table: 'blobs' });
    expect(ofType(lines, 'end')[0].read).toBe(71);
    expect(ofType(lines, 'rows').flatMap((line) => line.rows)).toHaveLength(71);
  });

  test('alone, by prefix, reversed and in pages', async () => {
    const keysOf = async (options: object) => {
      const lines = await client.lines('tableRows', { table: 'shop', ...options });
      const [{ next }] = ofType(lines, 'end');
      return {
        next,
        keys: ofType(lines, 'rows').flatMap((line) => line.rows.map(({ printable }) => printable)),
      };
    };
    const all = await keysOf({});
    expect((await keysOf({ undecodable: true })).keys).toHaveLength(2);
    expect((await keysOf({ prefix: base64('order') })).keys).toEqual(all.keys.slice(1));
    expect((await keysOf({ reverse: true })).keys).toEqual([...all.keys].reverse());
    const first = await keysOf({ size: 2 });
    const second = await keysOf({ size: 2, after: first.next });
    expect([...first.keys, ...second.keys]).toEqual(all.keys.slice(0, 4));
  });
});

test('tables of the library are shown as they are stored', async () => {
  const lines = await client.lines('tables', {});
  const index = ofType(lines, 'table').find(({ table }) => table.derived === 'index')!.table.name;
  const rows = ofType(await client.lines('tableRows', { table: index }), 'rows').flatMap(
    (line) => line.rows,
  );
  expect(rows.length).toBeGreaterThan(0);
  const row = await client.call('row', { table: index, key: rows[0].key });
  expect(row).toMatchObject({ exists: true });
});
