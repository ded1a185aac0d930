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
  row,
  type Sharded,
} from './key-shapes.js';
import { storages } from '../support/watched.js';

type Bound =
  | { kind: 'none' }
  | { kind: 'since'; at: unknown }
  | { kind: 'until'; at: unknown }
  | { kind: 'between'; from: unknown; to: unknown }
  | { kind: 'startsWith'; text: string };
interface QueryParts {
  prefix: { area?: string; name?: string };
  bound: Bound;
  reverse: boolean;
  limit?: number;
  select?: ('value' | 'note')[];
}

const boundOf = (
  value: fc.Arbitrary<unknown>,
  starts?: fc.Arbitrary<string>,
): fc.Arbitrary<Bound> =>
  fc.oneof(
    fc.constant<Bound>({ kind: 'none' }),
    value.map((at): Bound => ({ kind: 'since', at })),
    value.map((at): Bound => ({ kind: 'until', at })),
    fc.tuple(value, value).map(([from, to]): Bound => ({ kind: 'between', from, to })),
    ...(starts === undefined ? [] : [starts.map((text): Bound => ({ kind: 'startsWith', text }))]),
  );
const anyQuery: fc.Arbitrary<QueryParts> = fc
  .oneof(
    // On the first segment an empty text is rejected: it would be an unnamed full scan.
    fc.tuple(
      fc.constant({}),
      boundOf(
        area,
        name.filter((text) => text !== ''),
      ),
    ),
    fc.tuple(fc.record({ area }), boundOf(name, name)),
    fc.tuple(fc.record({ area, name }), boundOf(n)),
  )
  .chain(([prefix, bound]) =>
    fc.record({
      prefix: fc.constant(prefix),
      bound: fc.constant(bound),
      reverse: fc.boolean(),
      limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
      select: fc.option(fc.subarray<'value' | 'note'>(['value', 'note'], { minLength: 1 }), {
        nil: undefined,
      }),
    }),
  );

interface Query {
  all(): Promise<unknown[]>;
  limit(n: number): Query;
  reverse(): Query;
  select(...names: string[]): Query;
  keysOnly(): Query;
  count(): Promise<number>;
  first(): Promise<unknown>;
  page(request: {
    size: number;
    after?: string | undefined;
  }): Promise<{ rows: readonly unknown[]; next?: string }>;
}
type Loose = Query &
  Record<'since' | 'until' | 'startsWith', (segment: string, value: unknown) => Query> & {
    between(segment: string, from: unknown, to: unknown): Query;
  };

function build(root: unknown, { prefix, bound, reverse, limit, select }: QueryParts): Query {
  const start = root as Loose & { prefix(segments: object): Loose; scanAll(): Query };
  const fixed = Object.keys(prefix).length;
  const segment = ['area', 'name', 'n'][fixed];
  const from = fixed === 0 ? start : start.prefix(prefix);
  let query: Query = from;
  if (bound.kind === 'none' && fixed === 0) query = start.scanAll();
  else if (bound.kind === 'between') query = from.between(segment, bound.from, bound.to);
  else if (bound.kind === 'startsWith') query = from.startsWith(segment, bound.text);
  else if (bound.kind !== 'none') query = from[bound.kind](segment, bound.at);
  if (reverse) query = query.reverse();
  if (limit !== undefined) query = query.limit(limit);
  return select === undefined ? query : query.select(...select);
}

/** The expected result, computed from a list of all rows. */
function expected(
  rows: readonly Item[],
  { prefix, bound, reverse, limit, select }: QueryParts,
  desc: boolean,
): unknown[] {
  const segment = (['area', 'name', 'n'] as const)[Object.keys(prefix).length];
  const inBound = (value: unknown): boolean => {
    if (bound.kind === 'since') return order(value, bound.at) >= 0;
    if (bound.kind === 'until') return order(value, bound.at) < 0;
    if (bound.kind === 'between')
      return order(value, bound.from) >= 0 && order(value, bound.to) < 0;
    return bound.kind !== 'startsWith' || (value as string).startsWith(bound.text);
  };
  const found = rows
    .filter(
      (each) =>
        Object.entries(prefix).every(([key, value]) => each[key as 'name'] === value) &&
        inBound(each[segment]),
    )
    .filter(
      (each) => select === undefined || select.some((property) => each[property] !== undefined),
    )
    .sort(
      (a, b) => order(a.area, b.area) || order(a.name, b.name) || (desc ? -1 : 1) * order(a.n, b.n),
    );
  if (reverse) found.reverse();
  return found.slice(0, limit).map((each) => {
    if (select === undefined) return each;
    const chosen = Object.fromEntries(
      select
        .filter((property) => each[property] !== undefined)
        .map((property) => [property, each[property]]),
    );
    return { area: each.area, name: each.name, n: each.n, ...chosen };
  });
}

describe.each(storages)('on $storage', ({ storage, make }) => {
  const { url, remove } = make();
  let db: Database;
  beforeAll(async () => {
    db = await open(url, { entities, durability: 'relaxed' });
  });
  afterAll(async () => {
    await db.close();
    remove();
  });

  test('a query returns what filtering all rows gives, in one read and page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.array(anyQuery, { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (rows, questions, size) => {
          for (const entity of entities) {
            const repository = db.repository(entity as typeof Sharded);
            await repository.deleteMany(repository.scanAll().keysOnly());
            await repository.saveMany(rows.map((each) => Object.assign(new entity(), each)));
            const stored = [
              ...new Map(
                rows.map((each) => [JSON.stringify([each.area, each.name, each.n]), each]),
              ).values(),
            ];
            for (const parts of questions) {
              const query = build(repository, parts);
              const result = expected(stored as Item[], parts, descending.has(entity)).map(plain);
              expect((await query.all()).map(plain)).toEqual(result);
              expect(await query.count()).toBe(result.length);
              expect(plain((await query.first()) ?? {})).toEqual(result[0] ?? {});
              const paged: unknown[] = [];
              let after: string | undefined;
              do {
                const page = await query.page({ size, after });
                expect(page.rows.length).toBe(Math.min(size, result.length - paged.length));
                paged.push(...page.rows);
                after = page.next;
              } while (after !== undefined);
              expect(paged.map(plain)).toEqual(result);
            }
          }
        },
      ),
      { numRuns: Number(process.env.RUNS ?? (storage === 'memory' ? 8 : 5)) },
    );
  });
});
