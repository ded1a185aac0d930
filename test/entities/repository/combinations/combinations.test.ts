/** All that queries can do, in random combinations, against all rows and plain JavaScript. */
import { type Database, entriesOf, entryCountOf, entryKeysOf } from '../../../../src/index.js';
import type { EntityModel } from '../../../../src/entities/model/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import {
  allowed,
  type Case,
  familiesOf,
  queryCase,
  resultOf,
  type Row,
  rowsOf,
} from './combination-cases.js';
import { entities, fillRows, PlainEvent, quarter, SpreadEvent } from './combination-entities.js';

/** The methods of queries, without types: they are called at random. */
interface Query {
  [method: string]: (...args: unknown[]) => Query;
}
interface Results {
  all(options?: object): Promise<Row[]>;
  first(): Promise<Row | undefined>;
  count(): Promise<number>;
  page(request: { size: number; after?: string }): Promise<{ rows: Row[]; next?: string }>;
  aggregate(values: object): Promise<Row>;
  split(parts: number): Promise<Results[]>;
  groupBy(...groups: unknown[]): { aggregate(values: object): Results };
}

const modes = backEnds.flatMap((backEnd) => [
  { ...backEnd, gc: undefined },
  ...(backEnd.name.startsWith('live')
    ? [{ ...backEnd, name: `${backEnd.name}, onRead`, gc: 'onRead' as const }]
    : []),
]);
/** More with `RUNS=300 SEED=new npx jest test/entities/repository/combinations`. */
const runsOf = (name: string): number =>
  Number(process.env.RUNS ?? (name.startsWith('live') ? 4 : 8));

describe.each(modes)('on $name', ({ name, open, gc }) => {
  let db: Database;
  let close: () => Promise<void>;
  let asOf: Date;
  beforeAll(async () => {
    let back = 0;
    const clock = (): number => Date.now() - back;
    ({ db, close } = await open(entities, { clock, gc, observe: { log: () => undefined } }));
    asOf = await fillRows(db, (hours) => (back = hours * 3_600_000));
  });
  afterAll(() => close());

  test.each([PlainEvent, SpreadEvent])(
    'queries of %p',
    async (entity) => {
      const stored = new Map<string, Promise<Row[]>>();
      await fc.assert(
        fc.asyncProperty(queryCase, fc.integer({ min: 1, max: 5 }), async (any, size) => {
          const test = allowed(any);
          const versions =
            test.select === undefined || test.select.includes('history')
              ? test.versions
              : undefined;
          const id = `${test.asOf} ${versions}`;
          if (!stored.has(id))
            stored.set(
              id,
              storedRows(db, entity, { asOf: test.asOf ? asOf : undefined, versions }, gc),
            );
          await check({ db, entity, asOf, size }, test, await stored.get(id)!);
        }),
        { numRuns: runsOf(name) },
      );
    },
    1_200_000,
  );
});

type EventClass = typeof PlainEvent | typeof SpreadEvent;

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** How many versions the rules of the families keep. */
const keptVersions: Readonly<Record<string, number>> = { m: 1, p: 1, v: 3 };

/** All rows in key order, with the families in which they have cells. */
async function storedRows(
  db: Database,
  entity: EventClass,
  how: { readonly asOf: Date | undefined; readonly versions: number | undefined },
  gc: string | undefined,
): Promise<Row[]> {
  const { model } = db.repository(entity);
  const all = db.repository(entity).scanAll();
  const dated = how.asOf === undefined ? all : all.asOf(how.asOf);
  const query = how.versions === undefined ? dated : dated.versions(how.versions);
  const families = new Map<string, Set<string>>();
  const stream = db.engine.readRows({
    table: model.table.name,
    ranges: [{ start: new Uint8Array() }],
    reversed: false,
  });
  const end = BigInt((how.asOf ?? new Date(1e14)).getTime() + 1) * 1000n;
  const youngest = BigInt(Date.now() - 3_600_000) * 1000n;
  for (let page = await stream.next(); page !== undefined; page = await stream.next())
    while (page.nextRow()) {
      const key = Buffer.from(page.keyBytes.subarray(page.keyStart, page.keyEnd)).toString('hex');
      const found = new Set<string>();
      families.set(key, found);
      const versions = new Map<string, number>();
      while (page.nextCell()) {
        const { family, qualifierBytes, qualifierStart, qualifierEnd } = page;
        const column = `${family}:${toHex(qualifierBytes.subarray(qualifierStart, qualifierEnd))}`;
        const newer = versions.get(column) ?? 0;
        versions.set(column, newer + 1);
        const isOld = family === 'e' && page.timestamp() < youngest;
        // Storage may have collected it or not.
        const isHidden = gc === 'onRead' && (isOld || newer >= (keptVersions[family] ?? Infinity));
        if (page.timestamp() < end && !isHidden) found.add(family);
      }
    }
  const rows = (await query.all()) as unknown as Row[];
  for (const row of rows) {
    const key = Buffer.from(model.key.encode(row)).toString('hex');
    Object.defineProperty(row, familiesOf, { value: families.get(key) });
  }
  return rows;
}

interface Target {
  readonly db: Database;
  readonly entity: EventClass;
  readonly asOf: Date;
  readonly size: number;
}

function queryOf(
  { db, entity, asOf }: Target,
  test: Case,
  groups: 'firstPer' | 'distinct' = 'firstPer',
): Query & Results {
  const { given, scope, bound, firstPer, select } = test;
  let root: Pick<Database, 'repository'> = db;
  const scoped = ['tenant', 'device'].slice(0, scope);
  if (scope > 0)
    root = db.scope(
      Object.fromEntries(scoped.map((name) => [name, (given as unknown as Row)[name]])) as never,
    ) as never;
  const repository = root.repository(entity) as unknown as Query;
  let query: Query = repository.scanAll();
  const left = (values: Row): Row =>
    Object.fromEntries(
      Object.entries(values).filter(([name, v]) => v !== undefined && !scoped.includes(name)),
    );
  if (given.kind === 'prefix') {
    const prefix = left({ tenant: given.tenant, device: given.device });
    if (Object.keys(prefix).length > 0) query = query.prefix(prefix);
  } else if (given.kind === 'prefixes') query = query.prefixes(given.list);
  else if (given.kind === 'oneOf' && 'tenant' in given) {
    if (scope === 0) query = query.prefix({ tenant: given.tenant });
    query = query.oneOf('device', given.devices);
  } else if (given.kind === 'oneOf') query = query.oneOf('tenant', given.tenants);
  if (firstPer !== undefined) query = query[groups](firstPer);
  if (bound?.kind === 'between')
    query = query.between('at', quarter(bound.from), quarter(bound.to));
  if (bound?.kind === 'since') query = query.since('at', quarter(bound.from));
  if (bound?.kind === 'until') query = query.until('at', quarter(bound.to));
  if (test.where !== undefined) query = query.where(test.where);
  if (select !== undefined) {
    const parts = select
      .filter((part) => typeof part !== 'string' || !scoped.includes(part))
      .map((part) => {
        if (typeof part === 'string') return part;
        if (part.form === 'entries') return entriesOf(part.map, part.range as object);
        return (part.form === 'keys' ? entryKeysOf : entryCountOf)(part.map, part.range as object);
      });
    query = query.select(...parts);
  }
  if (test.keysOnly) query = query.keysOnly();
  if (test.versions !== undefined) query = query.versions(test.versions);
  if (test.asOf) query = query.asOf(asOf);
  if (test.reverse) query = query.reverse();
  if (test.limit !== undefined) query = query.limit(test.limit);
  return query as Query & Results;
}

async function check(target: Target, test: Case, stored: readonly Row[]): Promise<void> {
  const { db, entity, size } = target;
  const { model } = db.repository(entity);
  const columns = model.columns.map(({ property }) => property);
  const whole = rowsOf(test, stored);
  const expected = whole.map((row) => plain(resultOf(test, row, model.key.names, columns)));
  const query = queryOf(target, test);
  const found = (await query.all()).map((row) => plain(row));
  expect(found).toEqual(expected);
  expect(await query.count()).toBe(expected.length);
  expect(plain(await query.first())).toEqual(expected.at(0));
  if (isDistinct(test)) await checkDistinct(target, test, whole);
  const paged: Row[] = [];
  let after: string | undefined;
  do {
    const page = await query.page({ size, after });
    expect(page.rows.length).toBeLessThanOrEqual(size);
    paged.push(...page.rows.map((row) => plain(row)));
    after = page.next;
    expect(paged.length).toBeLessThanOrEqual(expected.length);
  } while (after !== undefined);
  expect(paged).toEqual(expected);
  if (test.limit === undefined && test.firstPer === undefined) {
    const parts = await query.split(3);
    const rows = (await Promise.all(parts.map((part) => part.all())))
      .flat()
      .map((row) => plain(row));
    expect(sorted(rows)).toEqual(sorted(expected));
  }
  checkJson(db.repository(entity), test, await query.all());
  await expect(query.all({ signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
    'stopped',
  );
  const [result] = await query.all();
  if (
    result !== undefined &&
    (test.select !== undefined || test.asOf || test.keysOnly || test.versions !== undefined)
  )
    await expect(db.repository(entity).save(result as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  if (test.select === undefined && !test.keysOnly) await checkAggregates(query, test, whole);
}

/** Whether `distinct` can take the place of `firstPer`. */
function isDistinct({ firstPer, select, versions, where, bound }: Case): boolean {
  const others = [select, versions, where, bound];
  return firstPer !== undefined && others.every((each) => each === undefined);
}

/** `distinct` finds the groups of `firstPer`; `keysOnly` does not go with it. */
async function checkDistinct(target: Target, test: Case, rows: readonly Row[]): Promise<void> {
  const names = test.firstPer === 'tenant' ? ['tenant'] : ['tenant', 'device'];
  const shown = names.slice(test.scope);
  const query = queryOf(target, { ...test, keysOnly: false }, 'distinct');
  const groups = rows.map((row) => Object.fromEntries(shown.map((name) => [name, row[name]])));
  expect((await query.all()).map((row) => plain(row))).toEqual(groups);
  expect(await query.count()).toBe(groups.length);
}

/** JSON loses nothing: it has what results have, and entities come back from it. */
function checkJson(repository: object, test: Case, rows: readonly Row[]): void {
  const { fromJSON, model } = repository as {
    fromJSON(this: object, json: unknown): Row;
    readonly model: EntityModel;
  };
  // fromJSON refuses counters, which only increments change.
  const counters = model.columns.filter(
    (column) => column.kind === 'counter' || (column.kind === 'columnMap' && column.aggregate),
  );
  const without = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !counters.some(({ property }) => property === name)),
    );
  for (const row of rows) {
    const json = JSON.parse(JSON.stringify(row)) as Row;
    expect(Object.keys(json).sort()).toEqual(Object.keys(plain(row)).sort());
    if (test.select === undefined && !test.keysOnly)
      // Equal Maps: JSON has keys that are numbers in ascending order.
      expect(without(fromJSON.call(repository, without(json)))).toEqual(without(row));
    for (const [name, value] of Object.entries(row))
      if (value instanceof Map)
        expect(Object.keys(json[name] as object).sort()).toEqual(
          [...value.keys()].map(String).sort(),
        );
  }
}

async function checkAggregates(
  query: Results,
  { scope }: Case,
  rows: readonly Row[],
): Promise<void> {
  const values = {
    n: 'count',
    prices: { count: 'prices' },
    big: { sum: 'big' },
    value: { sum: 'value' },
    least: { min: 'at' },
    most: { max: 'name' },
    views: { sum: 'views' },
    last: { last: 'brief' },
    first: { first: 'status' },
  };
  const of = (list: readonly Row[]): Row => {
    const present = (name: string): unknown[] =>
      list.map((row) => row[name]).filter((v) => v !== undefined);
    const big = (name: string): bigint =>
      (present(name) as bigint[]).reduce((sum, v) => sum + v, 0n);
    return {
      n: list.length,
      prices: present('prices').length,
      big: big('big'),
      value: (present('value') as number[]).reduce((sum, v) => sum + v, 0),
      least: (present('at') as Date[]).sort((a, b) => +a - +b).at(0),
      most: (present('name') as string[]).sort().at(-1),
      views: big('views'),
      last: present('brief').at(-1),
      first: present('status').at(0),
    };
  };
  expect(await query.aggregate(values)).toEqual(of(rows));
  expect(await query.aggregate({ last: { last: 'brief' } })).toEqual({ last: of(rows).last });
  expect(await query.aggregate({ n: 'count' })).toEqual({ n: rows.length });
  const kinds: unknown[][] = [
    ['status'],
    ['name', 'device'],
    ['device'],
    [{ time: 'at', every: '1h' }, 'mark'],
    ['tenant', 'device', { time: 'at', every: '1h' }],
  ];
  for (const groups of kinds) {
    const scoped = ['tenant', 'device'].slice(0, scope);
    const names = groups.filter((name) => !scoped.includes(name as string));
    if (names.length === 0) continue;
    const byText = new Map<string, { values: Row; rows: Row[] }>();
    for (const row of rows) {
      const of2 = Object.fromEntries(
        names.map((name) => {
          if (typeof name === 'string') return [name, row[name]];
          return ['at', new Date(Math.floor(+(row.at as Date) / 3_600_000) * 3_600_000)];
        }),
      );
      const text = JSON.stringify(
        names.map((name) => of2[typeof name === 'string' ? name : 'at'] ?? null),
      );
      const group = byText.get(text) ?? { values: of2, rows: [] };
      byText.set(text, group);
      group.rows.push(row);
    }
    const { least, ...rest } = values;
    const expected = [...byText.values()].map((group) => {
      const totals: Row = of(group.rows);
      const result: Row = { ...group.values };
      for (const name of Object.keys(rest)) result[`_${name}`] = totals[name];
      return result;
    });
    void least;
    const renamed = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [`_${name}`, value]),
    );
    expect(
      await query
        .groupBy(...names)
        .aggregate(renamed)
        .all(),
    ).toEqual(expected);
  }
}

/** Without what is undefined, which `select` leaves out; Maps as arrays. */
function plain(row: Row): Row;
function plain(row: Row | undefined): Row | undefined;
function plain(row: Row | undefined): Row | undefined {
  if (row === undefined) return undefined;
  const values = Object.entries(row).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    // Equal Maps may differ in their order, arrays may not.
    values.map(([name, value]) => [name, value instanceof Map ? [...value] : value]),
  );
}

function sorted(rows: readonly Row[]): Row[] {
  const text = (row: Row): string =>
    JSON.stringify(row, (_name, value: unknown) => {
      if (typeof value === 'bigint') return `${value}`;
      return value instanceof Map ? [...value] : value;
    });
  return [...rows].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}
