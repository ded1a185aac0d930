/** What happens while the studio is used: tables that go, ten tabs, pages that leave. */
import { Order } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeEach(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterEach(() => client.close());

const query = {
  source: { kind: 'entity', entity: 'Order' },
  fixed: [{ segment: 'shop', values: ['oslo'] }],
} as const;

test('a table that was dropped meanwhile', async () => {
  await client.studio.db.engine.deleteTable('shop');
  const lines = await client.lines('rows', { query });
  expect(lines.at(-1)).toMatchObject({
    type: 'error',
    error: { code: 'TABLE_NOT_FOUND', table: 'shop' },
  });
  const table = ofType(await client.lines('tables', {}), 'table').find(
    (line) => line.table.name === 'shop',
  )!;
  expect(table.table).toMatchObject({ stored: false, entities: [{ name: 'Order' }] });
  // Plans need no table.
  expect(await client.call('explain', { query })).toMatchObject({ table: 'shop' });
});

test('ten tabs at the same time', async () => {
  const tabs = Array.from({ length: 10 }, async () => {
    const lines = await client.lines('rows', { query });
    const [{ cost, rows }] = ofType(lines, 'end');
    return { rows, rowsRead: cost.rowsRead, requests: cost.requests };
  });
  // Each is told its own cost.
  expect(await Promise.all(tabs)).toEqual(tabs.map(() => ({ rows: 4, rowsRead: 4, requests: 1 })));
});

test('a row that was changed meanwhile is shown as it is', async () => {
  const { db } = client.studio;
  const lines = await client.lines('rows', { query, size: 1 });
  const [{ rows }] = ofType(lines, 'rows');
  await db.repository(Order).patch({ shop: 'oslo', at: at(13), n: 1 }, { status: 'sent' });
  const row = await client.call('row', { table: 'shop', key: rows[0].key });
  expect(row.values!.status).toBe('sent');
});

test('large scans ask first, with the estimate', async () => {
  const orders = client.studio.db.repository(Order);
  const many = Array.from({ length: 1_200 }, (_, i) =>
    orders.create({ shop: 'many', at: at(1), n: i }),
  );
  await orders.saveMany(many.map((order) => Object.assign(order, { total: 1n })));
  const all = {
    source: { kind: 'entity', entity: 'Order' },
    where: [{ property: 'total', test: 'above', value: '5' }],
  } as const;
  for (const name of ['rows', 'count', 'measure', 'export'] as const) {
    const failure = await client.failure(name, { query: all, format: 'csv' });
    expect(failure).toMatchObject({
      status: 409,
      code: 'FULL_SCAN',
      scan: { table: 'shop', estimated: true },
    });
    expect(failure.scan!.rows).toBeGreaterThan(1_000);
  }
  const agreed = await client.lines('rows', { query: { ...all, scanAll: true } });
  expect(ofType(agreed, 'end')[0].rows).toBe(1);
  // A page without conditions reads only what it shows.
  const lines = await client.lines('rows', { query: { source: all.source }, size: 20 });
  const [end] = ofType(lines, 'end');
  expect(end.rows).toBe(20);
  expect(end.cost.rowsRead).toBeLessThan(100);
});
