/** Files go past the page: export, import, and cells. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { StudioQuery } from '../../../src/tools/studio/protocol/query.js';
import { Order } from './entities.js';
import { until } from '../../support/until.js';
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

/** The lines of an exported file. */
async function exported(asked: StudioQuery): Promise<readonly unknown[]> {
  const { id, href } = await client.call('export', { query: asked, format: 'jsonl' });
  const { body } = await client.send(href);
  const lines = body.split('\n').slice(0, -1);
  expect((await client.lines('progress', { id })).at(-1)).toMatchObject({
    type: 'done',
    report: { rows: lines.length, failed: 0 },
  });
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe('exactly what a query finds is exported', () => {
  const first = { shop: 'oslo', at: '2026-11-20T13:00:00.000Z', n: 1 };
  const rollup = { kind: 'rollup', entity: 'Order', rollup: 'daily' } as const;
  const index = { kind: 'index', entity: 'Order', index: 'byStatus', covered: true } as const;
  const open = [{ segment: 'status', values: ['open'] }];

  test.each<[string, StudioQuery, readonly unknown[]]>([
    ['a selection', { ...query, select: ['status'], limit: 1 }, [{ ...first, status: 'paid' }]],
    ['keys', { ...query, select: [], limit: 1 }, [first]],
    ['as of a time', { ...query, asOf: '1999-01-01T00:00:00.000Z' }, []],
    [
      'versions',
      { ...query, versions: 1, reverse: true, limit: 1 },
      [
        expect.objectContaining({
          total: '9007199254740993',
          price: [{ at: at(2).toISOString(), value: 11 }],
          parcel: expect.objectContaining({ sums: [['x', '1152921504606846976']] }) as unknown,
        }),
      ],
    ],
    [
      'buckets of a rollup',
      { source: rollup, fixed: query.fixed },
      [{ shop: 'oslo', at: '2026-11-20T00:00:00.000Z', n: 4 }],
    ],
    [
      'entries of an index',
      { source: index, fixed: open, limit: 1 },
      [{ shop: 'oslo', at: '2026-11-20T12:00:00.000Z', n: 1, status: 'open' }],
    ],
    [
      'a collection',
      {
        source: { kind: 'collection', entities: ['Device', 'Reading'] },
        fixed: [{ segment: 'tenant', values: ['acme'] }],
        limit: 2,
      },
      [
        { '@entity': 'Device', tenant: 'acme', device: 'd1', place: 'roof' },
        expect.objectContaining({ '@entity': 'Reading', temperature: 9.5 }),
      ],
    ],
    [
      'rows that meet conditions',
      { ...query, where: [{ property: 'parcel', fields: ['note'], test: 'notNull' }] },
      [expect.objectContaining({ at: at(10).toISOString(), total: '9007199254740993' })],
    ],
  ])('%s', async (_, asked, expected) => {
    expect(await exported(asked)).toEqual(expected);
  });

  test('large values are whole', async () => {
    const orders = client.studio.db.repository(Order);
    const photo = new Uint8Array(3_000_000).fill(5);
    await orders.save(orders.create({ shop: 'large', at: at(1), n: 1, photo }));
    const fixed = [{ segment: 'shop', values: ['large'] }];
    const [row] = await exported({ source: query.source, fixed, select: ['photo'] });
    expect((row as { photo: string }).photo).toHaveLength(4_000_000);
  });

  test('as CSV', async () => {
    const selected = { ...query, select: ['status', 'parcel'], reverse: true, limit: 2 };
    const { href } = await client.call('export', { query: selected, format: 'csv' });
    const { body } = await client.send(href);
    expect(body.split('\n')).toEqual([
      'shop,at,n,parcel,status',
      expect.stringMatching(/^oslo,2026-11-20T10:00:00.000Z,1,"\{""note"":""fragile"".*",open$/),
      'oslo,2026-11-20T11:00:00.000Z,1,,paid',
      '',
    ]);
  });
});

describe('a dry run of an import', () => {
  const order = (n: number, more: object = {}) =>
    `${JSON.stringify({ shop: 'dry', at: at(1).toISOString(), n, ...more })}\n`;
  const dryRun = async (body: string) => {
    const { href } = await client.call('import', {
      entity: 'Order',
      format: 'jsonl',
      dryRun: true,
    });
    const { status, body: report } = await client.send(href, { method: 'PUT', body });
    expect(status).toBe(200);
    return JSON.parse(report) as unknown;
  };

  test('says what would be written and what is bad, and writes nothing', async () => {
    const orders = client.studio.db.repository(Order);
    await orders.save(orders.create({ shop: 'dry', at: at(1), n: 1, status: 'open' }));
    const bad = `${order(3, { none: 1 })}{"shop":\n${order(4, { total: 'x' })}`;
    const report = await dryRun(`${order(1, { status: 'x' })}${order(2, { status: 'y' })}${bad}`);
    expect(report).toMatchObject({
      rows: 2,
      dryRun: { existing: 1 },
      failed: 3,
      badLines: [
        { line: 3, problem: expect.stringContaining("'none'") as string },
        { line: 4 },
        { line: 5, problem: expect.stringContaining('total') as string },
      ],
    });
    const found = await orders.prefix({ shop: 'dry' }).all();
    expect(found.map(({ n, status }) => [n, status])).toEqual([[1, 'open']]);
  });

  test('needs no `--write`, but a table', async () => {
    const reader = await StudioClient.open('memory:', { write: false });
    const { href } = await reader.call('import', {
      entity: 'Order',
      format: 'jsonl',
      dryRun: true,
    });
    const body = order(1, { status: 'x' });
    const { status, body: failure } = await reader.send(href, { method: 'PUT', body });
    expect([status, JSON.parse(failure)]).toMatchObject([404, { code: 'TABLE_NOT_FOUND' }]);
    await reader.close();
  });
});

describe('a transfer is cancelled', () => {
  test('before it began', async () => {
    const { id, href } = await client.call('export', { query, format: 'csv' });
    expect(await client.call('cancel', { id })).toEqual({ cancelled: true });
    expect((await client.send(href)).status).toBe(404);
    const end = (await client.lines('progress', { id })).at(-1);
    expect(end).toMatchObject({ type: 'done', report: { rows: 0, cancelled: true } });
    expect(await client.call('cancel', { id })).toEqual({ cancelled: false });
    expect(await client.failure('cancel', { id: 'none' })).toMatchObject({ status: 404 });
  });

  test.each([
    ['whole rows', query],
    ['parts of rows', { ...query, select: ['photo'] }],
  ])('an export of %s, which is cut off', async (_, asked) => {
    const orders = client.studio.db.repository(Order);
    const photo = new Uint8Array(1 << 20);
    for (let n = 1; n <= 12; n++)
      await orders.save(orders.create({ shop: 'wide', at: at(1), n, photo }));
    const wide = { ...asked, fixed: [{ segment: 'shop', values: ['wide'] }] };
    const { id, href } = await client.call('export', { query: wide, format: 'jsonl' });
    const { port } = client.studio;
    const call = request({
      host: '127.0.0.1',
      port,
      path: href,
      headers: { cookie: client.cookie },
    });
    call.end();
    // A browser that does not read: the export waits for it.
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const end = once(response, 'error') as Promise<[NodeJS.ErrnoException]>;
    expect(await client.call('cancel', { id })).toEqual({ cancelled: true });
    const progress = await client.lines('progress', { id });
    expect(progress.at(-1)).toMatchObject({ type: 'done', report: { cancelled: true } });
    response.resume();
    expect((await end)[0].code).toBe('ECONNRESET');
  });

  test('an import, and says how much it wrote at least', async () => {
    const { id, href } = await client.call('import', { entity: 'Order', format: 'jsonl' });
    const { port } = client.studio;
    const headers = { cookie: client.cookie };
    const call = request({ host: '127.0.0.1', port, path: href, method: 'PUT', headers });
    const closed = once(call, 'error');
    const line = (n: number) =>
      `${JSON.stringify({ shop: 'cancel', at: at(1).toISOString(), n, status: 'x' })}\n`;
    // Two batches, and an upload that does not end.
    call.write(Array.from({ length: 4_500 }, (_, i) => line(i + 1)).join(''));
    const orders = client.studio.db.repository(Order);
    const first = { shop: 'cancel', at: at(1), n: 1 };
    await until(async () => (await orders.get(first)) !== undefined);
    expect(await client.call('cancel', { id })).toEqual({ cancelled: true });
    const report = (await client.lines('progress', { id })).at(-1);
    expect(report).toMatchObject({ type: 'done', report: { cancelled: true } });
    // A batch that was being written may be written in part.
    const { rows } = (report as { report: { rows: number } }).report;
    const stored = await orders.prefix({ shop: 'cancel' }).count();
    expect(stored).toBeGreaterThanOrEqual(rows);
    expect(stored).toBeLessThan(4_500);
    await closed;
  });
});
