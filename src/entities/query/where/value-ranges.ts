/**
 * Checks on a scalar column as ranges of the bytes of its cells. Where the bytes of a kind do not
 * sort like its values (negative numbers), a check becomes several ranges.
 */
import {
  compareBytes,
  intersectRanges,
  isDate,
  type KeyRange,
  nextKey,
  noBytes,
  pointRange,
  prefixRange,
  rangeFrom,
  unionRanges,
} from '../../../base/index.js';
import { scalarCodec, type ScalarKind } from '../../../data/cell/index.js';
import type { Check, OrderOperator } from './condition.js';

/** Ranges of cell values, sorted and disjoint. */
export type ValueRanges = readonly KeyRange[];

/**
 * A part of the values of a kind with bytes that sort. The zones of a kind are in ascending order.
 */
interface Zone {
  readonly range: KeyRange;
  readonly descending: boolean;
  /** Whether the zone has the value. */
  readonly has: (value: unknown) => boolean;
}

const everyValue: KeyRange = { start: noBytes };
const sorted: readonly Zone[] = [{ range: everyValue, descending: false, has: () => true }];
const integers: readonly Zone[] = [
  { range: { start: bytesOf(8, 0x80) }, descending: false, has: isNegative },
  {
    range: { start: bytesOf(8, 0), end: bytesOf(8, 0x80) },
    descending: false,
    has: (value) => !isNegative(value),
  },
];

/**
 * IEEE 754: the sign bit comes first, and negative numbers sort by their magnitude. What follows
 * the infinities is NaN. Zero is in both zones, as 0 and -0.
 */
function floats(length: number, infinity: readonly [number, number]): readonly Zone[] {
  const [high, low] = infinity;
  return [
    {
      range: { start: bytesOf(length, 0x80), end: nextKey(bytesOf(length, high | 0x80, low)) },
      descending: true,
      has: (value) => (value as number) <= 0,
    },
    {
      range: { start: bytesOf(length, 0), end: nextKey(bytesOf(length, high, low)) },
      descending: false,
      has: (value) => (value as number) >= 0,
    },
  ];
}

const doubles = floats(8, [0x7f, 0xf0]);
const singles = floats(4, [0x7f, 0x80]);

const zonesByKind: Readonly<Partial<Record<ScalarKind, readonly Zone[]>>> = {
  string: sorted,
  bytes: sorted,
  bool: sorted,
  date: sorted,
  int32: integers,
  uint32: integers,
  int64: integers,
  timestamp: integers,
  double: doubles,
  float: singles,
};

/**
 * The values that pass all checks; undefined if bytes cannot decide. No range contains the value of
 * a check that is not valid for the kind.
 */
export function rangesOfChecks(
  kind: ScalarKind,
  checks: readonly Check[],
): ValueRanges | undefined {
  const zones = zonesByKind[kind];
  if (zones === undefined) return undefined;
  let ranges: ValueRanges = [everyValue];
  for (const check of checks) {
    const allowed = rangesOfCheck(kind, zones, check);
    if (allowed === undefined) return undefined;
    ranges = intersectAll(ranges, allowed);
  }
  return ranges;
}

function rangesOfCheck(
  kind: ScalarKind,
  zones: readonly Zone[],
  check: Check,
): ValueRanges | undefined {
  switch (check.kind) {
    case 'present':
      return [everyValue];
    case 'oneOf':
      return unionRanges(check.values.flatMap((value) => rangesOfValue(kind, zones, value)));
    case 'noneOf':
      return complement(
        unionRanges(check.values.flatMap((value) => rangesOfValue(kind, zones, value))),
      );
    case 'order':
      return unionRanges(
        orderRanges(zones, check.operator, check.value, (value) => encode(kind, value)),
      );
    case 'startsWith': {
      const { value } = check;
      // The beginning of a day is not a day: it is not encoded as one.
      const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
      const prefix = prefixRange(new Uint8Array(bytes));
      return check.negated ? complement([prefix]) : [prefix];
    }
    default:
      return undefined;
  }
}

function encode(kind: ScalarKind, value: unknown): Uint8Array {
  return scalarCodec(kind).encode(value);
}

function rangesOfValue(kind: ScalarKind, zones: readonly Zone[], value: unknown): KeyRange[] {
  if (value === 0 && (kind === 'double' || kind === 'float'))
    return [pointRange(encode(kind, 0)), pointRange(encode(kind, -0))];
  // Many bit patterns are NaN: all patterns that are no number.
  if (Number.isNaN(value)) return complement(unionRanges(zones.map(({ range }) => range)));
  return [pointRange(encode(kind, value))];
}

function orderRanges(
  zones: readonly Zone[],
  operator: OrderOperator,
  operand: unknown,
  encoded: (value: unknown) => Uint8Array,
): KeyRange[] {
  const wantsGreater = operator === 'above' || operator === 'atLeast';
  const isInclusive = operator === 'atLeast' || operator === 'atMost';
  const own = zones.flatMap(({ has }, i) => (has(operand) ? [i] : []));
  return zones.flatMap(({ range, descending }, i) => {
    if (!own.includes(i)) {
      const isGreater = i > own[own.length - 1];
      return isGreater === wantsGreater ? [range] : [];
    }
    const bytes = encoded(operand === 0 ? zeroOf(descending) : operand);
    const wanted = boundary(bytes, wantsGreater !== descending, isInclusive);
    return intersectRanges(range, wanted) ?? [];
  });
}

/** The zero of the zone: -0 is the first of the negative numbers. */
function zeroOf(descending: boolean): number {
  return descending ? -0 : 0;
}

/** The values on one side of the bytes. */
function boundary(bytes: Uint8Array, after: boolean, inclusive: boolean): KeyRange {
  if (after) return { start: inclusive ? bytes : nextKey(bytes) };
  return rangeFrom(noBytes, inclusive ? nextKey(bytes) : bytes);
}

/** The values in none of the ranges, which are sorted and disjoint. */
function complement(ranges: ValueRanges): KeyRange[] {
  const gaps: KeyRange[] = [];
  let start: Uint8Array | undefined = noBytes;
  for (const range of ranges) {
    if (start !== undefined && compareBytes(start, range.start) < 0)
      gaps.push({ start, end: range.start });
    start = range.end;
  }
  if (start !== undefined) gaps.push({ start });
  return gaps;
}

function intersectAll(a: ValueRanges, b: ValueRanges): ValueRanges {
  return a.flatMap((one) => b.flatMap((other) => intersectRanges(one, other) ?? []));
}

function isNegative(value: unknown): boolean {
  if (isDate(value)) return value.getTime() < 0;
  return (value as number | bigint) < 0;
}

/** A value of this length with the given first bytes, and zeros. */
function bytesOf(length: number, ...first: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(first);
  return bytes;
}
