/** Queries of the studio: rows, pages, plans, and the same as code. */
import type { StudioQuery } from '../../../src/tools/studio/protocol/query.js';
import * as declared from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { ofType, StudioClient } from './studio-client.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterAll(() => client.close());

const orders = { kind: 'entity', entity: 'Order' } as const;
const oslo = [{ segment: 'shop', values: ['oslo'] }];

/** The rows of a query as objects of the columns with values. */
async function rowsOf(query: StudioQuery): Promise<readonly Record<string, unknown>[]> {
  const lines = await client.lines('rows', { query });
  expect(lines.at(-1)).toMatchObject({ type: 'end' });
  const [{ columns }] = ofType(lines, 'columns');
  return ofType(lines, 'rows').flatMap(({ rows }) =>
    rows.map(({ values, entity }) => {
      const entries = values.map((value, i) => [columns[i]?.name ?? i, value]);
      const present = entries.filter(([, value]) => value !== null);
      if (entity !== undefined) present.push(['entity', entity]);
      return Object.fromEntries(present) as Record<string, unknown>;
    }),
  );
}

test('values are exact', async () => {
  const [, , , first] = await rowsOf({ source: orders, fixed: oslo });
  expect(first).toEqual({
    shop: 'oslo',
    at: '2026-11-20T10:00:00.000Z',
    n: 1,
    status: 'open',
    total: '9007199254740993',
    extra: { list: [1, 'two'] },
    photo: 'AQL+',
    parcel: {
      note: 'fragile',
      label: 'AP8=',
      at: { x: 1.5, exact: '9007199254740993' },
      stops: ['a', 'b'],
      sums: [['x', '1152921504606846976']],
    },
    tags: { colour: 'red', size: 'large' },
    price: [
      { at: '2026-11-20T02:00:00.000Z', value: 11 },
      { at: '2026-11-20T01:00:00.000Z', value: 10.5 },
    ],
  });
});

const hours = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => new Date(String(row.at)).getUTCHours());

test.each<[string, Partial<StudioQuery>, number[]]>([
  ['a prefix, newest first', {}, [13, 12, 11, 10]],
  ['reversed, with a limit', { reverse: true, limit: 2 }, [10, 11]],
  [
    'a bound',
    {
      bound: {
        kind: 'between',
        segment: 'at',
        from: at(11).toISOString(),
        to: at(13).toISOString(),
      },
    },
    [12, 11],
  ],
  [
    'several values',
    {
      fixed: [
        { segment: 'shop', values: ['oslo', 'rome'] },
        { segment: 'at', values: [at(9).toISOString(), at(13).toISOString()] },
      ],
    },
    [13, 9],
  ],
  ['a condition', { where: [{ property: 'status', test: 'equals', value: 'open' }] }, [12, 10]],
  [
    'two conditions',
    {
      where: [
        { property: 'total', test: 'notNull' },
        { property: 'total', test: 'above', value: '1' },
      ],
    },
    [10],
  ],
  ['no value', { where: [{ property: 'total', test: 'isNull' }] }, [13, 12, 11]],
  ['as of a time before all', { asOf: '1999-01-01T00:00:00.000Z' }, []],
])('%s', async (_, options, expected) => {
  expect(hours(await rowsOf({ source: orders, fixed: oslo, ...options }))).toEqual(expected);
});

test('a selection has the key, and an empty one nothing else', async () => {
  expect(await rowsOf({ source: orders, fixed: oslo, select: ['status'], limit: 1 })).toEqual([
    { shop: 'oslo', at: '2026-11-20T13:00:00.000Z', n: 1, status: 'paid' },
  ]);
  expect(await rowsOf({ source: orders, fixed: oslo, select: [], limit: 1 })).toEqual([
    { shop: 'oslo', at: '2026-11-20T13:00:00.000Z', n: 1 },
  ]);
});

test('patterns, indexes, rollups and collections are ready forms', async () => {
  const pattern = { kind: 'pattern', entity: 'Order', pattern: 'newest' } as const;
  expect(hours(await rowsOf({ source: pattern, fixed: oslo }))).toEqual([13, 12]);
  const index = { kind: 'index', entity: 'Order', index: 'byStatus' } as const;
  const open = [{ segment: 'status', values: ['open'] }];
  expect(hours(await rowsOf({ source: index, fixed: open }))).toEqual([12, 10, 9]);
  expect(await rowsOf({ source: { ...index, covered: true }, fixed: open, limit: 1 })).toEqual([
    { shop: 'oslo', at: '2026-11-20T12:00:00.000Z', n: 1, status: 'open' },
  ]);
  const rollup = { kind: 'rollup', entity: 'Order', rollup: 'daily' } as const;
  expect(await rowsOf({ source: rollup, fixed: oslo })).toEqual([
    { shop: 'oslo', at: '2026-11-20T00:00:00.000Z', n: 4 },
  ]);
  const collection = { kind: 'collection', entities: ['Device', 'Reading'] } as const;
  const acme = [{ segment: 'tenant', values: ['acme'] }];
  const members = await rowsOf({ source: collection, fixed: acme });
  expect(members.map(({ entity }) => entity)).toEqual(['Device', 'Reading', 'Reading']);
});

test('keys that are not text', async () => {
  const blobs = { kind: 'entity', entity: 'Blob' } as const;
  const fixed = [{ segment: 'hash', values: ['AP8B'] }];
  expect(await rowsOf({ source: blobs, fixed })).toEqual([
    { hash: 'AP8B', part: '100000000000000000000', content: 'Bw==' },
  ]);
});

test('pages are read again from their cursors, in any order', async () => {
  const query = { source: orders, fixed: oslo };
  const page = async (after?: string) => {
    const lines = await client.lines('rows', { query, size: 1, after });
    const [{ next }] = ofType(lines, 'end');
    const [{ rows }] = ofType(lines, 'rows');
    return { key: rows[0].key, next };
  };
  const first = await page();
  const second = await page(first.next);
  const third = await page(second.next);
  expect(new Set([first.key, second.key, third.key]).size).toBe(3);
  expect(await page(first.next)).toEqual(second);
  const fourth = await page(third.next);
  expect(fourth.next).toBeUndefined();
  const lines = await client.lines('rows', { query, after: 'damaged' });
  expect(lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'INVALID_CURSOR' } });
});

test('what a read cost', async () => {
  const lines = await client.lines('rows', { query: { source: orders, fixed: oslo } });
  const [{ cost, rows }] = ofType(lines, 'end');
  expect(rows).toBe(4);
  expect(cost).toMatchObject({ requests: 1, rowsRead: 4 });
  expect(cost.bytesRead).toBeGreaterThan(100);
  const where = [{ property: 'total', test: 'equals', value: '9007199254740993' }] as const;
  const measured = await client.lines('measure', { query: { source: orders, fixed: oslo, where } });
  const [{ measured: report }] = ofType(measured, 'report');
  expect(report).toMatchObject({ rows: 1, stopped: false });
  expect(report.rowsRead).toBe(1 + report.thrownAway.other);
});

test('counts, and values of the next segment', async () => {
  const counted = await client.lines('count', { query: { source: orders, fixed: oslo } });
  expect(counted.at(-1)).toEqual({ type: 'end', rows: 4, leftOut: 0 });
  expect(await client.call('values', { source: orders, fixed: [] })).toEqual({
    segment: 'shop',
    values: ['oslo', 'rome'],
    more: false,
  });
  expect(await client.call('values', { source: orders, fixed: [], startsWith: 'ro' })).toEqual({
    segment: 'shop',
    values: ['rome'],
    more: false,
  });
  const times = await client.call('values', { source: orders, fixed: oslo, limit: 2 });
  expect(times).toMatchObject({ segment: 'at', more: true });
  const index = { kind: 'index', entity: 'Order', index: 'byStatus' } as const;
  const statuses = await client.call('values', { source: index, fixed: [] });
  expect(statuses.values).toEqual(['open', 'paid']);
});

test('a plan shows what is read and where it lies', async () => {
  const plan = await client.call('explain', {
    query: {
      source: orders,
      fixed: oslo,
      where: [{ property: 'status', test: 'equals', value: 'open' }],
    },
  });
  expect(plan).toMatchObject({
    table: 'shop',
    fullScan: false,
    conditions: ["shop = 'oslo'"],
    moreRanges: 0,
    order: ['shop ascending', 'at descending', 'n ascending'],
  });
  expect([...plan.whereAtServer, ...plan.whereAtClient]).toHaveLength(1);
  const [range] = plan.ranges;
  expect(range.start).toMatch(/^order.*oslo/);
  expect(plan.space!.inRanges).toBeLessThanOrEqual(plan.space!.bytes);
  const index = { kind: 'index', entity: 'Order', index: 'byStatus' } as const;
  const fixed = [{ segment: 'status', values: ['open'] }];
  const through = await client.call('explain', { query: { source: index, fixed } });
  expect(through.index).toMatchObject({ name: 'byStatus', covered: false });
  expect(through.index!.rows!.table).toBe('shop');
});

const queries: readonly StudioQuery[] = [
  { source: orders, bound: { kind: 'startsWith', segment: 'shop', value: 'os' } },
  {
    source: orders,
    fixed: oslo,
    where: [
      { property: 'parcel', fields: ['at', 'exact'], test: 'equals', value: '9007199254740993' },
      { property: 'parcel', fields: ['at', 'x'], test: 'above', value: 1 },
      { property: 'parcel', fields: ['note'], test: 'startsWith', value: 'fra' },
      { property: 'extra', fields: ['list', '0'], test: 'equals', value: 1 },
      { property: 'n', test: 'noneOf', value: [2, 3] },
    ],
  },
  { source: orders, fixed: oslo, reverse: true, limit: 2 },
  { source: orders, scanAll: true, where: [{ property: 'total', test: 'above', value: '1' }] },
  {
    source: orders,
    fixed: oslo,
    bound: { kind: 'since', segment: 'at', value: at(12).toISOString() },
    select: ['status', 'tags'],
  },
  {
    source: orders,
    fixed: [
      { segment: 'shop', values: ['oslo', "it's"] },
      { segment: 'at', values: [at(9).toISOString(), at(13).toISOString()] },
    ],
  },
  { source: orders, fixed: oslo, where: [{ property: 'status', test: 'equals', value: 'open' }] },
  { source: { kind: 'pattern', entity: 'Order', pattern: 'newest' }, fixed: oslo },
  {
    source: { kind: 'index', entity: 'Order', index: 'byStatus' },
    fixed: [{ segment: 'status', values: ['open'] }],
  },
  { source: { kind: 'rollup', entity: 'Order', rollup: 'daily' }, fixed: oslo },
  {
    source: { kind: 'collection', entities: ['Device', 'Reading'] },
    fixed: [{ segment: 'tenant', values: ['acme'] }],
  },
  {
    source: { kind: 'entity', entity: 'Blob' },
    fixed: [{ segment: 'hash', values: ['AP8B'] }],
    bound: { kind: 'until', segment: 'part', value: '100000000000000000001' },
  },
];

test.each(queries)('the code of a query finds the same rows: %j', async (query) => {
  const { typescript } = await client.call('typescript', { query });
  const found: object[] = [];
  const names = Object.keys(declared).filter((name) => name !== 'entities');
  const log = { log: (row: object) => void found.push(row) };
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(
    'db',
    'console',
    ...names,
    `return (async () => {\n${typescript}\n})();`,
  ) as (...args: unknown[]) => Promise<void>;
  const classes = names.map((name) => declared[name as keyof typeof declared]);
  await run(client.studio.db, log, ...classes);
  const lines = await client.lines('rows', { query });
  const keys = ofType(lines, 'rows').flatMap(({ rows }) => rows);
  expect(found.length).toBeGreaterThan(0);
  expect(found).toHaveLength(keys.length);
});

test('code and commands stay what they are with hostile values', async () => {
  const evil = "'); process.exit(); ('\u2028</script>\\";
  const query = { source: orders, fixed: [{ segment: 'shop', values: [evil] }] };
  const { typescript, cbt } = await client.call('typescript', { query });
  const db = { repository: () => db, prefix: (values: object) => [values] };
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function('db', 'Order', 'console', `return (async () => {${typescript}})()`);
  const found: unknown[] = [];
  await (run as (...args: unknown[]) => Promise<void>)(db, undefined, {
    log: (row: unknown) => found.push(row),
  });
  expect(found).toEqual([{ shop: evil }]);
  expect(typescript).not.toContain('</script>');
  expect(cbt).toMatch(/^cbt read shop start=\$'order/);
});

test('a scan of all rows asks first, unless it reads only what it shows', async () => {
  const all = { source: orders };
  expect(ofType(await client.lines('rows', { query: all }), 'end')[0].rows).toBe(5);
  // The entity is small.
  expect((await client.lines('count', { query: all })).at(-1)).toEqual({
    type: 'end',
    rows: 5,
    leftOut: 0,
  });
});

test.each<[string, unknown, string | undefined]>([
  ['no object', 7, ''],
  ['no query', {}, 'query'],
  ['an unknown source', { query: { source: { kind: 'file' } } }, 'query.source.kind'],
  [
    'a gap in the key',
    { query: { source: orders, fixed: [{ segment: 'n', values: [1] }] } },
    'query.fixed.0.segment',
  ],
  [
    'a wrong value',
    { query: { source: orders, fixed: [{ segment: 'shop', values: [7] }] } },
    'query.fixed.0.values.0',
  ],
  [
    'no values',
    { query: { source: orders, fixed: [{ segment: 'shop', values: [] }] } },
    'query.fixed.0.values',
  ],
  [
    'a wrong bound',
    { query: { source: orders, bound: { kind: 'since', segment: 'at', value: 1 } } },
    'query.bound.segment',
  ],
  [
    'an unknown column',
    { query: { source: orders, where: [{ property: 'x', test: 'isNull' }] } },
    'query.where.0.property',
  ],
  ['a wrong limit', { query: { source: orders, limit: 0 } }, 'query.limit'],
  ['a wrong time', { query: { source: orders, asOf: 'yesterday' } }, 'query.asOf'],
  [
    'an option that rollups do not have',
    {
      query: {
        source: { kind: 'rollup', entity: 'Order', rollup: 'daily' },
        where: [{ property: 'n', test: 'isNull' }],
      },
    },
    'query.where',
  ],
])('a request with %s is refused', async (_, body, property) => {
  const failure = await client.failure('rows', body);
  expect(failure).toMatchObject({ status: 400, code: 'BAD_REQUEST', property });
});

test('names that are unknown are refused with the nearest', async () => {
  const query = { source: { kind: 'entity', entity: 'Ordre' } };
  expect(await client.failure('rows', { query })).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
    fix: "did you mean 'Order'?",
  });
  expect(
    await client.failure('explain', { query: { source: orders, select: ['x'] } }),
  ).toMatchObject({
    status: 400,
  });
});
