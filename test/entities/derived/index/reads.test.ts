/** Queries of indexes return what filtering and sorting all rows returns, on every back end. */
import type { Database, RowsmithError } from '../../../../src/index.js';
import type { IndexModel } from '../../../../src/entities/model/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';
import fc from '../../../support/fast-check.js';
import { DeviceEvent, Order } from './entities.js';
import {
  entriesIn,
  type Found,
  injectEntry,
  rowsIn,
  type Untyped,
  type Values,
} from './index-oracle.js';

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
const tenants = ['acme', 'acme2', 'b'];
const statuses = ['open', 'paid', 'op', ''];

/** Conditions on the key of an index, and what they mean for an entry. */
interface Condition {
  readonly index: 'byStatus' | 'byEmail' | 'byCustomer';
  readonly build: (query: Untyped) => Untyped;
  readonly matches: (entry: Values) => boolean;
}

const tenant = fc.constantFrom(...tenants);
const status = fc.constantFrom(...statuses);
const day = fc.integer({ min: 1, max: 9 });
const millis = (value: unknown): number => (value as Date).getTime();
const conditions: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom('byStatus', 'byEmail', 'byCustomer').map((index): Condition => ({
    index: index,
    build: (query) => query.scanAll(),
    matches: () => true,
  })),
  tenant.chain((t) =>
    fc.constantFrom('byStatus', 'byEmail').map((index): Condition => ({
      index: index,
      build: (query) => query.prefix({ tenant: t }),
      matches: (entry) => entry.tenant === t,
    })),
  ),
  fc.tuple(tenant, fc.uniqueArray(status)).map(([t, list]): Condition => ({
    index: 'byStatus',
    build: (query) => query.prefix({ tenant: t }).oneOf('status', list),
    matches: (entry) => entry.tenant === t && list.includes(entry.status as string),
  })),
  fc.tuple(tenant, fc.constantFrom('o', 'op', 'p', '')).map(([t, text]): Condition => ({
    index: 'byStatus',
    build: (query) => query.prefix({ tenant: t }).startsWith('status', text),
    matches: (entry) => entry.tenant === t && (entry.status as string).startsWith(text),
  })),
  fc.uniqueArray(tenant).map((list): Condition => ({
    index: 'byStatus',
    build: (query) => query.prefixes(list.map((t) => ({ tenant: t, status: 'open' }))),
    matches: (entry) => list.includes(entry.tenant as string) && entry.status === 'open',
  })),
  fc.tuple(tenant, status, day, day).map(([t, s, a, b]): Condition => ({
    index: 'byStatus',
    build: (query) =>
      query
        .prefix({ tenant: t, status: s })
        .between('placedAt', at(Math.min(a, b)), at(Math.max(a, b))),
    matches: (entry) =>
      entry.tenant === t &&
      entry.status === s &&
      millis(entry.placedAt) >= millis(at(Math.min(a, b))) &&
      millis(entry.placedAt) < millis(at(Math.max(a, b))),
  })),
  fc.tuple(tenant, day).map(([t, d]): Condition => ({
    index: 'byStatus',
    build: (query) => query.prefix({ tenant: t, status: 'open' }).since('placedAt', at(d)),
    matches: (entry) =>
      entry.tenant === t && entry.status === 'open' && millis(entry.placedAt) >= millis(at(d)),
  })),
  day.map((d): Condition => ({
    index: 'byEmail',
    build: (query) => query.prefix({ tenant: 'acme' }).until('email', `${d}`),
    matches: (entry) => entry.tenant === 'acme' && (entry.email as string) < `${d}`,
  })),
);

/** Modifications of a query that do not depend on its key. */
interface Options {
  readonly where: number | undefined;
  readonly limit: number | undefined;
  readonly reversed: boolean;
  readonly pageRows: number;
}
const options: fc.Arbitrary<Options> = fc.record({
  where: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  reversed: fc.boolean(),
  pageRows: fc.integer({ min: 1, max: 7 }),
});

const order = fc.record({
  tenant,
  id: fc.integer({ min: 1, max: 12 }),
  status: fc.option(status, { nil: undefined }),
  placedAt: fc.option(day.map(at), { nil: undefined }),
  email: fc.option(
    fc.integer({ min: 1, max: 9 }).map((n) => `${n}@x`),
    { nil: undefined },
  ),
  customer: fc.option(fc.constantFrom('ann', 'bob', ''), { nil: undefined }),
  total: fc.option(fc.integer({ min: 0, max: 9 }).map(BigInt), { nil: undefined }),
  note: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
});

/** A write by one of several methods, or an entry that no row backs. */
const write = fc.record({
  method: fc.constantFrom('save', 'patch', 'delete', 'saveMany', 'patchTwo', 'byStatus', 'byEmail'),
  order,
});

async function apply(db: Database, method: string, values: Values): Promise<void> {
  const orders = db.repository(Order);
  const key = { tenant: values.tenant as string, id: values.id as number };
  const { tenant: _tenant, id: _id, ...columns } = values;
  const entity = orders.create(values as never);
  try {
    if (method === 'save') await orders.save(entity);
    if (method === 'patch') await orders.patch(key, columns);
    if (method === 'delete') await orders.delete(key);
    if (method === 'saveMany')
      await orders.saveMany([
        entity,
        orders.create(Object.assign({}, values, { id: 20 }) as never),
      ]);
    if (method === 'patchTwo') await orders.patch(key, { note: 'z', total: 5n });
    const index = orders.model.indexes.find(({ name }) => name === method);
    if (index !== undefined) await injectEntry(db, Order, index, values);
  } catch (error) {
    // The unique index, and rows without a value.
    const { code } = error as RowsmithError;
    if (code !== 'UNIQUE_VIOLATION' && code !== 'EMPTY_ROW') throw error;
  }
}

function modelOf(db: Database, name: string): IndexModel {
  return db.repository(Order).model.indexes.find((index) => index.name === name)!;
}

/** The rows of all pages, and the sizes of the pages. */
async function paged(query: Untyped, size: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await query.page({ size, after });
    expect(page.rows.length).toBeLessThanOrEqual(size);
    if (page.next !== undefined) expect(page.rows).toHaveLength(size);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

async function iterated(query: Untyped): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of query) rows.push(row);
  return rows;
}

/** What the query finds, by the oracle. */
function select(
  all: Found[],
  { matches }: Condition,
  { where, limit, reversed }: Options,
): Found[] {
  const found = all.filter(
    ({ entry, row }) =>
      matches(entry) &&
      (where === undefined || (row.total !== undefined && (row.total as bigint) >= BigInt(where))),
  );
  if (reversed) found.reverse();
  return found.slice(0, limit);
}

function queryOf(root: Untyped, { build }: Condition, given: Options): Untyped {
  let query = build(root);
  if (given.where !== undefined) query = query.where({ total: { atLeast: BigInt(given.where) } });
  if (given.limit !== undefined) query = query.limit(given.limit);
  return given.reversed ? query.reverse() : query;
}

const pick = (row: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((n) => row[n] !== undefined).map((n) => [n, row[n]]));
const sumOf = (rows: Values[]): bigint =>
  rows.reduce((sum, { total }) => sum + ((total as bigint | undefined) ?? 0n), 0n);

/** Compares every form of a query with what the oracle found. */
async function expectRows(query: Untyped, rows: Values[], { pageRows }: Options): Promise<void> {
  expect(await query.all()).toEqual(rows);
  expect(await iterated(query)).toEqual(rows);
  expect(await paged(query, pageRows)).toEqual(rows);
  expect(await query.first()).toEqual(rows[0]);
  expect(await query.count()).toBe(rows.length);
  const keys = rows.map((row) => pick(row, ['tenant', 'id']));
  expect(await query.keysOnly().all()).toEqual(keys);
  expect(await paged(query.keysOnly(), pageRows)).toEqual(keys);
  for (const names of [['note'], ['status', 'note'], ['total', 'email', 'customer']])
    expect(await query.select(...names).all()).toEqual(
      rows.map((row) => pick(row, ['tenant', 'id', ...names])),
    );
  expect(await query.aggregate({ n: 'count', sum: { sum: 'total' } })).toEqual({
    n: rows.length,
    sum: sumOf(rows),
  });
  await expectGroups(query, rows);
}

async function expectGroups(query: Untyped, rows: Values[]): Promise<void> {
  for (const group of ['tenant', 'status', 'customer']) {
    const values = [...new Set(rows.map((row) => row[group]))];
    const groups = query.groupBy(group).aggregate({ n: 'count' });
    expect(await groups.all()).toEqual(
      values.map((value) => ({
        [group]: value,
        n: rows.filter((row) => row[group] === value).length,
      })),
    );
  }
}

async function expectEntries(query: Untyped, found: Found[], { pageRows }: Options): Promise<void> {
  const rows = found.map(({ row }) => row);
  expect(await query.all()).toEqual(rows);
  expect(await iterated(query)).toEqual(rows);
  expect(await paged(query, pageRows)).toEqual(rows);
  expect(await query.first()).toEqual(rows[0]);
  expect(await query.count()).toBe(rows.length);
  const entries = found.map(({ entry }) => entry);
  expect(await query.keysOnly().all()).toEqual(entries);
}

describe.each(backEnds)('$name', ({ name, open }) => {
  const numRuns = Number(process.env.RUNS ?? (name === 'memory' ? 8 : 6));
  let opened: OpenedBackEnd;
  let db: Database;
  beforeAll(async () => {
    opened = await open([Order, DeviceEvent]);
    ({ db } = opened);
  });
  afterAll(() => opened.close());

  test('every form of a query finds what a scan of all rows finds', async () => {
    const step = fc.record({
      writes: fc.array(write, { minLength: 1, maxLength: 12 }),
      condition: conditions,
      options,
    });
    await fc.assert(
      fc.asyncProperty(step, async ({ writes, condition, options: given }) => {
        for (const each of writes) await apply(db, each.method, each.order);
        const index = modelOf(db, condition.index);
        const root = db.repository(Order).index(condition.index) as unknown as Untyped;
        const rows = select(await rowsIn(db, Order, index), condition, given);
        await expectRows(
          queryOf(root, condition, given),
          rows.map(({ row }) => row),
          given,
        );
        const covers = index.covered.includes('total');
        const own = { ...given, where: covers ? given.where : undefined };
        const entries = select(await entriesIn(db, Order, index), condition, own);
        const covered = root.covered();
        await expectEntries(queryOf(covered, condition, own), entries, own);
      }),
      { numRuns },
    );
  });

  test('get of a unique index and of a plain one', async () => {
    const orders = db.repository(Order);
    for (const name of ['byEmail', 'byStatus'] as const) {
      const found = await rowsIn(db, Order, modelOf(db, name));
      // The random writes may have left none that is without a row.
      const stale = { ...found[0].row, id: 999, email: 'nobody@example.com' };
      await injectEntry(db, Order, modelOf(db, name), stale);
      const stored = await entriesIn(db, Order, modelOf(db, name));
      expect(stored.length).toBeGreaterThan(found.length);
      const index = orders.index(name) as unknown as Untyped;
      const covered = index.covered();
      for (const { key, entry, row } of stored) {
        const backed = found.find((each) => each.key.equals(key));
        expect(await index.get(entry)).toEqual(backed?.row);
        expect(await covered.get(entry)).toEqual(row);
      }
      expect(await index.get({ ...stored[0].entry, tenant: 'nobody' })).toBeUndefined();
    }
  });

  test('entries with other values than the rows: floored, lower case, null, descending', async () => {
    const events = db.repository(DeviceEvent);
    const event = (n: number, rest: Partial<DeviceEvent>) =>
      events.create({ tenant: `t${n % 2}`, device: `d${n % 5}`, n, level: n % 3, ...rest });
    await events.saveMany(
      Array.from({ length: 40 }, (_, n) =>
        event(n, {
          at: new Date(Date.UTC(2026, 0, 1, n % 4, n)),
          kind: ['Door', 'DOOR', 'door', 'Fire'][n % 4],
          level: n % 3 === 0 ? undefined : n % 3,
        }),
      ),
    );
    for (const index of events.model.indexes) {
      const expected = (await rowsIn(db, DeviceEvent, index)).map(({ row }) => row);
      expect(expected).toHaveLength(40);
      const query = events.index(index.name as 'byHour');
      expect(await query.scanAll().all()).toEqual(expected);
      expect(await query.scanAll().reverse().limit(7).all()).toEqual(
        expected.slice().reverse().slice(0, 7),
      );
      expect(await paged(query.scanAll() as unknown as Untyped, 9)).toEqual(expected);
      const entries = (await entriesIn(db, DeviceEvent, index)).map(({ row }) => row);
      expect(await query.covered().scanAll().all()).toEqual(entries);
    }
    const noon = new Date(Date.UTC(2026, 0, 1, 1, 59));
    const ofHour = events.index('byHour').prefix({ tenant: 't1', at: noon });
    const hours = (await ofHour.all()).map((row) => row.at!.getUTCHours());
    expect(hours.length).toBeGreaterThan(0);
    expect(new Set(hours)).toEqual(new Set([1]));
    // Times of one hour are not adjacent by their minutes: separate groups all the same.
    const minutes = await ofHour.groupBy('at').aggregate({ n: 'count' }).all();
    expect(minutes).toHaveLength(hours.length);
    const door = events.index('byKind').prefix({ tenant: 't0', kind: 'dOOr' });
    expect(new Set((await door.all()).map(({ kind }) => kind))).toEqual(new Set(['Door', 'door']));
    expect(await door.groupBy('kind').aggregate({ n: 'count' }).all()).toHaveLength(2);
    const none = events.index('byNullable').prefix({ tenant: 't1', level: null });
    expect((await none.all()).map(({ level }) => level)).toEqual(
      (await none.all()).map(() => undefined),
    );
    expect(await none.count()).toBeGreaterThan(0);
  });
});
