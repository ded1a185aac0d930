/**
 * Decimal digits straight to and from bytes, exact for integers of any size; numbers where they are
 * safe, bigints beyond.
 */
import type { KeyWriter } from './key-writer.js';

const zero = 0x30;

/**
 * Appends `value` (zero or more, known to fit) as `width` decimal digits. With `complement` each
 * digit d is written as 9 - d, which is 10^width - 1 - value without arithmetic that could
 * overflow.
 */
export function writeDigits(
  out: KeyWriter,
  value: number | bigint,
  width: number,
  complement: boolean,
): void {
  out.reserve(width);
  if (typeof value === 'bigint') writeBigDigits(out, value, width, complement);
  else writeNumberDigits(out, value, width, complement);
  out.at += width;
}

function writeNumberDigits(
  out: KeyWriter,
  value: number,
  width: number,
  complement: boolean,
): void {
  const { bytes, at } = out;
  const base = complement ? zero + 9 : zero;
  const sign = complement ? -1 : 1;
  let i = at + width - 1;
  let rest = value;
  // Integer division is several times faster below 2^31, so the low digits go first in blocks of
  // nine.
  while (rest >= 1e9) {
    const high = Math.floor(rest / 1e9);
    let low = rest - high * 1e9;
    for (let n = 0; n < 9; n++) {
      const quotient = (low / 10) | 0;
      bytes[i--] = base + sign * (low - quotient * 10);
      low = quotient;
    }
    rest = high;
  }
  for (; i >= at; i--) {
    const quotient = (rest / 10) | 0;
    bytes[i] = base + sign * (rest - quotient * 10);
    rest = quotient;
  }
}

function writeBigDigits(out: KeyWriter, value: bigint, width: number, complement: boolean): void {
  const text = value.toString();
  const pad = width - text.length;
  for (let i = 0; i < width; i++) {
    const digit = i < pad ? 0 : text.charCodeAt(i - pad) - zero;
    out.bytes[out.at + i] = zero + (complement ? 9 - digit : digit);
  }
}

/** At most nine digits `[start, end)`; -1 when a byte is not a digit. */
export function readShortDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  // Gathers the signs of d and 9 - d, so that one test at the end tells whether all are digits.
  let signs = 0;
  let i = start;
  // Three at once: a chain of single digits waits for every product.
  for (; i + 3 <= end; i += 3) {
    const a = bytes[i] - zero;
    const b = bytes[i + 1] - zero;
    const c = bytes[i + 2] - zero;
    signs |= a | (9 - a) | b | (9 - b) | c | (9 - c);
    value = (Math.imul(value, 1000) + Math.imul(a, 100) + Math.imul(b, 10) + c) | 0;
  }
  for (; i < end; i++) {
    const digit = bytes[i] - zero;
    signs |= digit | (9 - digit);
    value = (Math.imul(value, 10) + digit) | 0;
  }
  return signs < 0 ? -1 : value;
}

/**
 * Nine digits from `at` on; -1 when a byte is not a digit. Spelled out, because scans read a key's
 * numbers by it.
 */
export function readNineDigits(bytes: Uint8Array, at: number): number {
  const a = bytes[at] - zero,
    b = bytes[at + 1] - zero,
    c = bytes[at + 2] - zero,
    d = bytes[at + 3] - zero,
    e = bytes[at + 4] - zero;
  const f = bytes[at + 5] - zero,
    g = bytes[at + 6] - zero,
    h = bytes[at + 7] - zero,
    i = bytes[at + 8] - zero;
  const signs =
    a |
    (9 - a) |
    b |
    (9 - b) |
    c |
    (9 - c) |
    d |
    (9 - d) |
    e |
    (9 - e) |
    f |
    (9 - f) |
    g |
    (9 - g) |
    h |
    (9 - h) |
    i |
    (9 - i);
  const thousands =
    Math.imul(a, 100_000) +
    Math.imul(b, 10_000) +
    Math.imul(c, 1000) +
    Math.imul(d, 100) +
    Math.imul(e, 10) +
    f;
  return signs < 0
    ? -1
    : (Math.imul(thousands, 1000) + Math.imul(g, 100) + Math.imul(h, 10) + i) | 0;
}

/** Two digits; negative when a byte is not a digit. */
export function readTwoDigits(bytes: Uint8Array, at: number): number {
  const high = bytes[at] - zero;
  const low = bytes[at + 1] - zero;
  return (high | low | (9 - high) | (9 - low)) < 0 ? -1 : high * 10 + low;
}

/** Writes 0 to 99 as two digits. */
export function writeTwoDigits(bytes: Uint8Array, at: number, value: number): void {
  const high = (value * 103) >> 10;
  bytes[at] = zero + high;
  bytes[at + 1] = zero + value - high * 10;
}

/** 10^n - 1 for n from 0 to 10. */
const ninesOf = [
  0, 9, 99, 999, 9999, 99_999, 999_999, 9_999_999, 99_999_999, 999_999_999, 9_999_999_999,
];

/**
 * The digits `[start, end)`: a number when it is safe, else a bigint; -1 when a byte is not a
 * digit.
 */
export function readDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
  complement: boolean,
): number | bigint {
  const width = end - start;
  if (width > 19) return readManyDigits(bytes, start, end, complement);
  const middle = width > 9 ? end - 9 : start;
  const lead = width === 19 ? readShortDigits(bytes, start, start + 1) : 0;
  const high = readShortDigits(bytes, width === 19 ? start + 1 : start, middle);
  const low = readShortDigits(bytes, middle, end);
  if ((lead | high | low) < 0) return -1;
  const upper = lead * 1e9 + high;
  return complement
    ? joinHalves(ninesOf[middle - start] - upper, ninesOf[end - middle] - low)
    : joinHalves(upper, low);
}

const view = new DataView(new ArrayBuffer(8));

/** high * 10^9 + low, for `high` below 10^10 and `low` below 10^9; a number when it is safe. */
export function joinHalves(high: number, low: number): number | bigint {
  // 9,007,199 * 10^9 + 254,740,991 is the last safe integer.
  if (high < 9_007_199 || (high === 9_007_199 && low <= 254_740_991)) return high * 1e9 + low;
  // In binary halves, `high` cut at 20 bits so that every product stays below 2^53: bigint
  // arithmetic takes several times as long.
  const top = Math.floor(high / 0x100000);
  const upper = Math.floor((top * 1e9) / 4096);
  const lower = (high - top * 0x100000) * 1e9 + low + (top * 1e9 - upper * 4096) * 0x100000;
  const carry = Math.floor(lower / 0x100000000);
  view.setUint32(0, upper + carry);
  view.setUint32(4, lower - carry * 0x100000000);
  return view.getBigUint64(0);
}

function readManyDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
  complement: boolean,
): number | bigint {
  let value = 0n;
  for (let at = start, stop = start + ((end - start) % 19); at < end; at = stop, stop += 19) {
    const block = readDigits(bytes, at, stop, complement);
    if (block === -1) return -1;
    value = value * 10_000_000_000_000_000_000n + BigInt(block);
  }
  return safest(value);
}

/** The integer as a number when it is safe, else as it is. */
export function safest(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The greatest integer of `width` decimal digits: a number where it is safe. */
export function nines(width: number): number | bigint {
  return width <= 15 ? 10 ** width - 1 : 10n ** BigInt(width) - 1n;
}

/** -1 - n: turns the order of all integers round, exactly over the whole of int64. */
export function beforeZero(integer: number | bigint): number | bigint {
  return typeof integer === 'bigint' ? safest(-1n - integer) : -1 - integer;
}
