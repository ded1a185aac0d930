/** Scopes: nothing that a caller passes reaches a row outside of them. */
import { type Database, reference } from '../../../../src/index.js';
import { EntityRepository } from '../../../../src/entities/repository/index.js';
import { EntityQuery } from '../../../../src/entities/repository/read/query/entity-query.js';
import { KeyQuery } from '../../../../src/entities/repository/read/query/key-query.js';
import { Query } from '../../../../src/entities/repository/read/query/query.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import type { Row, Plain } from './scoped-rows.js';
import { entities, tenants, devices, type Untyped, others, fill } from './scoped-rows.js';

type Call = (repository: Untyped, values: Values) => unknown;

/** What a call is given: a key, and what it says of the tenant. */
interface Values {
  readonly entity: new () => Row;
  /** As the call names it: maybe the scope's, maybe another, maybe none. */
  readonly tenant?: unknown;
  readonly device: string;
  readonly n: number;
}

const keyOf = ({ tenant, device, n }: Values): object =>
  tenant === undefined ? { device, n } : { tenant, device, n };

const prefixOf = ({ tenant, device }: Values): object =>
  tenant === undefined ? { device } : { tenant, device };

const entityOf = (values: Values): Row =>
  Object.assign(new values.entity(), keyOf(values), { value: 1, note: 'written' });

/** A query of an index, by whatever the call names. */
const scanned = (found: Untyped, v: Values): unknown => {
  const query = v.device === '' ? (found.covered() as Untyped) : found;
  if (v.n === 1) return query.scanAll();
  if (v.tenant !== undefined) return query.prefix({ tenant: v.tenant, value: 1 });
  return query.prefix({ value: 1 });
};

/** A call of every method of a repository. One that is added needs a line here. */
const calls: Record<string, Call> = {
  create: (r, v) => r.create({ ...keyOf(v), note: 'written' }),
  get: (r, v) => r.get(keyOf(v)),
  getOrThrow: (r, v) => r.getOrThrow(keyOf(v)),
  getMany: (r, v) => r.getMany([keyOf(v), { device: v.device, n: v.n }]),
  exists: (r, v) => r.exists(keyOf(v)),
  history: (r, v) => r.history(keyOf(v), 'note'),
  save: (r, v) => r.save(entityOf(v)),
  insert: (r, v) => r.insert(entityOf(v)),
  patch: (r, v) => r.patch(keyOf(v), { note: 'written' }, v.n === 1 ? {} : { remove: ['value'] }),
  delete: (r, v) => r.delete(keyOf(v)),
  saveMany: (r, v) => r.saveMany([entityOf(v)]),
  deleteMany: (r, v) => r.deleteMany([keyOf(v)]),
  increment: (r, v) =>
    v.n === 1
      ? r.increment(keyOf(v), 'hits', 5n)
      : r.increment(keyOf(v), { hits: 5n }, { append: { note: '!' } }),
  update: (r, v) => r.update(keyOf(v), (row: Row) => void (row.note = 'written')),
  insertMany: (r, v) => r.insertMany([entityOf(v)]),
  patchMany: (r, v) =>
    r.patchMany([{ key: keyOf(v), changes: { note: 'written' }, remove: ['value'] }]),
  append: (r, v) => r.append(keyOf(v), { note: '!' }),
  incrementMany: (r, v) => r.incrementMany([{ key: keyOf(v), changes: { hits: 5n } }]),
  incrementEntry: (r, v) => r.incrementEntry(keyOf(v), 'counts', 'a', 5n),
  entryHistory: (r, v) => r.entryHistory(keyOf(v), 'counts', 'a'),
  toJSON: (r, v) => void r.toJSON(entityOf(v)),
  fromJSON: (r, v) => r.fromJSON({ ...keyOf(v), note: 'written' }),
  series: (r) => r.series('counts'),
  prefix: (r, v) => r.prefix(prefixOf(v)),
  prefixes: (r, v) => r.prefixes([prefixOf(v), { device: 'e' }]),
  oneOf: (r, v) =>
    v.tenant === undefined ? r.oneOf('device', [v.device]) : r.oneOf('tenant', [v.tenant]),
  firstPer: (r, v) => r.firstPer(v.tenant === undefined ? 'device' : 'tenant'),
  distinct: (r, v) => r.distinct(v.tenant === undefined ? 'device' : 'tenant'),
  between: (r, v) =>
    v.tenant === undefined ? r.between('device', '', 'e') : r.between('tenant', 'a', 'z'),
  since: (r, v) =>
    v.tenant === undefined ? r.since('device', v.device) : r.since('tenant', v.tenant),
  until: (r, v) => (v.tenant === undefined ? r.until('device', 'e') : r.until('tenant', 'z')),
  startsWith: (r, v) =>
    v.tenant === undefined ? r.startsWith('device', 'd') : r.startsWith('tenant', 'a'),
  subdomains: (r, v) => r.subdomains(v.tenant === undefined ? 'device' : 'tenant', 'a'),
  scanAll: (r) => r.scanAll(),
  index: (r, v) => scanned(r.index('byValue'), v),
};

/** What a query is followed by. */
const continuations: Record<string, (query: Untyped, v: Values) => unknown> = {
  scanAll: (q) => q.scanAll(),
  prefix: (q, v) => q.prefix(prefixOf(v)),
  prefixes: (q, v) => q.prefixes([prefixOf(v)]),
  oneOf: (q, v) => q.oneOf('n', [v.n]),
  firstPer: (q) => q.firstPer('device'),
  distinct: (q) => q.distinct('device'),
  between: (q) => q.between('n', -9, 9),
  since: (q) => q.since('n', -9),
  until: (q) => q.until('n', 9),
  startsWith: (q) => q.startsWith('device', 'd'),
  subdomains: (q) => q.subdomains('device', 'd'),
  limit: (q) => q.limit(2),
  reverse: (q) => q.reverse(),
  select: (q, v) => q.select(...(v.tenant === undefined ? ['note'] : ['note', 'tenant'])),
  keysOnly: (q) => q.keysOnly(),
  versions: (q) => q.versions(1),
  asOf: (q) => q.asOf(new Date()),
  signal: (q) => q.signal(new AbortController().signal),
  explain: (q) => void q.explain(),
  first: (q) => q.first(),
  all: (q) => q.all(),
  pages: (q) => q.pages(),
  page: (q) => q.page({ size: 1 }),
  count: (q) => q.count(),
  aggregate: (q) => q.aggregate({ n: 'count' }),
  groupBy: (q) => q.groupBy('device'),
  split: (q) => q.split(3),
  delete: (q) => q.delete(),
  whereFrom: (q, v) =>
    q.whereFrom(v.tenant === undefined ? { note: 'written' } : { tenant: v.tenant }, {
      allow: v.n === 1 ? { note: ['equals'] } : { note: ['equals'], tenant: ['equals'] },
    }),
  include: (q, v) => {
    const by = { tenant: v.n === 1 ? 'tenant' : 'note', device: 'device', n: 'n' };
    return q.include({ other: reference(() => v.entity as typeof Plain, by) });
  },
  where: (q, v) => q.where(v.tenant === undefined ? { note: 'written' } : { tenant: v.tenant }),
  series: (q) => q.series('counts'),
};

/** Everything that an answer contains: rows, pages, entities, nested in any way. */
async function rowsOf(answer: unknown): Promise<Partial<Row>[]> {
  const value = await answer;
  if (typeof value !== 'object' || value === null) return [];
  if (Symbol.asyncIterator in value) {
    const found: Partial<Row>[] = [];
    for await (const each of value as AsyncIterable<unknown>) found.push(...(await rowsOf(each)));
    return found;
  }
  if (Array.isArray(value)) return (await Promise.all(value.map(rowsOf))).flat();
  if ('rows' in value) return rowsOf(value.rows);
  if ('failures' in value) {
    const [failure] = value.failures as { error: unknown }[];
    if (failure !== undefined) throw failure.error as Error;
    return [];
  }
  return 'device' in value ? [value as Partial<Row>] : [];
}

/** What queries share with their subclasses. */
const internal = [
  'source',
  'state',
  'ranges',
  'planned',
  'reading',
  'open',
  'with',
  'withKey',
  'renewed',
  'assertCondition',
  'checkOptions',
];

const methodsOf = (prototype: object): string[] =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');

test('every method of repositories and queries is among the calls of these tests', () => {
  expect(methodsOf(EntityRepository.prototype).sort()).toEqual(Object.keys(calls).sort());
  const queries = [Query, KeyQuery, EntityQuery].flatMap(({ prototype }) => methodsOf(prototype));
  const inherited = queries.filter((name) => !internal.includes(name));
  expect(inherited.sort()).toEqual(Object.keys(continuations).sort());
});

const errors =
  /^(OUTSIDE_SCOPE|REVISION_CONFLICT|UNSUPPORTED|INVALID_QUERY|INVALID_KEY|INVALID_ARGUMENT|INVALID_VALUE|ROW_EXISTS|ROW_NOT_FOUND)$/;

describe.each(backEnds)('on $name', ({ name, open: opening }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await opening(entities));
    await fill(db);
  });
  afterAll(() => close());

  test('no call reaches outside, whatever it names', async () => {
    const call = fc.record({
      entity: fc.constantFrom(...entities),
      method: fc.constantFrom(...Object.keys(calls)),
      then: fc.option(fc.constantFrom(...Object.keys(continuations)), { nil: undefined }),
      scope: fc.constantFrom(...tenants),
      tenant: fc.option(fc.oneof(fc.constantFrom(...tenants), fc.constantFrom(null, 5, {}, '')), {
        nil: undefined,
      }),
      device: fc.constantFrom(...devices),
      n: fc.integer({ min: 1, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (list) => {
        for (const { entity, method, then, scope, ...key } of list) {
          const values: Values = { ...key, entity };
          const rows = db.scope({ tenant: scope }).repository(entity as typeof Plain);
          const before = await others(db, entity as typeof Plain, scope);
          try {
            let answer: unknown = calls[method](rows as never, values);
            const isQuery = answer instanceof Query;
            if (then !== undefined && isQuery && then in (answer as object))
              answer = continuations[then](answer as never, values);
            for (const { tenant } of await rowsOf(answer))
              expect([undefined, scope]).toContain(tenant);
            // Something was done or read: then it did not name another tenant.
            if (/get|exists|save|insert|patch|delete|increment|append|create|prefix/.test(method))
              expect([undefined, scope]).toContain(values.tenant);
          } catch (error) {
            expect((error as { code?: string }).code).toMatch(errors);
            expect((error as { details: object }).details).toMatchObject({
              entity: expect.stringMatching(new RegExp(`^${entity.name}(\\.byValue)?$`)),
              problem: expect.any(String),
              fix: expect.any(String),
            });
          }
          expect(await others(db, entity as typeof Plain, scope)).toEqual(before);
        }
      }),
      { numRuns: Number(process.env.RUNS ?? (name === 'memory' ? 10 : 10)) },
    );
  });

  test.each(entities)('reads and writes of $name reach the tenant only', async (entity) => {
    const whole = db.repository(entity as typeof Plain);
    const rows = db.scope({ tenant: 'a' }).repository(entity as typeof Plain);
    await whole.prefix({ tenant: 'a' }).delete();
    expect(await rows.scanAll().count()).toBe(0);
    const made = rows.create({ device: 'd', n: 1, note: 'x' });
    expect(made).toMatchObject({ tenant: 'a', device: 'd' });
    // The segments of the scope need not be in the JSON, as they need not be given to create().
    const parsed = rows.fromJSON({ device: 'd', n: 1, note: 'x' });
    expect(parsed).toEqual(made);
    expect(rows.fromJSON(JSON.parse(JSON.stringify(made)))).toEqual(made);
    expect(() => rows.fromJSON({ tenant: 'b', device: 'd', n: 1 })).toThrow(
      expect.objectContaining({ code: 'OUTSIDE_SCOPE' }),
    );
    await rows.insert(made);
    await rows.save(rows.create({ device: 'e', n: 2, note: 'y' }));
    await rows.patch({ device: 'e', n: 3 }, { note: 'z' });
    await rows.increment({ device: 'e', n: 3 }, 'hits');
    expect((await rows.append({ device: 'e', n: 3 }, { note: '!' })).note).toBe('z!');
    expect(await rows.get({ device: 'e', n: 3 })).toEqual(
      await whole.get({ tenant: 'a', device: 'e', n: 3 }),
    );
    expect((await rows.get({ device: 'd', n: 1 }))!.tenant).toBe('a');
    expect(await rows.scanAll().all()).toEqual(await whole.prefix({ tenant: 'a' }).all());
    expect(await rows.prefix({ device: 'd' }).keysOnly().all()).toEqual([{ device: 'd', n: 1 }]);
    expect(await rows.prefix({ device: 'd' }).select('note').all()).toEqual([
      { device: 'd', n: 1, note: 'x' },
    ]);
    expect(await rows.distinct('device').all()).toEqual([{ device: 'd' }, { device: 'e' }]);
    expect(await rows.patterns.ofTenant().count()).toBe(3);
    expect(await rows.patterns.ofDevice({ device: 'd', n: 0 }).count()).toBe(1);
    expect(await rows.patterns.notes().first()).toEqual({ device: 'd', n: 1, note: 'x' });
    const page = await rows.scanAll().page({ size: 2 });
    expect((await rows.scanAll().page({ size: 2, after: page.next })).rows).toHaveLength(1);
    await expect(
      db
        .scope({ tenant: 'b' })
        .repository(entity as typeof Plain)
        .scanAll()
        .page({ size: 2, after: page.next }),
    ).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
    await rows.prefix({ device: 'e' }).delete();
    expect(await whole.prefix({ tenant: 'a' }).keysOnly().all()).toEqual([
      { tenant: 'a', device: 'd', n: 1 },
    ]);
    // A key with the segment, such as an entity, is accepted if it is of the scope.
    await rows.delete(made);
    expect(await whole.exists({ tenant: 'a', device: 'd', n: 1 })).toBe(false);
  });
});
