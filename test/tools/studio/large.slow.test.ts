/** Values and rows that are huge: shown in part, with their sizes, and read on demand. */
import { Blob, Order, Parcel } from './entities.js';
import { at } from './seed-studio.js';
import { base64, ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
});
afterAll(() => client.close());

const oslo = {
  source: { kind: 'entity', entity: 'Order' },
  fixed: [{ segment: 'shop', values: ['oslo'] }],
} as const;

function orderName(n: number) {
  const { model } = client.studio.db.repository(Order);
  return { table: 'shop', key: base64(model.key.encode({ shop: 'oslo', at: at(1), n })) };
}

const mega = 1 << 20;

test('a value of 50 MB', async () => {
  const orders = client.studio.db.repository(Order);
  const photo = new Uint8Array(50 * mega).fill(7);
  photo[49 * mega] = 9;
  await orders.save(orders.create({ shop: 'oslo', at: at(1), n: 1, status: 'open', photo }));
  const { body } = await client.post('rows', { query: oslo });
  expect(body.length).toBeLessThan(20_000);
  const [{ rows }] = ofType(await client.lines('rows', { query: oslo }), 'rows');
  expect(rows[0].cuts).toEqual([
    { path: ['photo'], kind: 'bytes', size: photo.length, shown: 1_024 },
  ]);
  const detail = await client.call('row', orderName(1));
  expect(detail).toMatchObject({
    exists: true,
    cuts: [{ path: ['photo'], size: photo.length, shown: 65_536 }],
  });
  expect(detail.bytes).toBeGreaterThan(photo.length);
  const part = await client.call('part', {
    ...orderName(1),
    path: ['photo'],
    offset: 49 * mega,
    length: 2,
  });
  expect(part).toEqual({
    kind: 'bytes',
    size: photo.length,
    offset: 49 * mega,
    shown: 2,
    value: base64(Uint8Array.of(9, 7)),
  });
  const [{ cells }] = ofType(await client.lines('cells', orderName(1)), 'cells');
  const cell = cells.find(({ property }) => property === 'photo')!;
  expect(cell).toMatchObject({ size: photo.length, cuts: [{ kind: 'bytes' }] });
  const { family, qualifier, micros } = cell;
  const named = { ...orderName(1), family, qualifier, micros };
  const bytes = await client.call('cellValue', { ...named, offset: 49 * mega, length: 1 });
  expect(bytes).toEqual({ size: photo.length, offset: 49 * mega, bytes: 'CQ==' });
  const { href } = await client.call('downloadCell', named);
  const file = await client.send(href);
  expect(file.headers['content-length']).toBe(String(photo.length));
  expect(file.body.length).toBe(photo.length);
  const { status, body: failure } = await client.send('/api/update', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ set: { status: 'x'.repeat(40 * mega) } }),
  });
  expect(status).toBe(413);
  expect(JSON.parse(failure)).toMatchObject({ code: 'TOO_LARGE' });
});

test('a row of 100,000 cells', async () => {
  const orders = client.studio.db.repository(Order);
  const key = { shop: 'oslo', at: at(1), n: 2 };
  // A request takes 100,000 mutations, of which an entry may need two.
  for (let from = 0; from < 100_000; from += 25_000) {
    const entries = Array.from({ length: 25_000 }, (_, i) => from + i);
    const tags = new Map(entries.map((i) => [`tag${100_000 + i}`, String(i)]));
    await orders.patch(key, { tags });
  }
  const lines = await client.lines('rows', { query: oslo });
  const row = ofType(lines, 'rows').flatMap((line) => line.rows)[1];
  expect(row.cuts).toEqual([{ path: ['tags'], kind: 'map', size: 100_000, shown: 50 }]);
  const detail = await client.call('row', orderName(2));
  expect(detail.cells).toBeGreaterThanOrEqual(100_000);
  expect(detail.cuts).toEqual([{ path: ['tags'], kind: 'map', size: 100_000, shown: 1_000 }]);
  const part = await client.call('part', {
    ...orderName(2),
    path: ['tags'],
    offset: 99_999,
    length: 10,
  });
  expect(part).toMatchObject({ kind: 'map', shown: 1, value: { tag199999: '99999' } });
  const page = await client.lines('cells', { ...orderName(2), family: 't', skip: 99_998 });
  expect(ofType(page, 'cells').flatMap(({ cells }) => cells.map(({ entry }) => entry))).toEqual([
    'tag199998',
    'tag199999',
  ]);
  expect(page.at(-1)).toEqual({ type: 'end', more: false });
});

test('long texts, lists and bytes inside of values', async () => {
  const orders = client.studio.db.repository(Order);
  const parcel = Object.assign(new Parcel(), {
    note: `${'x'.repeat(1_999)}😀y`,
    label: new Uint8Array(5_000).fill(3),
    stops: Array.from({ length: 400 }, (_, i) => `stop ${i}`),
  });
  const extra = { deep: [{ text: 'z'.repeat(3_000) }] };
  await orders.save(orders.create({ shop: 'oslo', at: at(1), n: 3, parcel, extra }));
  const lines = await client.lines('rows', { query: oslo });
  const [{ columns }] = ofType(lines, 'columns');
  const row = ofType(lines, 'rows').flatMap((line) => line.rows)[2];
  expect(row.cuts).toEqual([
    { path: ['extra', 'deep', 0, 'text'], kind: 'text', size: 3_000, shown: 2_000 },
    // Not in the middle of a character.
    { path: ['parcel', 'note'], kind: 'text', size: 2_002, shown: 1_999 },
    { path: ['parcel', 'label'], kind: 'bytes', size: 5_000, shown: 1_024 },
    { path: ['parcel', 'stops'], kind: 'list', size: 400, shown: 50 },
  ]);
  const shown = row.values[columns.findIndex(({ name }) => name === 'parcel')];
  expect((shown as { stops: string[] }).stops).toHaveLength(50);
  const part = (path: readonly (string | number)[], offset: number, length: number) =>
    client.call('part', { ...orderName(3), path, offset, length });
  expect(await part(['parcel', 'note'], 1_999, 10)).toMatchObject({ kind: 'text', value: '😀y' });
  expect(await part(['parcel', 'label'], 4_998, 9)).toMatchObject({ kind: 'bytes', value: 'AwM=' });
  expect(await part(['parcel', 'stops'], 399, 9)).toMatchObject({
    kind: 'list',
    value: ['stop 399'],
  });
  expect(await part(['extra', 'deep', 0, 'text'], 2_999, 9)).toMatchObject({ value: 'z' });
  expect(await client.failure('part', { ...orderName(3), path: ['extra', 'none'] })).toMatchObject({
    status: 404,
  });
});

test('many rows in pages of cursors, with one page in memory', async () => {
  const blobs = client.studio.db.repository(Blob);
  const count = 20_000;
  const content = Uint8Array.of(1);
  const rows = Array.from({ length: count }, (_, i) =>
    blobs.create({ hash: Uint8Array.of(1), part: BigInt(i), content }),
  );
  await blobs.saveMany(rows);
  const query = { source: { kind: 'entity', entity: 'Blob' } } as const;
  let after: string | undefined;
  const cursors: (string | undefined)[] = [];
  let found = 0;
  do {
    cursors.push(after);
    const lines = await client.lines('rows', { query, size: 5_000, after });
    const [end] = ofType(lines, 'end');
    found += end.rows;
    after = end.next;
  } while (after !== undefined);
  expect(found).toBe(count);
  expect(cursors).toHaveLength(4);
  // Any of them again.
  const again = await client.lines('rows', { query, size: 5, after: cursors[2] });
  expect(ofType(again, 'end')[0].rows).toBe(5);
});
