/** Entities with columns of every kind, rows of them, and random conditions. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  Message,
  Packed,
  rowKey,
  Segment,
  aggregate,
  Versions,
  type Version,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';

@Message('where.Status')
export class Status {
  @Field(1, 'int32') level?: number;
  @Field(2, 'string') note?: string;
  @Field(3, 'float') ratio?: number;
  @Field(4, 'timestamp') seen?: Date;
  @Field(5, 'int64') big?: bigint;
  @Field(6, 'bytes') raw?: Uint8Array;
}

/** The columns of all events. */
export class Event {
  static readonly key = rowKey('area', 'kind', 'n');
  @Segment('string', { minLength: 0 }) area!: string;
  @Segment('string', { minLength: 0 }) kind!: string;
  n!: number;
  @Column('a', 'string') text?: string;
  @Column('b', 'string', { default: 'open' }) state?: string;
  @Column('a', 'string', { alsoReads: ['old', 'zold'] }) renamed?: string;
  @Column('b', 'bytes') raw?: Uint8Array;
  @Column('a', 'bool') flag?: boolean;
  @Column('b', 'int32') small?: number;
  @Column('a', 'uint32') count?: number;
  @Column('b', 'int64') big?: bigint;
  @Column('a', 'double', { default: () => 0.5 }) real?: number;
  @Column('b', 'float') single?: number;
  @Column('a', 'timestamp') seen?: Date;
  @Column('b', 'date') day?: string;
  @Column('a', 'json') json?: unknown;
  @Packed('b', Status) status?: Status;
  @Counter('a') hits?: bigint;
  @Counter('t') total?: bigint;
  @Versions('v', 'double') history?: Version<number>[];
  @ColumnMap('m', 'string') map?: Map<string, string>;
}

@Entity({ table: 'plain', families: { a: {}, b: {}, m: {}, t: aggregate('sum'), v: {} } })
export class Plain extends Event {
  @Segment('int', { width: 3, order: 'desc' }) declare n: number;
}

@Entity({
  table: 'ordered',
  families: { a: {}, b: {}, m: {}, t: aggregate('sum'), v: {} },
  keyFormat: 'ordered',
})
export class OrderedEvent extends Event {
  @Segment('int', { width: 3, order: 'desc' }) declare n: number;
}

@Entity({
  table: 'sharded',
  families: { a: {}, b: {}, m: {}, t: aggregate('sum'), v: {} },
  shards: { count: 3, by: ['area', 'kind'] },
})
export class ShardedEvent extends Event {
  @Segment('int', { width: 3 }) declare n: number;
}

const text = fc.constantFrom('', 'a', 'a#', 'ab', 'b', 'Z', '\u00e9', '\u{1F600}', '\uff5e');
const raw = fc.uint8Array({ maxLength: 2, max: 3 });
const small = fc.constantFrom(-(2 ** 31), -256, -2, -1, 0, 1, 255, 2 ** 31 - 1);
const count = fc.constantFrom(0, 1, 255, 256, 2 ** 32 - 1);
const big = fc.constantFrom(-(2n ** 63n), -256n, -1n, 0n, 1n, 256n, 2n ** 63n - 1n);
const real = fc.constantFrom(-Infinity, -1e300, -1.5, -0, 0, 5e-324, 0.1, 0.5, 2, Infinity, NaN);
const single = fc.constantFrom(-Infinity, -1.5, -0, 0, 0.1, 1.5, Infinity, NaN).map(Math.fround);
const seen = fc.constantFrom(-86_400_000, -1, 0, 1, 1.7e12).map((ms) => new Date(ms));
const day = fc.constantFrom('0001-01-01', '1999-12-31', '2026-02-28', '9999-12-31');
const status = fc
  .record({ level: small, note: text, ratio: single, seen, big, raw }, { requiredKeys: [] })
  .map((fields) => Object.assign(new Status(), fields));

/** Values of the properties of an event; the key is added. */
export const values = {
  text,
  state: text,
  renamed: text,
  raw,
  flag: fc.boolean(),
  small,
  count,
  big,
  real,
  single,
  seen,
  day,
  json: fc.constantFrom<unknown>('a', 1, true, { level: 1 }, { level: 2, note: 'a' }, [1]),
  status,
  hits: fc.constantFrom(1n, 2n, 256n),
  total: fc.constantFrom(1n, 2n, 256n),
};
export type Tested = keyof typeof values;

export const area = fc.constantFrom('x', 'y');
export const kind = fc.constantFrom('', 'a', 'a#b', 'b', 'ab', '\u00e9', '%');
export const n = fc.integer({ min: -2, max: 12 });

const noOrder: readonly string[] = ['flag'];
const texts: readonly string[] = ['text', 'state', 'renamed', 'raw', 'day', 'kind'];

function operators(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const list = fc.array(fc.option(value, { freq: 6 }), { maxLength: 4 });
  const known: Record<string, fc.Arbitrary<unknown>> = {
    not: fc.option(value, { freq: 3 }),
    oneOf: list,
    noneOf: list,
  };
  if (!noOrder.includes(name)) {
    const bound = value.filter((each) => !Number.isNaN(each));
    for (const operator of ['above', 'atLeast', 'below', 'atMost']) known[operator] = bound;
  }
  if (texts.includes(name)) {
    const beginning = name === 'raw' ? raw : fc.constantFrom('', 'a', '\u00e9', '19', '20');
    known.startsWith = beginning;
    known.notStartsWith = beginning;
  }
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(known)), { minLength: 1, maxLength: 2 })
    .chain((names) => fc.record(Object.fromEntries(names.map((each) => [each, known[each]]))));
}

function condition(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: operators(name, value) },
  );
}

const fields: Record<string, fc.Arbitrary<unknown>> = {
  level: condition('level', small),
  note: condition('note', text),
  ratio: condition('ratio', single),
  seen: condition('seen', seen),
  big: condition('big', big),
  raw: condition('raw', raw),
};

const message = fc.oneof(
  fc.constant(null),
  fc.constant({ not: null }),
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(fields)), { minLength: 1, maxLength: 2 })
    .chain((names) =>
      fc.record({
        fields: fc.record(Object.fromEntries(names.map((each) => [each, fields[each]]))),
      }),
    ),
);

const json = fc.oneof(
  fc.constant(null),
  fc.constant({ not: null }),
  fc.constantFrom<unknown>('a', 1, true, { above: 0 }, { not: 'a' }, { oneOf: ['a', 1, null] }),
  fc.constantFrom({ fields: { level: 1 } }, { fields: { level: { above: 0 }, note: null } }),
);

const conditions: Record<string, fc.Arbitrary<unknown>> = {
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, condition(name, value)]),
  ),
  status: message,
  json,
  kind: condition(
    'kind',
    kind.filter((each) => each !== ''),
  ),
  n: fc.oneof(
    n,
    fc.record({ oneOf: fc.array(n, { maxLength: 3 }) }),
    fc.record({ noneOf: fc.array(n, { maxLength: 3 }) }),
    ...['above', 'atLeast', 'below', 'atMost', 'not'].map((name) => fc.record({ [name]: n })),
  ),
};

/** The argument of one `where`. */
export const where: fc.Arbitrary<Record<string, unknown>> = fc
  .uniqueArray(fc.constantFrom(...Object.keys(conditions)), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.record(Object.fromEntries(names.map((each) => [each, conditions[each]]))));

/** Whether an entity meets the conditions: written without any of the code under test. */
export function matches(entity: object, tests: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(tests).every(([name, test]) =>
    passes((entity as Record<string, unknown>)[name], test),
  );
}

function passes(value: unknown, test: unknown): boolean {
  const absent = value === undefined || value === null;
  if (test === null) return absent;
  if (typeof test !== 'object' || test instanceof Date || test instanceof Uint8Array)
    return !absent && same(value, test);
  return Object.entries(test).every(([operator, operand]) => {
    const list = operand as readonly unknown[];
    if (operator === 'oneOf' && absent) return list.includes(null);
    if (absent) return false;
    switch (operator) {
      case 'not':
        return operand === null || !same(value, operand);
      case 'oneOf':
        return list.some((each) => same(value, each));
      case 'noneOf':
        return !list.some((each) => same(value, each));
      case 'above':
        return ordered(value, operand, (order) => order > 0);
      case 'atLeast':
        return ordered(value, operand, (order) => order >= 0);
      case 'below':
        return ordered(value, operand, (order) => order < 0);
      case 'atMost':
        return ordered(value, operand, (order) => order <= 0);
      case 'startsWith':
        return hex(value).startsWith(hex(operand));
      case 'notStartsWith':
        return !hex(value).startsWith(hex(operand));
      case 'fields':
        return typeof value === 'object' && matches(value, operand as Record<string, unknown>);
      default:
        throw new Error(operator);
    }
  });
}

function same(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== typeof b) return false;
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Uint8Array) return b instanceof Uint8Array && hex(a) === hex(b);
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function ordered(a: unknown, b: unknown, test: (order: number) => boolean): boolean {
  if (typeof a !== typeof b) return false;
  if (typeof a === 'string' || a instanceof Uint8Array)
    return test(Buffer.compare(Buffer.from(a as string), Buffer.from(b as string)));
  const [x, y] = [a, b] as [number, number];
  if (x < y) return test(-1);
  if (x > y) return test(1);
  return x >= y && test(0);
}

function hex(value: unknown): string {
  return Buffer.from(value as string).toString('hex');
}
