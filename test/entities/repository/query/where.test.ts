/** Conditions of queries, against testing every entity after reading. */
import { type Database } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import type { Event } from './where-entities.js';
import {
  area,
  kind,
  matches,
  n,
  OrderedEvent,
  Plain,
  ShardedEvent,
  values,
  where,
} from './where-entities.js';

/** The methods of queries, without types: conditions are generated. */
interface Query {
  prefix(values: object): Query;
  oneOf(segment: string, list: readonly unknown[]): Query;
  since(segment: string, value: unknown): Query;
  scanAll(): Query;
  where(conditions: object): Query;
  select(...names: string[]): Query;
  keysOnly(): Query;
  versions(count: number): Query;
  asOf(time: Date): Query;
  firstPer(segment: string): Query;
  distinct(segment: string): Query;
  reverse(): Query;
  limit(rows: number): Query;
  all(): Promise<object[]>;
  first(): Promise<object | undefined>;
  count(): Promise<number>;
  aggregate(values: object): Promise<object>;
  page(request: { size: number; after?: string }): Promise<{ rows: object[]; next?: string }>;
}

const classes = [Plain, OrderedEvent, ShardedEvent];
const rows = fc.uniqueArray(
  fc.tuple(fc.record({ area, kind, n }), fc.record(values, { requiredKeys: [] })),
  { minLength: 40, maxLength: 40, selector: ([key]) => JSON.stringify(key) },
);

const ranges: Record<string, (root: Query) => Query> = {
  all: (root) => root.scanAll(),
  prefix: (root) => root.prefix({ area: 'x' }),
  'several values': (root) => root.prefix({ area: 'y' }).oneOf('kind', ['a', 'b', 'ab']),
};

const keyOf = (row: object): string => {
  const { area: a, kind: k, n: number } = row as Event;
  return JSON.stringify([a, k, number]);
};

/** Without what is undefined: a result of select has no properties for absent cells. */
const plain = (row: object | undefined): object | undefined =>
  row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

async function fill(db: Database): Promise<number> {
  const stored = fc.sample(rows, { numRuns: 1, seed: 7 })[0];
  const earlier = fc.sample(rows, { numRuns: 1, seed: 8 })[0];
  for (const entity of classes) {
    const repository = db.repository(entity);
    const save = async (list: typeof stored): Promise<void> => {
      const entities = list.map(([key, { hits, total, ...rest }]) =>
        Object.assign(new entity(), key, rest, {
          map: new Map([['k', 'v']]),
          history: [
            { at: new Date(1000), value: 1 },
            { at: new Date(2000), value: 2 },
          ],
        }),
      );
      expect((await repository.saveMany(entities)).failures).toEqual([]);
      for (const [key, { hits, total }] of list) {
        if (hits !== undefined) await repository.increment(key, 'hits', hits);
        if (total !== undefined) await repository.increment(key, 'total', total);
      }
    };
    await save(earlier.slice(0, 20));
    await save(stored);
  }
  return Date.now();
}

/** Cells of earlier qualifiers, and a row with a cell only in a column that no entity maps. */
async function fillOthers(db: Database): Promise<void> {
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  for (const entity of classes) {
    const { key, table } = db.repository(entity).model;
    const cell = (qualifier: string, text: string) => ({
      kind: 'setCell' as const,
      family: 'a',
      qualifier: utf8(qualifier),
      timestamp: -1,
      value: utf8(text),
    });
    for (let i = 0; i < 8; i++) {
      const mutations = [cell('old', i % 2 ? 'a' : 'b'), cell('zold', i % 3 ? 'a' : 'Z')];
      if (i % 4 === 0) mutations.push(cell('renamed', 'ab'));
      const encoded = key.encode({ area: 'x', kind: 'a', n: i });
      await db.engine.mutateRow(table.name, { key: encoded, mutations: mutations.slice(i % 2) });
    }
    const other = key.encode({ area: 'y', kind: 'b', n: 12 });
    await db.engine.mutateRow(table.name, { key: other, mutations: [cell('unmapped', 'a')] });
  }
}

describe.each(backEnds)('on $name', ({ name, open: openOn }) => {
  let db: Database;
  let close: () => Promise<void>;
  let between: Date;

  beforeAll(async () => {
    ({ db, close } = await openOn(classes));
    between = new Date(await fill(db));
    await new Promise((resolve) => void setTimeout(resolve, 5));
    await fillOthers(db);
  });
  afterAll(() => close());

  test('queries return the entities that match', async () => {
    const isLive = name.startsWith('live');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...classes),
        fc.constantFrom(...Object.keys(ranges)),
        fc.record({ reverse: fc.boolean(), asOf: fc.boolean(), versions: fc.boolean() }),
        where,
        fc.integer({ min: 1, max: 5 }),
        async (entity, range, how, conditions, size) => {
          let query = ranges[range](db.repository(entity) as unknown as Query);
          if (how.reverse) query = query.reverse();
          if (how.asOf) query = query.asOf(between);
          if (how.versions) query = query.versions(1);
          const { kind: given, ...others } = conditions;
          const isGiven = range === 'several values' && given !== undefined;
          await check(query, isGiven ? { ...others, flag: true } : conditions, size);
        },
      ),
      { numRuns: Number(process.env.RUNS ?? (isLive ? 8 : 15)) },
    );
  });
});

async function check(query: Query, conditions: Record<string, unknown>, size: number) {
  const entities = await query.all();
  const expected = entities.filter((row) => matches(row, conditions));
  const keys = new Set(expected.map(keyOf));
  const tested = query.where(conditions);
  expect(await tested.all()).toEqual(expected);
  expect(await tested.count()).toBe(expected.length);
  expect(await tested.first()).toEqual(expected[0]);
  expect(await tested.limit(size).all()).toEqual(expected.slice(0, size));
  for (const names of [['text'], ['history', 'state'], ['area']]) {
    const selected = await query.select(...names).all();
    const wanted = selected.filter((row) => keys.has(keyOf(row)));
    const found = await tested.select(...names).all();
    expect(found.map(plain)).toEqual(wanted.map(plain));
    expect(await tested.select(...names).count()).toBe(wanted.length);
  }
  const texts = expected.flatMap((row) => (row as Event).text ?? []);
  expect(await tested.aggregate({ rows: 'count', texts: { count: 'text' } })).toEqual({
    rows: expected.length,
    texts: texts.length,
  });
  const paged: object[] = [];
  let after: string | undefined;
  do {
    const page = await tested.page({ size: size + 2, after });
    paged.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  expect(paged).toEqual(expected);
  const seen = new Set<string>();
  const firsts = expected.filter((row) => {
    const group = JSON.stringify([(row as Event).area, (row as Event).kind]);
    return !seen.has(group) && seen.add(group);
  });
  expect(await tested.firstPer('kind').all()).toEqual(firsts);
  expect(await tested.distinct('kind').all()).toEqual(
    firsts.map((row) => ({ area: (row as Event).area, kind: (row as Event).kind })),
  );
}
