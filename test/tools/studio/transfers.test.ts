/** Files go past the page: export, import, and cells. */
import { Order } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { base64, ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterAll(() => client.close());

const query = {
  source: { kind: 'entity', entity: 'Order' },
  fixed: [{ segment: 'shop', values: ['oslo'] }],
} as const;

test('what a query finds is exported, and imported again', async () => {
  const { id, href, name } = await client.call('export', { query, format: 'jsonl' });
  expect(name).toBe('Order.jsonl');
  const progress = client.lines('progress', { id });
  const file = await client.send(href);
  expect(file.status).toBe(200);
  expect(file.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'content-disposition': 'attachment; filename="Order.jsonl"',
  });
  expect(file.body.trimEnd().split('\n')).toHaveLength(4);
  expect((await progress).at(-1)).toEqual({
    type: 'done',
    report: { rows: 4, bytes: 0, failed: 0, failures: [] },
  });

  const other = await StudioClient.open('memory:');
  const upload = await other.call('import', { entity: 'Order', format: 'jsonl' });
  const body = `${file.body}{"shop":1}\n`;
  const sent = await other.send(upload.href, { method: 'PUT', body });
  expect(sent.status).toBe(200);
  expect(JSON.parse(sent.body)).toMatchObject({
    rows: 4,
    bytes: Buffer.byteLength(body),
    failed: 1,
    failures: [{ rows: 1, problem: expect.any(String) }],
  });
  expect((await other.lines('progress', { id: upload.id })).at(-1)).toMatchObject({ type: 'done' });
  const rows = ofType(await other.lines('rows', { query }), 'rows').flatMap((line) => line.rows);
  expect(rows).toEqual(
    ofType(await client.lines('rows', { query }), 'rows').flatMap((line) => line.rows),
  );
  await other.close();
});

test('as CSV', async () => {
  const { href } = await client.call('export', { query, format: 'csv' });
  const { headers, body } = await client.send(href);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(body.split('\n')[0]).toContain('shop');
});

test('a link works once, for one use, and only for this studio', async () => {
  const { href } = await client.call('export', { query, format: 'csv' });
  expect((await client.send(href, { method: 'PUT', body: '' })).status).toBe(404);
  expect((await client.send(href)).status).toBe(200);
  expect((await client.send(href)).status).toBe(404);
  expect((await client.send('/transfer/none')).status).toBe(404);
  expect(await client.failure('progress', { id: 'none' })).toMatchObject({ status: 404 });
});

test('a cell of any size is downloaded', async () => {
  const { model } = client.studio.db.repository(Order);
  const row = {
    table: 'shop',
    key: base64(model.key.encode({ shop: 'oslo', at: at(10), n: 1 })),
  };
  const [{ cells }] = ofType(await client.lines('cells', row), 'cells');
  const { family, qualifier, micros } = cells.find(({ property }) => property === 'status')!;
  const cell = { ...row, family, qualifier, micros };
  const { href } = await client.call('downloadCell', cell);
  const { headers, body } = await client.send(href);
  expect(body).toBe('open');
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '4',
  });
});

test.each([
  { ...query, select: ['status'] },
  { source: { kind: 'rollup', entity: 'Order', rollup: 'daily' }, fixed: query.fixed },
  { source: { kind: 'index', entity: 'Order', index: 'byStatus', covered: true } },
])('parts of rows are not exported: %j', async (parts) => {
  const failure = await client.failure('export', { query: parts, format: 'csv' });
  expect(failure).toMatchObject({ status: 400, property: 'query' });
});
