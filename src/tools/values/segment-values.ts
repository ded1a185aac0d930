/** Values of segments: how many a segment can have, and the value of a number or a time. */
import { dayMs } from '../../base/index.js';
import type { SegmentKind, SegmentType } from '../../data/key/index.js';
import { mix } from './random.js';

/** How values of a kind are made. */
export interface SegmentValuesOf {
  /** Number of different values that the segment can have. */
  readonly count: number;
  /** The value of a number below `count`. Undefined: the kind has no numbered values. */
  readonly ofNumber?: (n: number) => unknown;
  /** The value of a time, with numbers from 0 up to 1 for its random part, if it has one. */
  readonly ofTime?: (ms: number, random: number) => unknown;
  /** Milliseconds that share a value; for `ofTime`. */
  readonly resolutionMs?: number;
}

/** How values of a segment are made; `cardinality` is how many of them are needed. */
export function segmentValues(
  property: string,
  type: SegmentType,
  cardinality: number,
): SegmentValuesOf {
  return makers[type.kind](type, property, cardinality);
}

type Maker = (type: SegmentType, property: string, cardinality: number) => SegmentValuesOf;

const makers: Readonly<Record<SegmentKind, Maker>> = {
  string: textValues,
  int: (type) => ({ ...integers(type), ofTime: (ms) => ms }),
  uint: (type) => ({ ...integers(type), ofTime: (ms) => ms }),
  bigint: (type) => ({
    count: type.width === undefined ? Infinity : 10 ** type.width,
    ofNumber: (n) => BigInt(n),
    ofTime: (ms) => BigInt(ms),
  }),
  float: () => ({ count: Number.MAX_SAFE_INTEGER, ofNumber: (n) => n }),
  decimal: (type) => ({
    count: 10 ** (type.width ?? 16),
    ofNumber: (n) => decimalText(n, type.scale ?? 0),
  }),
  bool: () => ({ count: 2, ofNumber: (n) => n === 1 }),
  enum: ({ values = [] }) => ({ count: values.length, ofNumber: (n) => values[n] }),
  timestamp: (type) => ({
    count: Infinity,
    ofNumber: (n) => new Date(n * resolutionOf(type)),
    // Segments of whole seconds take no fractions.
    ofTime: (ms) => new Date(type.unit === 's' ? Math.floor(ms / 1000) * 1000 : ms),
    resolutionMs: resolutionOf(type),
  }),
  micros: () => ({
    count: Infinity,
    ofNumber: (n) => BigInt(n) * 1000n,
    ofTime: (ms) => BigInt(ms) * 1000n,
  }),
  isoDate: ({ precision }) => ({
    count: Infinity,
    ofNumber: (n) => new Date(n * (precision === 'day' ? dayMs : 1)),
    ofTime: (ms) => new Date(ms),
    resolutionMs: precision === 'day' ? dayMs : 1,
  }),
  uuid: () => ({
    count: 2 ** 53,
    ofNumber: (n) => uuidText(hexOf(n), '4'),
    ofTime: (ms, random) =>
      uuidText(ms.toString(16).padStart(12, '0') + hexOf(Math.floor(random * 2 ** 53)), '7'),
    resolutionMs: 0,
  }),
  ulid: () => ({
    count: 2 ** 53,
    ofNumber: (n) => ulidText(mix(n) * 1000, n),
    ofTime: (ms, random) => ulidText(ms, Math.floor(random * 2 ** 53)),
    resolutionMs: 0,
  }),
  bytes: ({ maxLength = 8 }) => ({
    count: maxLength >= 6 ? 2 ** 48 : 256 ** maxLength,
    ofNumber: (n) => Buffer.from(hexOf(n).slice(16 - 2 * Math.min(8, maxLength)), 'hex'),
  }),
  reversedId: (type) => integers({ ...type, kind: 'uint' }),
  domain: () => ({ count: Infinity, ofNumber: (n) => `host${n}.example.com` }),
};

/** `device-0042`; without room for that, base 36 of as many characters as there is room for. */
function textValues(
  { maxLength = Infinity }: SegmentType,
  property: string,
  cardinality: number,
): SegmentValuesOf {
  const digits = Math.max(1, String(cardinality - 1).length);
  const name = property.slice(0, 12).toLowerCase();
  if (name.length + 1 + digits <= maxLength)
    return {
      count: Infinity,
      ofNumber: (n) => `${name}-${String(n).padStart(digits, '0')}`,
      ofTime: (ms) => new Date(ms).toISOString(),
    };
  const width = Math.min(maxLength, Math.max(1, (cardinality - 1).toString(36).length));
  return { count: 36 ** maxLength, ofNumber: (n) => n.toString(36).padStart(width, '0') };
}

function integers({ max, width = 16 }: SegmentType): SegmentValuesOf {
  const count = (max ?? Math.min(10 ** width - 1, Number.MAX_SAFE_INTEGER)) + 1;
  return { count, ofNumber: (n) => n };
}

function decimalText(n: number, scale: number): string {
  if (scale === 0) return String(n);
  const digits = String(n).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function resolutionOf({ unit = 'ms', floor }: SegmentType): number {
  if (floor === 'day') return dayMs;
  if (floor === 'hour') return dayMs / 24;
  if (typeof floor === 'number') return floor;
  return unit === 's' ? 1000 : 1;
}

/** 16 digits: different for different numbers, and in no order. */
function hexOf(n: number): string {
  const high = Math.floor(n / 2 ** 32);
  const low = mix(n ^ mix(high)) >>> 0;
  // Each step can be reversed, so that different numbers stay different.
  const top = (mix(low) ^ high) >>> 0;
  return hex8(top) + hex8(low);
}

/** The two digits of each byte: toString(16) and padStart() were a fifth of a simulation. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex8(bits: number): string {
  return (
    hexPairs[bits >>> 24] +
    hexPairs[(bits >>> 16) & 255] +
    hexPairs[(bits >>> 8) & 255] +
    hexPairs[bits & 255]
  );
}

/** A UUID of hexadecimal digits, in the version's layout. */
function uuidText(digits: string, version: string): string {
  const all = digits.padEnd(30, '5a17c3e9');
  return [
    all.slice(0, 8),
    all.slice(8, 12),
    version + all.slice(12, 15),
    `a${all.slice(15, 18)}`,
    all.slice(18, 30),
  ].join('-');
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function ulidText(ms: number, random: number): string {
  return base32(ms, 10) + base32(random, 16);
}

function base32(value: number, width: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < width; i++) {
    text = crockford[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
