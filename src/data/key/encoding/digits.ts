/**
 * Decimal digits as ASCII bytes, exact for integers of any size: numbers where they are safe
 * integers, bigints beyond.
 */
import type { KeyWriter } from './key-writer.js';

const zero = 0x30;
const nine = 0x39;

/** Appends `value` (zero or more, known to fit) as `width` decimal digits. */
export function writeDigits(out: KeyWriter, value: number | bigint, width: number): void {
  out.reserve(width);
  if (typeof value === 'bigint') writeBigDigits(out, value, width, zero, 1);
  else writeNumberDigits(out, value, width, zero, 1);
  out.at += width;
}

/**
 * Appends the nines' complement of `value`: each digit d is written as 9 - d, which is
 * 10^width - 1 - value without arithmetic that could overflow.
 */
export function writeComplement(out: KeyWriter, value: number | bigint, width: number): void {
  out.reserve(width);
  if (typeof value === 'bigint') writeBigDigits(out, value, width, nine, -1);
  else writeNumberDigits(out, value, width, nine, -1);
  out.at += width;
}

/** Writes the digit d as the byte `base + step * d`. */
function writeNumberDigits(
  { bytes, at }: KeyWriter,
  value: number,
  width: number,
  base: number,
  step: 1 | -1,
): void {
  let i = at + width - 1;
  let rest = value;
  // Integer division is several times faster below 2^31: write blocks of nine digits, lowest first.
  while (rest >= 1e9) {
    const high = Math.floor(rest / 1e9);
    let low = rest - high * 1e9;
    for (let n = 0; n < 9; n++) {
      const quotient = (low / 10) | 0;
      bytes[i--] = base + step * (low - quotient * 10);
      low = quotient;
    }
    rest = high;
  }
  for (; i >= at; i--) {
    const quotient = (rest / 10) | 0;
    bytes[i] = base + step * (rest - quotient * 10);
    rest = quotient;
  }
}

function writeBigDigits(
  { bytes, at }: KeyWriter,
  value: bigint,
  width: number,
  base: number,
  step: 1 | -1,
): void {
  const digits = value.toString().padStart(width, '0');
  for (let i = 0; i < width; i++) bytes[at + i] = base + step * (digits.charCodeAt(i) - zero);
}

/** The value of `[start, end)`, at most nine digits; -1 if a byte is not a digit. */
export function readShortDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  // Collects the sign bits of d and 9 - d, so that one test at the end covers every byte.
  let signs = 0;
  let i = start;
  // Three at a time: with single digits, each product waits for the one before.
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
  if (signs < 0) return -1;
  return value;
}

/**
 * The value of nine digits from `at` on; -1 if a byte is not a digit. Unrolled: scans spend their
 * time here.
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
  if (signs < 0) return -1;
  return (Math.imul(thousands, 1000) + Math.imul(g, 100) + Math.imul(h, 10) + i) | 0;
}

/** The value of two digits; -1 if a byte is not a digit. */
export function readTwoDigits(bytes: Uint8Array, at: number): number {
  const high = bytes[at] - zero;
  const low = bytes[at + 1] - zero;
  if ((high | low | (9 - high) | (9 - low)) < 0) return -1;
  return high * 10 + low;
}

/** Writes 0 to 99 as two digits; value * 103 >> 10 is value / 10 in that range. */
export function writeTwoDigits(bytes: Uint8Array, at: number, value: number): void {
  const high = (value * 103) >> 10;
  bytes[at] = zero + high;
  bytes[at + 1] = zero + value - high * 10;
}

/** 10^n - 1 for n from 0 to 9. */
const ninesOf = [0, 9, 99, 999, 9999, 99_999, 999_999, 9_999_999, 99_999_999, 999_999_999];

/** Maximum number of digits that are read as two numbers of up to nine digits. */
const blockDigits = 18;

/**
 * The value of the digits `[start, end)`: a number if it is safe, else a bigint; undefined if a
 * byte is not a digit.
 */
export function readDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (end - start > blockDigits) return readWideDigits(bytes, start, end);
  let middle = start;
  if (end - start > 9) middle = end - 9;
  const high = readShortDigits(bytes, start, middle);
  const low = readShortDigits(bytes, middle, end);
  if ((high | low) < 0) return undefined;
  return joinHalves(high, low);
}

/** As readDigits, for digits written by `writeComplement`. */
export function readComplement(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (end - start > blockDigits) return readWideComplement(bytes, start, end);
  let middle = start;
  if (end - start > 9) middle = end - 9;
  const high = readShortDigits(bytes, start, middle);
  const low = readShortDigits(bytes, middle, end);
  if ((high | low) < 0) return undefined;
  return joinHalves(ninesOf[middle - start] - high, ninesOf[end - middle] - low);
}

function readWideDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (end - start > 19) return readBlocks(bytes, start, end, readDigits);
  const high = readTenDigits(bytes, start);
  const low = readNineDigits(bytes, start + 10);
  if (high < 0 || low < 0) return undefined;
  return joinHalves(high, low);
}

function readWideComplement(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (end - start > 19) return readBlocks(bytes, start, end, readComplement);
  const high = readTenDigits(bytes, start);
  const low = readNineDigits(bytes, start + 10);
  if (high < 0 || low < 0) return undefined;
  return joinHalves(9_999_999_999 - high, 999_999_999 - low);
}

/** The value of ten digits from `at` on; -1 if a byte is not a digit. */
function readTenDigits(bytes: Uint8Array, at: number): number {
  const lead = readShortDigits(bytes, at, at + 1);
  const rest = readNineDigits(bytes, at + 1);
  if ((lead | rest) < 0) return -1;
  return lead * 1e9 + rest;
}

/** Digits in blocks; the first is shorter, and empty if the rest fit exactly. */
function readBlocks(
  bytes: Uint8Array,
  start: number,
  end: number,
  readBlock: typeof readDigits,
): number | bigint | undefined {
  let value = 0n;
  let stop = start + ((end - start) % blockDigits);
  for (let at = start; at < end; at = stop, stop += blockDigits) {
    const block = readBlock(bytes, at, stop);
    if (block === undefined) return undefined;
    value = value * 1_000_000_000_000_000_000n + BigInt(block);
  }
  return numberIfSafe(value);
}

const view = new DataView(new ArrayBuffer(8));

/** high * 10^9 + low, for `high` below 10^10 and `low` below 10^9; a number if it is safe. */
export function joinHalves(high: number, low: number): number | bigint {
  // 9,007,199 * 10^9 + 254,740,991 is the last safe integer.
  if (high < 9_007_199 || (high === 9_007_199 && low <= 254_740_991)) return high * 1e9 + low;
  // Two binary halves, since bigint arithmetic takes several times as long. `high` is cut at 20
  // bits so that every product stays below 2^53.
  const top = Math.floor(high / 0x100000);
  const upper = Math.floor((top * 1e9) / 4096);
  const lower = (high - top * 0x100000) * 1e9 + low + (top * 1e9 - upper * 4096) * 0x100000;
  const carry = Math.floor(lower / 0x100000000);
  view.setUint32(0, upper + carry);
  view.setUint32(4, lower - carry * 0x100000000);
  return view.getBigUint64(0);
}

/** The integer as a number if it is safe, else unchanged. */
export function numberIfSafe(value: bigint): number | bigint {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  return value;
}

/** The greatest integer of `width` decimal digits; a number if it is safe. */
export function nines(width: number): number | bigint {
  if (width <= 15) return 10 ** width - 1;
  return 10n ** BigInt(width) - 1n;
}

/** -1 - n, the bitwise NOT of n: reverses the order of all integers and never leaves int64. */
export function bitwiseNot(integer: number | bigint): number | bigint {
  if (typeof integer === 'bigint') return numberIfSafe(-1n - integer);
  return -1 - integer;
}
