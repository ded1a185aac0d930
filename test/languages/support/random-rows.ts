/** Entities with random keys and columns, and random rows of them. */
import { column, columnMap, DateMap, versions } from '../../../src/index.js';
import fc, { anyCharacter } from '../../support/fast-check.js';
import { type RandomEntity, randomEntities } from './random-keys.js';

const text = fc.string({ unit: anyCharacter, maxLength: 8 });
const int = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const time = fc
  .oneof(int(-9, 9), int(-62_135_596_800_000, 253_402_300_799_999))
  .map((ms) => new Date(ms));
const positiveTime = fc.oneof(int(0, 9), int(0, 9_999_999_999_999)).map((ms) => new Date(ms));
const int64 = fc.oneof(
  fc.bigInt({ min: -300n, max: 300n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(text, fc.boolean(), int(-99, 99), fc.constantFrom(0.5, -1e-9)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(text, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

/** Values of each kind of cell. */
const cells: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  bytes: fc.uint8Array({ maxLength: 6 }),
  bool: fc.boolean(),
  int32: fc.oneof(int(-9, 9), int(-(2 ** 31), 2 ** 31 - 1)),
  uint32: fc.oneof(int(0, 9), int(0, 2 ** 32 - 1)),
  int64,
  double: fc.double({ noNaN: true }),
  float: fc.float({ noNaN: true }),
  timestamp: time,
  date: time.map((each) => each.toISOString().slice(0, 10)),
  json,
};

/** Keys of column maps of each kind. */
const qualifiers: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  int: int(-999, 999),
  uint: int(0, 999),
  bigint: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  timestamp: positiveTime,
};

interface ColumnPlan {
  readonly form: 'column' | 'versions' | 'map';
  readonly kind: string;
  readonly keys: string;
  readonly descending: boolean;
  readonly rest: 'none' | 'earlier' | 'default';
}

const columnPlans: fc.Arbitrary<readonly ColumnPlan[]> = fc.array(
  fc.record({
    form: fc.constantFrom('column', 'column', 'column', 'versions', 'map'),
    kind: fc.constantFrom(...Object.keys(cells)),
    keys: fc.constantFrom(...Object.keys(qualifiers)),
    descending: fc.boolean(),
    rest: fc.constantFrom('none', 'none', 'earlier', 'default'),
  }),
  { minLength: 1, maxLength: 6 },
);

const rests = fc.record({ plans: columnPlans, marker: fc.boolean() });

/** Columns by a seed, each in a separate family; `sure` always has a value. */
function columnsOf(seed: number): { readonly plans: readonly ColumnPlan[]; marker: boolean } {
  return fc.sample(rests, { seed, numRuns: 1 })[0];
}

function declared(seed: number): object {
  const { plans, marker } = columnsOf(seed);
  const columns = plans.map((plan, i) => [`c${i}`, declaredColumn(plan, `f${i}`)]);
  const families = Object.fromEntries(plans.map((_, i) => [`f${i}`, {}]));
  return {
    marker,
    families: { m: {}, ...families },
    columns: { sure: column('m', 'bool', { required: true }), ...Object.fromEntries(columns) },
  };
}

function declaredColumn(
  { form, kind, keys, descending, rest }: ColumnPlan,
  family: string,
): object {
  if (form === 'versions') return versions(family, kind as 'string');
  if (form === 'map') {
    const order = keys !== 'string' && descending ? 'desc' : undefined;
    return columnMap(family, kind as 'string', { qualifiers: keys, order } as object);
  }
  const constant = rest === 'default' ? defaults[kind] : undefined;
  const alsoReads = rest === 'earlier' ? ['earlier'] : undefined;
  return column(family, kind as 'string', { default: constant, alsoReads } as object);
}

const defaults: Readonly<Record<string, unknown>> = {
  string: 'x',
  int32: 3,
  bool: true,
  int64: 9n,
};

/** An entity, and rows of it. */
export interface RandomRows extends RandomEntity {
  readonly rows: fc.Arbitrary<Record<string, unknown>>;
}

/** This many entities by a seed. */
export function randomRows(count: number, seed: number): readonly RandomRows[] {
  return randomEntities(count, seed, declared).map((entity) => ({
    ...entity,
    rows: rowsOf(entity, columnsOf(entity.seed).plans),
  }));
}

/** Python's datetime begins with the year 1. */
const firstMs = -62_135_596_800_000;

function rowsOf(
  { model, samples }: RandomEntity,
  plans: readonly ColumnPlan[],
): RandomRows['rows'] {
  const segments = [...samples].map(([name, { values }]) => [name, values] as const);
  const columns = plans.map(
    (plan, i) => [`c${i}`, fc.option(valuesOf(plan), { nil: undefined })] as const,
  );
  return fc
    .record({ ...Object.fromEntries(segments), sure: fc.boolean(), ...Object.fromEntries(columns) })
    .filter((row: Record<string, unknown>) => isKey(model, row));
}

function isKey({ key, segments }: RandomEntity['model'], row: Record<string, unknown>): boolean {
  const times = segments.map(({ property }) => row[property]);
  if (times.some((each) => each instanceof Date && each.getTime() < firstMs)) return false;
  try {
    key.encode(row);
    return true;
  } catch {
    return false;
  }
}

function valuesOf({ form, kind, keys }: ColumnPlan): fc.Arbitrary<unknown> {
  const value = cells[kind];
  if (form === 'column') return value;
  if (form === 'versions') {
    const version = fc.record({ at: positiveTime, value });
    const selector = ({ at }: { at: Date }): number => at.getTime();
    return fc
      .uniqueArray(version, { maxLength: 3, selector })
      .map((all) => all.sort((a, b) => b.at.getTime() - a.at.getTime()));
  }
  const selector = ([key]: [unknown, unknown]): string => String(key instanceof Date ? +key : key);
  const entries = fc.uniqueArray(fc.tuple(qualifiers[keys], value), { maxLength: 3, selector });
  if (keys === 'timestamp') return entries.map((all) => new DateMap(all as [Date, unknown][]));
  return entries.map((all) => new Map(all));
}
