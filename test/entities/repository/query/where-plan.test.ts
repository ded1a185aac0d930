/** Where conditions are tested, how that is explained, and invalid ones. */
import { type Database, open } from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';
import { OrderedEvent, Plain, Status } from './where-entities.js';

/** A query without types. */
interface Query {
  prefix(values: object): Query;
  scanAll(): Query;
  distinct(segment: string): Query;
  where(conditions: unknown): Query;
}

let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Plain, OrderedEvent] });
});
afterAll(() => db.close());

const explained = (conditions: object) =>
  db.repository(Plain).prefix({ area: 'x' }).where(conditions).explain();

describe('the storage tests', () => {
  test.each([
    ['text', { text: 'a' }, "text = 'a'"],
    ['order of text', { text: { atLeast: 'a', below: 'b' } }, "text >= 'a' and text < 'b'"],
    ['negative numbers', { small: { above: -3 } }, 'small > -3'],
    ['doubles', { single: { atMost: 0 } }, 'single <= 0'],
    ['dates', { seen: { below: new Date(0) } }, 'seen < 1970-01-01T00:00:00.000Z'],
    ['presence', { json: { not: null } }, 'json is present'],
    ['counters', { hits: { above: 3n } }, 'hits > 3n'],
    ['a default that does not match', { state: 'done' }, "state = 'done'"],
    ['earlier qualifiers', { renamed: { noneOf: ['a', 'b'] } }, "renamed is none of 'a', 'b'"],
    ['values of a segment', { kind: 'a' }, "kind = 'a'"],
  ])('%s', (_name, conditions, text) => {
    const { whereAtServer, whereAtClient } = explained(conditions);
    expect([whereAtServer, whereAtClient]).toEqual([[text], []]);
  });
});

describe('the client tests', () => {
  test.each([
    ['absence', { text: null }, 'text is absent'],
    ['absence among values', { text: { oneOf: ['a', null] } }, "text is one of 'a', absent"],
    ['a default that matches', { state: { not: 'done' } }, "state is not 'done'"],
    ['a default of a function', { real: { above: 1 } }, 'real > 1'],
    ['fields of messages', { status: { fields: { level: 1 } } }, 'status.level = 1'],
    ['values of JSON', { json: 'a' }, "json = 'a'"],
    ['counters of aggregate families', { total: 3n }, 'total = 3n'],
    ['order of a segment', { kind: { above: 'a' } }, "kind > 'a'"],
  ])('%s', (_name, conditions, text) => {
    const { whereAtServer, whereAtClient } = explained(conditions);
    expect([whereAtServer, whereAtClient]).toEqual([[], [text]]);
  });

  test('what does not fit into a filter', () => {
    const values = Array.from({ length: 600 }, (_, i) => `${i}`.padStart(60, 'x'));
    const plan = explained({ text: { oneOf: values }, raw: Uint8Array.of(1) });
    expect(plan.whereAtServer).toEqual(['raw = 0x01']);
    expect(plan.whereAtClient[0]).toContain('(600 values)');
  });
});

test('explain as text', () => {
  const query = db
    .repository(Plain)
    .prefix({ area: 'x' })
    .where({ text: 'a', count: { above: 3 }, day: null })
    .select('map')
    .limit(5);
  expect(String(query.explain())).toBe(`\
scan      Plain in table plain
where     area = 'x'
server    text = 'a' and count > 3: reads the range, sends rows that match
client    day is absent: tested on rows that were sent
range     [x# .. x$)
order     area ascending, kind ascending, n descending
reads     area, kind, n, map  (families m)
filter    columns m:*, a:count, a:text, b:day, then rows that match, then newest cell of each column
limit     5 rows`);
});

test.each(backEnds)('long lists and many conditions on $name', async ({ open: openOn }) => {
  const opened = await openOn([Plain]);
  const events = opened.db.repository(Plain);
  const values = Array.from({ length: 600 }, (_, i) => `${i}`.padStart(60, 'x'));
  const stored = [1, 2, 3].map((n) =>
    events.create({ area: 'x', kind: 'a', n, text: values[n], small: n, raw: Uint8Array.of(n) }),
  );
  await events.saveMany(stored);
  const all = events.prefix({ area: 'x' });
  const numbers = async (query: typeof all): Promise<number[]> =>
    (await query.select('area').all()).map(({ n }) => n);
  expect(await numbers(all.where({ text: { oneOf: values.slice(2) } }))).toEqual([3, 2]);
  // About as large as a filter may be.
  expect(await numbers(all.where({ text: { oneOf: values.slice(3, 140) } }))).toEqual([3]);
  expect(await numbers(all.where({ text: { noneOf: values.slice(3, 100) } }))).toEqual([2, 1]);
  let narrowed = all;
  for (let i = 0; i < 14; i++) narrowed = narrowed.where({ small: { above: 1 } });
  expect(await numbers(narrowed)).toEqual([3, 2]);
  expect(await numbers(all.where({ raw: { oneOf: [] } }))).toEqual([]);
  await opened.close();
});

test('a cursor belongs to its conditions', async () => {
  const events = db.repository(OrderedEvent);
  await events.saveMany(
    [1, 2, 3].map((n) => events.create({ area: 'x', kind: 'a', n, text: 'a' })),
  );
  const query = events.prefix({ area: 'x' });
  const { next } = await query.where({ text: { not: 'b' }, day: null }).page({ size: 1 });
  await expect(
    query
      .where({ text: { not: 'b' }, day: { oneOf: ['2026-02-28', null] } })
      .page({ size: 1, after: next }),
  ).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
});

test('later changes of an operand have no effect', async () => {
  const events = db.repository(OrderedEvent);
  await events.save(events.create({ area: 'z', kind: 'a', n: 1, seen: new Date(5) }));
  const seen = new Date(5);
  const query = events.prefix({ area: 'z' }).where({ seen });
  seen.setTime(6);
  expect(await query.count()).toBe(1);
});

test.each([false, true])(
  'delete with dropRanges %s deletes the rows that match',
  async (dropRanges) => {
    const events = db.repository(OrderedEvent);
    await events.saveMany(
      [1, 2, 3, 4].map((n) => events.create({ area: 'd', kind: 'a', n, small: n })),
    );
    const query = events.prefix({ area: 'd' });
    const { deleted, dropped } = await query.where({ small: { above: 2 } }).delete({ dropRanges });
    expect([deleted, dropped]).toEqual([2, false]);
    expect((await query.all()).map(({ n }) => n)).toEqual([2, 1]);
  },
);

test('an aborted signal ends the read', async () => {
  const query = db.repository(Plain).scanAll().where({ text: null });
  await expect(query.all({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});

describe('invalid conditions', () => {
  const scan = (root: Query): Query => root.scanAll();
  const faults: [string, (root: Query) => unknown, string, RegExp][] = [
    ['no object', (root) => scan(root).where('text'), 'where', /takes an object/],
    ['an array', (root) => scan(root).where([]), 'where', /takes an object/],
    ['none', (root) => scan(root).where({}), 'where', /no condition/],
    ['an entity', (root) => scan(root).where(new Plain()), 'where', /not an entity/],
    ['an unknown property', (root) => scan(root).where({ txt: 1 }), 'txt', /not a property/],
    ['undefined', (root) => scan(root).where({ text: undefined }), 'text', /undefined/],
    ['no operator', (root) => scan(root).where({ small: {} }), 'small', /is empty/],
    ['an unknown operator', (root) => scan(root).where({ small: { abov: 1 } }), 'small', /'abov'/],
    [
      'an undefined operand',
      (root) => scan(root).where({ small: { above: undefined } }),
      'small',
      /undefined/,
    ],
    [
      'undefined in a list',
      (root) => scan(root).where({ small: { oneOf: [1, undefined] } }),
      'small',
      /undefined/,
    ],
    ['no list', (root) => scan(root).where({ small: { oneOf: 1 } }), 'small', /array/],
    ['a wrong type', (root) => scan(root).where({ small: '1' }), 'small', /expected a number/],
    ['a fraction', (root) => scan(root).where({ small: { above: 1.5 } }), 'small', /whole number/],
    ['order of a flag', (root) => scan(root).where({ flag: { above: true } }), 'flag', /'above'/],
    ['order by NaN', (root) => scan(root).where({ real: { above: NaN } }), 'real', /NaN/],
    ['order by null', (root) => scan(root).where({ real: { above: null } }), 'real', /null/],
    [
      'text of a number',
      (root) => scan(root).where({ small: { startsWith: '1' } }),
      'small',
      /'startsWith'/,
    ],
    [
      'bytes of text',
      (root) => scan(root).where({ text: { startsWith: Uint8Array.of(1) } }),
      'text',
      /expected text/,
    ],
    ['a column map', (root) => scan(root).where({ map: 'a' }), 'map', /column map/],
    ['versions', (root) => scan(root).where({ history: 1 }), 'history', /@Versions/],
    ['a message', (root) => scan(root).where({ status: { not: 1 } }), 'status', /'not'/],
    ['no field', (root) => scan(root).where({ status: { fields: {} } }), 'status', /'fields'/],
    [
      'an unknown field',
      (root) => scan(root).where({ status: { fields: { lvl: 1 } } }),
      'status.lvl',
      /not a field/,
    ],
    [
      'a field of another type',
      (root) => scan(root).where({ status: { fields: { level: 1n } } }),
      'status.level',
      /expected a number/,
    ],
    [
      'a segment of the prefix',
      (root) => root.prefix({ area: 'x' }).where({ area: 'x' }),
      'area',
      /from the prefix/,
    ],
    ['a segment of another type', (root) => scan(root).where({ n: 'a' }), 'n', /./],
    [
      'order of a segment by text',
      (root) => scan(root).where({ n: { startsWith: '1' } }),
      'n',
      /./,
    ],
    ['after distinct', (root) => root.distinct('area').where({ text: 'a' }), 'area', /distinct/],
  ];
  test.each(faults)('%s', (_name, ask, property, problem) => {
    const root = db.repository(Plain) as unknown as Query;
    expect(() => ask(root)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^INVALID_(QUERY|KEY)$/),
        details: expect.objectContaining({
          entity: 'Plain',
          property,
          problem: expect.stringMatching(problem),
          fix: expect.stringMatching(/./),
        }),
      }),
    );
  });

  test('a message as a value', () => {
    const root = db.repository(Plain) as unknown as Query;
    const status = Object.assign(new Status(), { level: 1 });
    expect(() => root.scanAll().where({ status })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ problem: "there is no operator 'level'" }),
      }),
    );
  });
});
