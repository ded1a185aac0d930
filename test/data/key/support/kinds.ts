/** Every segment kind with sample values and their order. */
import type { SegmentType } from '../../../../src/data/key/kinds/segment-type.js';
import fc, { anyCharacter } from '../../../support/fast-check.js';

export interface KindSample {
  readonly type: SegmentType;
  readonly values: fc.Arbitrary<unknown>;
  /** Order of the values; undefined for kinds without one. */
  readonly compare?: (a: never, b: never) => number;
  /** The value as it is decoded from a key, for kinds that floor; else it is unchanged. */
  readonly stored?: (value: never) => unknown;
}

const natural = (
  a: number | bigint | boolean | Date,
  b: number | bigint | boolean | Date,
): number => Number(a > b) - Number(a < b);
const bytewise = (a: Uint8Array | string, b: Uint8Array | string): number =>
  Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
const decimals = (a: string, b: string): number =>
  natural(BigInt(a.replace('.', '')), BigInt(b.replace('.', '')));

const awkward = [
  '',
  '\0',
  '\x01',
  ' ',
  '!',
  '#',
  '$',
  '%',
  'a',
  'a ',
  'a#',
  'a$',
  'a0',
  'aa',
  '~',
  '\x7f',
  'é',
  '\ufffd',
  '\u{1f600}',
  '\0\0',
  '$24',
];
const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);
const date = (min: number, max: number, step = 1): fc.Arbitrary<Date> =>
  fc
    .integer({ min: Math.ceil(min / step), max: Math.floor(max / step) })
    .map((n) => new Date(n * step));
const near = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -99999, max: 99999 }));
const members = ['NEW', 'ACTIVE', 'CLOSED'];
const floored =
  (size: number) =>
  (value: Date): Date =>
    new Date(Math.floor(value.getTime() / size) * size);
const time = fc.oneof(date(0, 20), date(0, 9_999_999_999_999));

/** Kinds in ascending order; `descends` lists the formats that also support descending order. */
export const kinds: readonly (KindSample & { readonly descends: 'both' | 'ordered' | 'never' })[] =
  [
    { type: { kind: 'string' }, values: text, compare: bytewise, descends: 'ordered' },
    { type: { kind: 'int', width: 5 }, values: near, compare: natural, descends: 'both' },
    {
      type: { kind: 'int' },
      values: fc.oneof(near, fc.maxSafeInteger()),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'uint', max: 4_294_967_295 },
      values: fc.oneof(fc.nat(9), fc.nat(0xffffffff)),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'bigint' },
      values: fc.oneof(near.map(BigInt), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'bigint', width: 18 },
      values: fc.oneof(
        near.map(BigInt),
        fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }),
      ),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'float' },
      values: fc.oneof(
        fc.constantFrom(0, 1, -1, 1.5, Infinity, -Infinity, 5e-324, -5e-324),
        fc.double({ noNaN: true }).map((x) => x + 0),
      ),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'decimal', width: 9, scale: 2 },
      values: near.map(
        (n) =>
          `${n < 0 ? '-' : ''}${Math.floor(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, '0')}`,
      ),
      compare: decimals,
      descends: 'both',
    },
    { type: { kind: 'bool' }, values: fc.boolean(), compare: natural, descends: 'both' },
    {
      type: { kind: 'enum', values: members },
      values: fc.constantFrom(...members),
      compare: bytewise,
      descends: 'ordered',
    },
    {
      type: { kind: 'enum', values: members, by: 'ordinal' },
      values: fc.constantFrom(...members),
      compare: (a: string, b: string) => members.indexOf(a) - members.indexOf(b),
      descends: 'both',
    },
    { type: { kind: 'timestamp' }, values: time, compare: natural, descends: 'both' },
    { type: { kind: 'timestamp', unit: 'us' }, values: time, compare: natural, descends: 'both' },
    {
      type: { kind: 'timestamp', floor: 'hour' },
      values: date(-9e12, 9e12),
      compare: natural,
      stored: floored(3_600_000),
      descends: 'both',
    },
    {
      type: { kind: 'timestamp', floor: 'day' },
      values: date(-9e12, 9e12),
      compare: natural,
      stored: floored(86_400_000),
      descends: 'both',
    },
    {
      type: { kind: 'timestamp', floor: 5 },
      values: fc.oneof(date(-20, 20), date(-9e12, 9e12)),
      compare: natural,
      stored: floored(5),
      descends: 'both',
    },
    {
      type: { kind: 'micros' },
      values: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, 9_999_999_999_999_999n)),
      compare: natural,
      descends: 'both',
    },
    {
      type: { kind: 'isoDate' },
      values: date(-62_167_219_200_000, 253_402_300_799_999),
      compare: natural,
      descends: 'ordered',
    },
    {
      type: { kind: 'isoDate', precision: 'day' },
      values: date(-62_167_219_200_000, 253_402_300_799_999),
      compare: natural,
      stored: floored(86_400_000),
      descends: 'ordered',
    },
    { type: { kind: 'uuid' }, values: fc.uuid(), compare: bytewise, descends: 'ordered' },
    { type: { kind: 'ulid' }, values: fc.ulid(), compare: bytewise, descends: 'ordered' },
    {
      type: { kind: 'bytes', maxLength: 20 },
      values: fc.oneof(
        fc.constantFrom(new Uint8Array(0), new Uint8Array(1), new Uint8Array(2)),
        fc.uint8Array({ maxLength: 4 }),
      ),
      compare: bytewise,
      descends: 'ordered',
    },
    { type: { kind: 'reversedId', width: 10 }, values: fc.nat(), descends: 'never' },
    {
      type: { kind: 'domain' },
      values: fc.constantFrom(
        'google.com',
        'a.google.com',
        'google-x.com',
        'a.google-x.com',
        'b.a.google.com',
        'com',
        'google2.com',
      ),
      descends: 'never',
    },
  ];

/** The kinds as a format supports them: in both directions, nullable or not. */
export function samplesOf(format: 'text' | 'ordered' | 'delimited'): KindSample[] {
  return kinds.flatMap((kind) => {
    const { type, descends } = kind;
    if (format === 'delimited' && type.kind === 'timestamp' && type.unit !== undefined) return [];
    const directions =
      descends === 'both' || (descends === 'ordered' && format === 'ordered')
        ? (['asc', 'desc'] as const)
        : ([undefined] as const);
    const nullables = format === 'delimited' ? [false] : [false, true];
    return directions.flatMap((order) =>
      nullables.map((nullable) => ({
        ...kind,
        type: { ...type, order, nullable: nullable || undefined },
        values: nullable
          ? fc.oneof(
              { weight: 1, arbitrary: fc.constant(null) },
              { weight: 4, arbitrary: kind.values },
            )
          : kind.values,
        compare:
          kind.compare &&
          ((a: unknown, b: unknown) =>
            a === null || b === null
              ? Number(b === null) - Number(a === null)
              : (kind.compare as (a: unknown, b: unknown) => number)(a, b)),
      })),
    );
  });
}

/** Compares two values by the kind's own order. */
export function compareValues(sample: KindSample, a: unknown, b: unknown): number {
  return (sample.compare as unknown as (a: unknown, b: unknown) => number)(a, b);
}

/** The value as it is decoded from a key. */
export function storedValue({ stored }: KindSample, value: unknown): unknown {
  if (value === null || stored === undefined) return value;
  return (stored as (value: unknown) => unknown)(value);
}
