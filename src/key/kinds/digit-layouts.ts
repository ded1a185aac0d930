/** Integers as decimal digits of fixed width, the text formats' layouts. */
import type { IntegerLayout } from './integer-field.js';
import {
  beforeZero,
  joinHalves,
  nines,
  readDigits,
  readNineDigits,
  readShortDigits,
  writeDigits,
} from '../encoding/digits.js';
import { int64Max } from '../encoding/int64.js';

const digitsOnly = { leastByte: 0x30, prefixFree: true, punctuation: '' };

/** Zero-padded decimal of zero and more; descending subtracts from all nines. */
export function unsignedDigits(width: number, descending: boolean): IntegerLayout {
  return {
    ...digitsOnly,
    min: 0,
    max: nines(width),
    descending,
    minLength: width,
    maxLength: width,
    write: (out, integer) => writeDigits(out, integer, width, descending),
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      const integer = readDigits(bytes, start, end, descending);
      return integer === -1 ? undefined : integer;
    },
    readNumber: width > 9 && width <= 15 ? numberReader(width, descending) : undefined,
    encoding: `${width} digits${descending ? ', subtracted from all nines' : ''}`,
  };
}

/** Ten to fifteen digits, so that every number is safe. */
function numberReader(width: number, descending: boolean): IntegerLayout['readNumber'] {
  const greatest = 10 ** width - 1;
  return (bytes, start, end) => {
    if (end - start !== width) return NaN;
    const high = readShortDigits(bytes, start, end - 9);
    const low = readNineDigits(bytes, end - 9);
    if ((high | low) < 0) return NaN;
    const integer = high * 1e9 + low;
    return descending ? greatest - integer : integer;
  };
}

/**
 * Milliseconds in a finer unit, as `unsignedDigits(13 + zeros)` of ms * 10^zeros would write them,
 * without integers that are not safe.
 */
export function finerMillis(zeros: 3 | 6, descending: boolean): IntegerLayout {
  const width = 13 + zeros;
  const tail = descending ? 10 ** zeros - 1 : 0;
  return {
    ...digitsOnly,
    min: 0,
    max: nines(13),
    descending,
    minLength: width,
    maxLength: width,
    write(out, ms) {
      writeDigits(out, ms, 13, descending);
      writeDigits(out, tail, zeros, false);
    },
    read(bytes, start, end) {
      if (end - start !== width || readShortDigits(bytes, end - zeros, end) !== tail)
        return undefined;
      const ms = readDigits(bytes, start, end - zeros, descending);
      return ms === -1 ? undefined : ms;
    },
    encoding: unsignedDigits(width, descending).encoding,
  };
}

/**
 * Decimal of either sign. Ascending: `-` (below the digits) and 10^width + n for negatives.
 * Descending: 10^width - 1 - n for zero and more; negatives as `:` (the byte above the digits) and
 * -1 - n.
 */
export function signedDigits(width: number, descending: boolean): IntegerLayout {
  const lead = descending ? 0x3a : 0x2d;
  const max = nines(width);
  return {
    min: -max,
    max,
    descending,
    minLength: width,
    maxLength: width + 1,
    leastByte: descending ? 0x30 : 0x2d,
    prefixFree: true,
    punctuation: descending ? ':' : '-',
    write(out, integer) {
      if (integer >= 0) return writeDigits(out, integer, width, descending);
      out.byte(lead);
      writeDigits(out, beforeZero(integer), width, !descending);
    },
    read(bytes, start, end) {
      const negative = end - start === width + 1 && bytes[start] === lead;
      if (!negative && end - start !== width) return undefined;
      const size = readDigits(bytes, negative ? start + 1 : start, end, negative !== descending);
      return size === -1 ? undefined : negative ? beforeZero(size) : size;
    },
    encoding: `${width} digits, negatives below zero behind '${descending ? ':' : '-'}'${descending ? ', turned round' : ''}`,
  };
}

// Long.MAX_VALUE in two decimal halves, so that what is subtracted from it needs no bigint.
const longHigh = 9_223_372_036;
const longLow = 854_775_807;

/** 19 digits of Long.MAX_VALUE - n, newest first as in Bigtable's documentation. */
export function longReversed(): IntegerLayout {
  return longMinus(
    (integer) => {
      if (typeof integer === 'bigint')
        return [Number(integer / 1_000_000_000n), Number(integer % 1_000_000_000n)];
      const high = Math.floor(integer / 1e9);
      return [high, integer - high * 1e9];
    },
    joinHalves,
    int64Max,
  );
}

/** As longReversed of ms * 10^zeros, from and to milliseconds. */
export function longReversedMillis(zeros: 0 | 3 | 6): IntegerLayout {
  const perHigh = 10 ** (9 - zeros);
  const unit = 10 ** zeros;
  const layout = longMinus(
    (integer) => {
      const ms = Number(integer);
      const high = Math.floor(ms / perHigh);
      return [high, (ms - high * perHigh) * unit];
    },
    (high, low) => (low % unit === 0 ? high * perHigh + low / unit : undefined),
    int64Max / BigInt(unit),
  );
  return zeros === 0 ? { ...layout, readNumber: readLongReversed } : layout;
}

/** 19 digits of Long.MAX_VALUE - n. */
function readLongReversed(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 19) return NaN;
  const lead = bytes[start] - 0x30;
  const high = readNineDigits(bytes, start + 1);
  const low = readNineDigits(bytes, start + 10);
  if ((lead | (9 - lead) | high | low) < 0) return NaN;
  return (longHigh - lead * 1e9 - high) * 1e9 + (longLow - low);
}

function longMinus(
  split: (integer: number | bigint) => readonly [high: number, low: number],
  join: (high: number, low: number) => number | bigint | undefined,
  max: bigint,
): IntegerLayout {
  return {
    ...digitsOnly,
    min: 0,
    max,
    descending: true,
    minLength: 19,
    maxLength: 19,
    write(out, integer) {
      const [high, low] = split(integer);
      const borrow = low > longLow ? 1 : 0;
      writeDigits(out, longHigh - high - borrow, 10, false);
      writeDigits(out, longLow - low + borrow * 1e9, 9, false);
    },
    read(bytes, start, end) {
      if (end - start !== 19) return undefined;
      const lead = readShortDigits(bytes, start, start + 1);
      const high = readShortDigits(bytes, start + 1, end - 9);
      const low = readShortDigits(bytes, end - 9, end);
      if ((lead | high | low) < 0) return undefined;
      const borrow = low > longLow ? 1 : 0;
      const upper = longHigh - lead * 1e9 - high - borrow;
      return upper < 0 ? undefined : join(upper, longLow - low + borrow * 1e9);
    },
    encoding: '19 digits, subtracted from Long.MAX_VALUE',
  };
}

/** Decimal digits backwards, so that sequential ids spread over the table. */
export function backwardDigits(width: number): IntegerLayout {
  const forward = new Uint8Array(width);
  return {
    ...unsignedDigits(width, false),
    readNumber: undefined,
    write(out, integer) {
      writeDigits(out, integer, width, false);
      const { bytes } = out;
      for (let low = out.at - width, high = out.at - 1; low < high; low++, high--) {
        const byte = bytes[low];
        bytes[low] = bytes[high];
        bytes[high] = byte;
      }
    },
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      for (let i = 0; i < width; i++) forward[i] = bytes[end - 1 - i];
      const integer = readDigits(forward, 0, width, false);
      return integer === -1 ? undefined : integer;
    },
    encoding: `${width} digits backwards`,
    noRanges: 'the digits are reversed, so keys do not sort by value',
  };
}
