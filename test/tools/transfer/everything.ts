/** An entity with every kind of segment, column and field, and arbitrary instances of it. */
import {
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  enumOf,
  Field,
  type FieldKind,
  MapField,
  Message,
  maxVersions,
  Packed,
  RepeatedField,
  rowKey,
  Segment,
  aggregate,
  table,
  type Version,
  Versions,
} from '../../../src/index.js';
import { collectRows, everyKey } from '../../../src/storage.js';
import fc from '../../support/fast-check.js';

enum Mode {
  UNKNOWN = 0,
  RUNNING = 1,
  STOPPED = -3,
}

@Message('transfer.Inner')
export class Inner {
  @Field(1, 'double') value?: number;
  @Field(2, () => Inner) next?: Inner;
}

@Message('transfer.All')
export class All {
  @Field(1, 'double') double?: number;
  @Field(2, 'float') float?: number;
  @Field(3, 'int32') int32?: number;
  @Field(4, 'uint32') uint32?: number;
  @Field(5, 'sint32') sint32?: number;
  @Field(6, 'fixed32') fixed32?: number;
  @Field(7, 'sfixed32') sfixed32?: number;
  @Field(8, 'int64') int64?: bigint;
  @Field(9, 'uint64') uint64?: bigint;
  @Field(10, 'sint64') sint64?: bigint;
  @Field(11, 'fixed64') fixed64?: bigint;
  @Field(12, 'sfixed64') sfixed64?: bigint;
  @Field(13, 'bool') bool?: boolean;
  @Field(14, 'string') string?: string;
  @Field(15, 'bytes') bytes?: Uint8Array;
  @Field(16, 'timestamp') timestamp?: Date;
  @Field(17, enumOf(Mode)) mode?: Mode;
  @Field(18, () => Inner) inner?: Inner;
  @RepeatedField(19, 'int64') list?: bigint[];
  @RepeatedField(20, () => Inner) inners?: Inner[];
  @MapField(21, 'int32', 'string') byNumber?: Map<number, string>;
  @MapField(22, 'int64', () => Inner) byBig?: Map<bigint, Inner>;
  @MapField(23, 'bool', 'bytes') byBool?: Map<boolean, Uint8Array>;
  @Field(24, 'string', { oneof: 'choice' }) left?: string;
  @Field(25, 'int32', { oneof: 'choice' }) right?: number;
}

/** A custom codec. */
const utf16 = {
  encode: (text: string): Uint8Array => Buffer.from(text, 'utf16le'),
  decode: (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf16le'),
};

const everything = table('everything', {
  families: { a: {}, b: { gc: maxVersions(5) }, c: {}, d: aggregate('sum'), e: {} },
});

@Entity({ table: everything, keyFormat: 'ordered' })
export class Everything {
  static readonly key = rowKey(
    'string',
    'int',
    'uint',
    'bigint',
    'float',
    'decimal',
    'bool',
    'enum',
    'timestamp',
    'micros',
    'isoDate',
    'uuid',
    'ulid',
    'bytes',
    'reversedId',
    'domain',
    'nothing',
  );
  @Segment('string', { nullable: true, minLength: 0, maxLength: 20 }) string!: string | null;
  @Segment('int') int!: number;
  @Segment('uint', { order: 'desc' }) uint!: number;
  @Segment('bigint') bigint!: bigint;
  @Segment('float') float!: number;
  @Segment('decimal', { scale: 2 }) decimal!: string;
  @Segment('bool') bool!: boolean;
  @Segment('enum', { values: ['A', 'B'] }) enum!: string;
  @Segment('timestamp', { order: 'desc' }) timestamp!: Date;
  @Segment('micros') micros!: bigint;
  @Segment('isoDate') isoDate!: Date;
  @Segment('uuid') uuid!: string;
  @Segment('ulid') ulid!: string;
  @Segment('bytes', { maxLength: 20 }) bytes!: Uint8Array;
  @Segment('reversedId', { width: 10 }) reversedId!: number;
  @Segment('domain') domain!: string;
  @Segment('string', { nullable: true, maxLength: 20 }) nothing!: string | null;

  @Column('a', 'string') text?: string;
  @Column('a', 'bytes') blob?: Uint8Array;
  @Column('a', 'bool') flag?: boolean;
  @Column('a', 'int32') int32?: number;
  @Column('a', 'uint32') uint32?: number;
  @Column('a', 'int64') int64?: bigint;
  @Column('a', 'double') double?: number;
  @Column('a', 'float') single?: number;
  @Column('a', 'timestamp', { qualifier: Uint8Array.of(0, 255) }) moment?: Date;
  @Column('a', 'date') date?: string;
  @Column('a', 'json') json?: unknown;
  @Packed('a', () => All) all?: All;
  @Packed('a', utf16) foreign?: string;
  @Counter('a') plain?: bigint;
  @Versions('b', 'double') history?: Version<number>[];
  @Versions('b', () => Inner) track?: Version<Inner>[];
  @ColumnMap('c', 'int64') scores?: Map<string, bigint>;
  @Counter('d') added?: bigint;
  @ColumnMap('e', () => Inner) inners?: Map<string, Inner>;
}

const textOf = (maxLength = 20) => fc.string({ unit: 'grapheme', maxLength });
const int = (bits: number) =>
  fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n });
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const number = (bigints: fc.Arbitrary<bigint>) => bigints.map(Number);
const bytes = fc.uint8Array({ maxLength: 12 }).map((each) => Uint8Array.from(each));
const double = fc.double().map((each) => (Number.isNaN(each) ? NaN : each));
const single = fc.float().map((each) => (Number.isNaN(each) ? NaN : each));
const moments = fc.date({ min: new Date(0), max: new Date('2286-01-01'), noInvalidDate: true });

const fields: Record<Exclude<FieldKind, 'timestamp'>, fc.Arbitrary<unknown>> = {
  double,
  float: single,
  int32: number(int(32)),
  uint32: number(uint(32)),
  sint32: number(int(32)),
  fixed32: number(uint(32)),
  sfixed32: number(int(32)),
  int64: int(64),
  uint64: uint(64),
  sint64: int(64),
  fixed64: uint(64),
  sfixed64: int(64),
  bool: fc.boolean(),
  string: textOf(),
  bytes,
};
const inner = fc.letrec<{ inner: Inner }>((tie) => ({
  inner: fc
    .record(
      { value: double, next: fc.option(tie('inner'), { maxDepth: 2, nil: undefined }) },
      { requiredKeys: [] },
    )
    .map((values) => Object.assign(new Inner(), values)),
})).inner;
const mapOf = <K, V>(key: fc.Arbitrary<K>, value: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }).map((pairs) => new Map(pairs));
const all = fc
  .record(
    {
      ...fields,
      timestamp: fc.date({
        min: new Date('0001-01-01'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      mode: fc.constantFrom(0, 1, -3, 77),
      inner,
      list: fc.array(int(64), { minLength: 1, maxLength: 4 }),
      inners: fc.array(inner, { minLength: 1, maxLength: 3 }),
      byNumber: mapOf(number(int(32)), textOf()),
      byBig: mapOf(int(64), inner),
      byBool: mapOf(fc.boolean(), bytes),
      left: textOf(),
    },
    { requiredKeys: [] },
  )
  .map((values) => Object.assign(new All(), values));

const versionsOf = <T>(value: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(fc.tuple(moments, value), {
      selector: ([at]) => at.getTime(),
      minLength: 1,
      maxLength: 4,
    })
    .map((each) => each.map(([at, inside]) => ({ at, value: inside })));
const words = fc.constantFrom('a', 'b-c', 'example', 'x1');

/** Keys of every kind of segment. */
const keys = {
  // maxLength counts UTF-16 units; a grapheme has one or more units.
  string: fc.option(textOf(8).filter(({ length }) => length <= 20)),
  int: fc.maxSafeInteger(),
  uint: fc.maxSafeNat(),
  bigint: int(80),
  float: double.filter((each) => !Number.isNaN(each)).map((each) => each + 0),
  decimal: fc.integer().map((each) => (each / 100).toFixed(2).replace(/^-0\.00$/, '0.00')),
  bool: fc.boolean(),
  enum: fc.constantFrom('A', 'B'),
  timestamp: moments,
  micros: fc.bigInt({ min: 0n, max: 9_000_000_000_000_000n }),
  isoDate: moments,
  uuid: fc.uuid(),
  ulid: fc.ulid(),
  bytes,
  reversedId: fc.integer({ min: 0, max: 9_999_999_999 }),
  domain: fc.array(words, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
  nothing: fc.constant(null),
};

/** Columns of every kind except counters, which are incremented. */
const columns = {
  text: textOf(),
  blob: bytes,
  flag: fc.boolean(),
  int32: number(int(32)),
  uint32: number(uint(32)),
  int64: int(64),
  double,
  single,
  moment: fc.date({ noInvalidDate: true }),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  json: fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => value !== null)
    // Without -0, which a json column rejects.
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  all,
  foreign: textOf(),
  history: versionsOf(double),
  track: versionsOf(inner),
  scores: mapOf(fc.oneof(textOf(), fc.constantFrom('__proto__', '1', '')), int(64)),
  inners: mapOf(textOf(), inner),
};

/** Instances with some columns, at least one. */
export const instances: fc.Arbitrary<Everything> = fc
  .tuple(fc.record(keys), fc.record(columns, { requiredKeys: [] }), textOf())
  .map(([key, values, text]) => Object.assign(new Everything(), { text }, key, values));

/**
 * Every cell of a table as text, with the families in the order of their names: Google's emulator orders the families
 * of one request at random.
 */
export async function dump(db: Database, name = 'everything'): Promise<string[]> {
  const rows = await collectRows(
    db.engine.readRows({ table: name, ranges: [everyKey], reversed: false }),
  );
  const hex = (each: Uint8Array): string => Buffer.from(each).toString('hex');
  return rows.flatMap(({ key, cells }) =>
    [...cells]
      .sort((a, b) => Number(a.family > b.family) - Number(a.family < b.family))
      .map(
        ({ family, qualifier, timestamp, value }) =>
          `${hex(key)} ${family}:${hex(qualifier)} @${timestamp} ${hex(value)}`,
      ),
  );
}
