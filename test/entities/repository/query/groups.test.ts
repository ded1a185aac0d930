/** Queries over several prefixes and groups, against filtering all rows. */
import { type Database, open } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import {
  area,
  descending,
  entities,
  type Item,
  n,
  name,
  order,
  plain,
  Rising,
  row,
  Sharded,
} from './key-shapes.js';
import { backEnds } from '../support/back-ends.js';
import { openWatched } from '../support/watched.js';

const segments = ['area', 'name', 'n'] as const;
type Segment = (typeof segments)[number];

/** A query as data: which segments have values, by which rows are grouped, and what bounds them. */
interface Question {
  readonly start:
    | { readonly kind: 'root' }
    | {
        readonly kind: 'prefixes';
        readonly depth: number;
        readonly list: readonly Partial<Item>[];
      };
  readonly oneOf: readonly (readonly unknown[])[];
  readonly group?: { readonly segment: Segment; readonly distinct: boolean };
  readonly since?: unknown;
  readonly reverse: boolean;
  readonly limit?: number;
}

const values: Record<Segment, fc.Arbitrary<unknown>> = { area, name, n };

const question: fc.Arbitrary<Question> = fc
  .record({
    depth: fc.integer({ min: 0, max: 2 }),
    ones: fc.integer({ min: 0, max: 3 }),
    groupAt: fc.integer({ min: -3, max: 2 }),
    distinct: fc.boolean(),
  })
  .chain(({ depth, ones, groupAt, distinct }) => {
    const given = Math.min(3, depth + ones);
    const canGroup = groupAt >= Math.max(0, given - 1) && groupAt < 2;
    const next = canGroup ? groupAt + 1 : given;
    const bounded = next < 3 && !(canGroup && distinct);
    return fc.record({
      start: startOf(depth),
      oneOf: fc.tuple(
        ...segments
          .slice(depth, given)
          .map((segment) => fc.array(values[segment], { maxLength: 4 })),
      ),
      group: fc.constant(canGroup ? { segment: segments[groupAt], distinct } : undefined),
      since: bounded
        ? fc.option(values[segments[next]], { nil: undefined })
        : fc.constant(undefined),
      reverse: fc.boolean(),
      limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    });
  });

function startOf(depth: number): fc.Arbitrary<Question['start']> {
  if (depth === 0) return fc.constant({ kind: 'root' });
  const prefix = depth === 1 ? fc.record({ area }) : fc.record({ area, name });
  return fc
    .array(prefix, { maxLength: 4 })
    .map((list) => ({ kind: 'prefixes', depth, list: list }));
}

/** The methods of queries, without types: questions are generated. */
interface Query {
  prefixes(list: unknown): Query;
  oneOf(segment: string, list: unknown): Query;
  firstPer(segment: string): Query;
  distinct(segment: string): Query;
  since(segment: string, value: unknown): Query;
  reverse(): Query;
  limit(rows: number): Query;
  scanAll(): Query;
  all(): Promise<object[]>;
  first(): Promise<object | undefined>;
  count(): Promise<number>;
  page(request: { size: number; after?: string }): Promise<{ rows: object[]; next?: string }>;
}

function build(root: Query, { start, oneOf, group, since, reverse, limit }: Question): Query {
  let query = root;
  let depth = 0;
  if (start.kind === 'prefixes') {
    query = query.prefixes(start.list);
    depth = start.depth;
  }
  for (const list of oneOf) query = query.oneOf(segments[depth++], list);
  if (group?.distinct === true) query = query.distinct(group.segment);
  else if (group !== undefined) query = query.firstPer(group.segment);
  const next = group === undefined ? depth : segments.indexOf(group.segment) + 1;
  if (since !== undefined) query = query.since(segments[next], since);
  if (query === root) query = root.scanAll();
  if (reverse) query = query.reverse();
  return limit === undefined ? query : query.limit(limit);
}

function expected(rows: readonly Item[], question: Question, desc: boolean): object[] {
  const { start, oneOf, group, since, reverse, limit } = question;
  let found = rows.filter(
    (each) =>
      start.kind === 'root' ||
      start.list.some((prefix) =>
        Object.entries(prefix).every(([key, value]) => each[key as Segment] === value),
      ),
  );
  let depth = start.kind === 'root' ? 0 : start.depth;
  for (const list of oneOf) {
    const segment = segments[depth++];
    found = found.filter((each) => list.includes(each[segment]));
  }
  const next = segments[group === undefined ? depth : segments.indexOf(group.segment) + 1];
  if (since !== undefined) found = found.filter((each) => order(each[next], since) >= 0);
  found.sort(
    (a, b) => order(a.area, b.area) || order(a.name, b.name) || (desc ? -1 : 1) * order(a.n, b.n),
  );
  if (reverse) found.reverse();
  if (group === undefined) return found.slice(0, limit);
  const names = segments.slice(0, segments.indexOf(group.segment) + 1);
  const seen = new Set<string>();
  const firsts = found.filter((each) => {
    const id = JSON.stringify(names.map((segment) => each[segment]));
    return !seen.has(id) && seen.add(id);
  });
  return firsts.slice(0, limit).map((each) => {
    if (!group.distinct) return each;
    return Object.fromEntries(names.map((segment) => [segment, each[segment]]));
  });
}

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => ({ db, close } = await backEnd.open(entities)));
  afterAll(() => close());

  test('several prefixes and groups return what filtering all rows gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.array(question, { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (rows, questions, size) => {
          const stored = [
            ...new Map(
              rows.map((each) => [JSON.stringify([each.area, each.name, each.n]), each]),
            ).values(),
          ] as Item[];
          for (const entity of entities) {
            const repository = db.repository(entity as typeof Sharded);
            await repository.deleteMany(repository.scanAll().keysOnly());
            await repository.saveMany(rows.map((each) => Object.assign(new entity(), each)));
            for (const question of questions)
              await checkAnswers(repository, question, stored, descending.has(entity), size);
          }
        },
      ),
      { numRuns: Number(process.env.RUNS ?? (backEnd.name === 'memory' ? 10 : 10)) },
    );
  });
});

async function checkAnswers(
  repository: unknown,
  question: Question,
  stored: readonly Item[],
  desc: boolean,
  size: number,
): Promise<void> {
  const query = build(repository as Query, question);
  const result = expected(stored, question, desc).map(plain);
  expect((await query.all()).map(plain)).toEqual(result);
  expect(await query.count()).toBe(result.length);
  expect(plain((await query.first()) ?? {})).toEqual(result[0] ?? {});
  const paged: object[] = [];
  let after: string | undefined;
  do {
    const page = await query.page({ size, after });
    paged.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  expect(paged.map(plain)).toEqual(result);
}

describe('what firstPer reads', () => {
  const fill = async (db: Database) => {
    const repository = db.repository(Sharded);
    await repository.saveMany(
      Array.from({ length: 300 }, (_, i) =>
        repository.create({ area: 'a', name: `n${i % 3}`, n: Math.floor(i / 3), value: i }),
      ),
    );
    return repository;
  };
  const newest = [
    ['n0', 0],
    ['n1', 0],
    ['n2', 0],
  ];

  test('a short read for each group, not the rows between', async () => {
    const { db, seen } = await openWatched(entities, {}, { skipsRows: false });
    const repository = await fill(db);
    seen.plans.length = 0;
    const found = await repository.prefix({ area: 'a' }).firstPer('name').all();
    expect(found.map(({ name: group, n: first }) => [group, first])).toEqual(newest);
    // One shard of five holds a group: a read in each, and one more after each group.
    const rows = seen.plans.reduce((sum, { limit }) => sum + limit!, 0);
    expect(seen.plans.length).toBeLessThan(16);
    expect(rows).toBeLessThan(32);
    await db.close();
  });

  test('one read of each shard where the engine skips rows', async () => {
    const { db, seen } = await openWatched(entities);
    const repository = await fill(db);
    seen.plans.length = 0;
    const query = repository.prefix({ area: 'a' }).firstPer('name');
    expect((await query.all()).map(({ name: group, n }) => [group, n])).toEqual(newest);
    expect(seen.plans).toHaveLength(5);
    expect((await query.since('n', 7).all()).map(({ n }) => n)).toEqual([7, 7, 7]);
    expect(seen.plans).toHaveLength(10);
    expect(seen.openStreams).toBe(0);
    await db.close();
  });

  test('an aborted signal ends the reads', async () => {
    const db = await open('memory:', { entities });
    const repository = db.repository(Rising);
    await repository.saveMany(
      Array.from({ length: 100 }, (_, i) =>
        repository.create({ area: 'a', name: `n${i}`, n: 0, value: i }),
      ),
    );
    const controller = new AbortController();
    const pages = repository.prefix({ area: 'a' }).firstPer('name').signal(controller.signal);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { name: group } of pages) {
        seen.push(group);
        controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(seen.length).toBeLessThan(100);
    await db.close();
  });

  test('explain names the values and the groups', async () => {
    const db = await open('memory:', { entities });
    const query = db
      .repository(Rising)
      .oneOf('area', ['a', 'b', 'c', 'd', 'e', 'f'])
      .firstPer('name');
    expect(query.since('n', 2).explain().toString().split('\n').slice(0, 4)).toEqual([
      'scan      Rising in table shared',
      "where     area is one of 'a', 'b', 'c', 'd', 'e', ... (6 values) and n >= 2",
      'first     row of each name: the rows between are skipped',
      'range     [r#a# .. r#a$)',
    ]);
    await db.close();
  });
});

describe('wrong arguments', () => {
  const faults: [string, (root: Query) => unknown][] = [
    ['the wrong segment', (root) => root.oneOf('name', ['a'])],
    ['undefined among the values', (root) => root.oneOf('area', ['a', undefined])],
    ['no array', (root) => root.oneOf('area', 'a')],
    ['a value of another type', (root) => root.oneOf('area', [1])],
    ['a bound before', (root) => root.since('area', 'a').oneOf('area', ['a'])],
    [
      'prefixes of different segments',
      (root) => root.prefixes([{ area: 'a' }, { area: 'a', name: 'b' }]),
    ],
    ['a prefix with a gap', (root) => root.prefixes([{ name: 'a' }])],
    ['the last segment', (root) => root.firstPer('n')],
    ['an unknown segment', (root) => root.distinct('colour')],
    ['two groups', (root) => root.firstPer('area').firstPer('name')],
    ['a bound that is not on the next segment', (root) => root.firstPer('area').since('n', 1)],
    ['a bound of another type', (root) => root.firstPer('area').since('name', 1)],
    [
      'too many combinations',
      (root) => root.oneOf('area', Array(400).fill('a')).oneOf('name', Array(400).fill('b')),
    ],
  ];
  test.each(faults)('%s', async (_title, ask) => {
    const db = await open('memory:', { entities });
    const root = db.repository(Rising) as unknown as Query;
    expect(() => ask(root)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/INVALID_(QUERY|KEY)/),
        details: expect.objectContaining({ entity: 'Rising' }),
      }),
    );
    await db.close();
  });
});
