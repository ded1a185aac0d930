/** Random queries as plain data, and what they return, computed from all rows. */
import fc from '../../../support/fast-check.js';
import { devices, quarter, tenants } from './combination-entities.js';
import { matches } from '../query/where-entities.js';

export type Row = Record<string, unknown>;

/** A part of a column map. */
export interface Slice {
  readonly form: 'entries' | 'keys' | 'count';
  readonly map: string;
  readonly range: {
    from?: unknown;
    to?: unknown;
    startsWith?: string;
    offset?: number;
    limit?: number;
  };
}

/** A query; what the entity does not have is left out. */
export interface Case {
  readonly given: Given;
  readonly scope: number;
  readonly firstPer?: 'tenant' | 'device';
  readonly bound?: { readonly kind: string; readonly from: number; readonly to: number };
  readonly where?: Row;
  readonly select?: readonly (string | Slice)[];
  readonly keysOnly: boolean;
  readonly versions?: number;
  readonly asOf: boolean;
  readonly reverse: boolean;
  readonly limit?: number;
}

/** The values of leading segments. */
export type Given =
  | { readonly kind: 'all' }
  | { readonly kind: 'prefix'; readonly tenant: string; readonly device?: string }
  | { readonly kind: 'prefixes'; readonly list: readonly Row[] }
  | { readonly kind: 'oneOf'; readonly tenants: readonly string[] }
  | { readonly kind: 'oneOf'; readonly tenant: string; readonly devices: readonly string[] };

const tenant = fc.constantFrom(...tenants, 'none');
const device = fc.constantFrom(...devices, 'dd');

const given: fc.Arbitrary<Given> = fc.oneof(
  fc.constant({ kind: 'all' as const }),
  fc.record({ kind: fc.constant('prefix' as const), tenant }),
  fc.record({ kind: fc.constant('prefix' as const), tenant, device }),
  fc.record({
    kind: fc.constant('prefixes' as const),
    list: fc.oneof(
      fc.array(fc.record({ tenant }), { maxLength: 3 }),
      fc.array(fc.record({ tenant, device }), { maxLength: 4 }),
    ),
  }),
  fc.record({ kind: fc.constant('oneOf' as const), tenants: fc.array(tenant, { maxLength: 3 }) }),
  fc.record({
    kind: fc.constant('oneOf' as const),
    tenant,
    devices: fc.array(device, { maxLength: 4 }),
  }),
);

const conditions: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  value: fc.constantFrom<unknown>(1, null, { not: null }, { above: 1.5 }, { atMost: 3, above: 0 }),
  big: fc.constantFrom<unknown>({ atLeast: 2n ** 60n }, { noneOf: [0n] }, null, 0n),
  status: fc.constantFrom<unknown>('open', 'failed', { not: 'open' }, null, { startsWith: 'f' }),
  name: fc.constantFrom<unknown>('n9', { oneOf: ['n1', null] }, { not: 'n1' }, { below: 'n2' }),
  mark: fc.constantFrom<unknown>(true, null, { not: true }),
  brief: fc.constantFrom<unknown>('brief', null, { not: null }),
  views: fc.constantFrom<unknown>(null, { above: 1n }, { not: null }),
  at: fc.constantFrom<unknown>(
    { above: quarter(2) },
    { oneOf: [quarter(0), quarter(4)] },
    { not: quarter(3) },
  ),
};

const where = fc
  .uniqueArray(fc.constantFrom(...Object.keys(conditions)), { minLength: 1, maxLength: 2 })
  .chain((names) => fc.record(Object.fromEntries(names.map((each) => [each, conditions[each]]))));

const form = fc.constantFrom<Slice['form']>('entries', 'keys', 'count');
const cut = {
  offset: fc.integer({ min: 1, max: 2 }),
  limit: fc.integer({ min: 1, max: 3 }),
};
const prices: fc.Arbitrary<Slice> = fc.record({
  form,
  map: fc.constant('prices'),
  range: fc.record(
    { from: fc.integer({ min: 0, max: 60 }), to: fc.integer({ min: 20, max: 99 }), ...cut },
    { requiredKeys: [] },
  ),
});
const tags: fc.Arbitrary<Slice> = fc.record({
  form,
  map: fc.constant('tags'),
  range: fc.oneof(
    fc.record({ startsWith: fc.constantFrom('', 'a', '_'), ...cut }, { requiredKeys: [] }),
    fc.record({ from: fc.constantFrom('', 'a'), to: fc.constantFrom('ab', 'b') }),
  ),
});
const columns = fc.subarray(
  ['value', 'big', 'status', 'name', 'brief', 'views', 'history', 'at', 'tags'],
  { minLength: 1, maxLength: 3 },
);
const select: fc.Arbitrary<readonly (string | Slice)[]> = fc.oneof(
  columns,
  fc.tuple(fc.oneof(prices, tags)),
  fc.tuple(prices, tags),
  fc
    .tuple(columns, prices)
    .map(([names, slice]) => [...names.filter((name) => name !== 'prices'), slice]),
);

export const queryCase: fc.Arbitrary<Case> = fc.record(
  {
    given,
    scope: fc.integer({ min: 0, max: 2 }),
    firstPer: fc.constantFrom<'tenant' | 'device'>('tenant', 'device', 'device'),
    bound: fc.record({
      kind: fc.constantFrom('between', 'since', 'until'),
      from: fc.integer({ min: 0, max: 8 }),
      to: fc.integer({ min: 4, max: 16 }),
    }),
    where,
    select,
    keysOnly: fc.integer({ max: 3, min: 0 }).map((n) => n === 3),
    versions: fc.integer({ min: 1, max: 3 }),
    asOf: fc.boolean(),
    reverse: fc.boolean(),
    limit: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ['given', 'scope', 'keysOnly', 'asOf', 'reverse'] },
);

/** The case without combinations that are rejected. */
export function allowed(test: Case): Case {
  const { given: key, bound } = test;
  let result = { ...test };
  const depth = depthOf(key);
  if (result.scope > depth || key.kind === 'prefixes' || key.kind === 'oneOf')
    result.scope = key.kind === 'oneOf' && 'tenant' in key ? Math.min(test.scope, 1) : 0;
  if (key.kind === 'prefix') result.scope = Math.min(test.scope, depth);
  if (result.firstPer === 'tenant' && depth > 1) result.firstPer = 'device';
  if (result.scope > 0 && result.firstPer === 'tenant') result.firstPer = 'device';
  if (result.scope > 1) result = { ...result, firstPer: undefined };
  if (bound !== undefined) {
    const at = result.firstPer === undefined ? depth : Math.max(depth, 2);
    if (at !== 2 || result.firstPer === 'tenant') result = { ...result, bound: undefined };
    if (bound.to < bound.from) result = { ...result, bound: undefined };
  }
  return result;
}

export function depthOf(key: Given): number {
  switch (key.kind) {
    case 'all':
      return 0;
    case 'prefix':
      return key.device === undefined ? 1 : 2;
    case 'prefixes':
      return key.list.length === 0 ? 0 : Object.keys(key.list[0]).length;
    case 'oneOf':
      if ('tenant' in key) return key.devices.length === 0 ? 0 : 2;
      return key.tenants.length === 0 ? 0 : 1;
  }
}

function isGiven(row: Row, key: Given): boolean {
  switch (key.kind) {
    case 'all':
      return true;
    case 'prefix':
      return row.tenant === key.tenant && (key.device ?? row.device) === row.device;
    case 'prefixes':
      return key.list.some((each) => Object.entries(each).every(([name, v]) => row[name] === v));
    case 'oneOf':
      if ('tenant' in key)
        return row.tenant === key.tenant && key.devices.includes(row.device as string);
      return key.tenants.includes(row.tenant as string);
  }
}

const time = (row: Row): number => +((row.at ?? row.hour) as Date);

/** The rows that a query finds, whole. `stored` are all of them, in key order. */
export function rowsOf(test: Case, stored: readonly Row[]): Row[] {
  const { given: key, bound, where: tests, select: parts, firstPer } = test;
  let rows = stored.filter((row) => isGiven(row, key));
  if (bound !== undefined)
    rows = rows.filter(
      (row) =>
        (bound.kind === 'until' || time(row) >= +quarter(bound.from)) &&
        (bound.kind === 'since' || time(row) < +quarter(bound.to)),
    );
  if (tests !== undefined) rows = rows.filter((row) => matches(row, tests));
  if (parts !== undefined) rows = rows.filter((row) => existsIn(row, parts));
  if (test.reverse) rows.reverse();
  if (firstPer !== undefined) {
    const names = firstPer === 'tenant' ? ['tenant'] : ['tenant', 'device'];
    const seen = new Set<string>();
    rows = rows.filter((row) => {
      const group = JSON.stringify(names.map((name) => row[name]));
      if (seen.has(group)) return false;
      seen.add(group);
      return true;
    });
  }
  return rows.slice(0, test.limit);
}

const familyOf: Readonly<Record<string, string>> = {
  value: 'm',
  big: 'm',
  unit: 'm',
  status: 'd',
  name: 'd',
  mark: 'd',
  brief: 'e',
  prices: 'p',
  readings: 'p',
  tags: 'q',
  views: 'c',
  history: 'v',
};

/** Whether a row has a cell in what is selected. */
function existsIn(row: Row, parts: readonly (string | Slice)[]): boolean {
  const columnsOf = parts.filter((part) => typeof part !== 'string' || part in familyOf);
  if (columnsOf.length === 0) return true;
  const inFamily = row[familiesOf] as ReadonlySet<string>;
  return columnsOf.some((part) => {
    if (typeof part === 'string') return inFamily.has(familyOf[part]);
    return sliced(row, part).length > 0;
  });
}

/** The families in which a row has cells, as raw reads show. */
export const familiesOf = 'families of the row';

function sliced(row: Row, { map, range }: Slice): [unknown, unknown][] {
  const { from, to, startsWith, offset = 0, limit = Infinity } = range;
  return [...((row[map] ?? new Map()) as Map<unknown, unknown>)]
    .filter(([key]) => {
      if (startsWith !== undefined) return (key as string).startsWith(startsWith);
      return (
        (from === undefined || order(key) >= order(from)) &&
        (to === undefined || order(key) < order(to))
      );
    })
    .slice(offset, offset + limit);
}

const order = (key: unknown): number | string => key as number | string;

/** What a query returns for a row. */
export function resultOf(
  test: Case,
  row: Row,
  segments: readonly string[],
  columnNames: readonly string[],
): Row {
  const scoped = ['tenant', 'device'].slice(0, test.scope);
  const names = segments.filter((name) => !scoped.includes(name));
  const picked = (list: readonly string[]): Row =>
    Object.fromEntries(
      list.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]),
    );
  if (test.keysOnly) return picked(names);
  if (test.select === undefined) return picked([...segments, ...columnNames]);
  const result = picked(
    [...names, ...test.select.filter((part) => typeof part === 'string')].filter(
      (name) => !scoped.includes(name),
    ),
  );
  for (const part of test.select) {
    if (typeof part === 'string') continue;
    const found = sliced(row, part);
    if (part.form === 'count') result[part.map] = found.length;
    else if (part.form === 'keys') result[part.map] = found.map(([key]) => key);
    else if (found.length > 0) result[part.map] = new Map(found);
  }
  return result;
}
