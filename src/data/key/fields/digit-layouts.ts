/** The text formats' layouts: integers as decimal digits of fixed width. */
import type { IntegerLayout } from './integer-field.js';
import {
  bitwiseNot,
  joinHalves,
  nines,
  readComplement,
  readDigits,
  readNineDigits,
  readShortDigits,
  writeComplement,
  writeDigits,
} from '../encoding/digits.js';
import { int64Max } from '../encoding/int64.js';

const digitsOnly = { minByte: 0x30, prefixFree: true, punctuation: '' };

/** Zero-padded decimal of integers from zero up; descending subtracts from all nines. */
export function unsignedDigits(width: number, descending: boolean): IntegerLayout {
  const common = {
    ...digitsOnly,
    min: 0,
    max: nines(width),
    minLength: width,
    maxLength: width,
    descending,
  };
  if (descending) {
    return {
      ...common,
      write: (out, integer) => writeComplement(out, integer, width),
      read(bytes, start, end) {
        if (end - start !== width) return undefined;
        return readComplement(bytes, start, end);
      },
      readNumber: complementReader(width),
      encoding: `${width} digits, subtracted from all nines`,
    };
  }
  return {
    ...common,
    write: (out, integer) => writeDigits(out, integer, width),
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      return readDigits(bytes, start, end);
    },
    readNumber: numberReader(width),
    encoding: `${width} digits`,
  };
}

type NumberReader = NonNullable<IntegerLayout['readNumber']>;

function numberReader(width: number): NumberReader | undefined {
  if (!isMediumWidth(width)) return undefined;
  return (bytes, start, end) => {
    if (end - start !== width) return NaN;
    return readMediumNumber(bytes, start, end);
  };
}

function complementReader(width: number): NumberReader | undefined {
  if (!isMediumWidth(width)) return undefined;
  const max = 10 ** width - 1;
  return (bytes, start, end) => {
    if (end - start !== width) return NaN;
    return max - readMediumNumber(bytes, start, end);
  };
}

/** Two blocks of digits that are together a safe integer. */
function isMediumWidth(width: number): boolean {
  return width >= 10 && width <= 15;
}

/** Ten to fifteen digits; NaN if a byte is not a digit. */
function readMediumNumber(bytes: Uint8Array, start: number, end: number): number {
  const high = readShortDigits(bytes, start, end - 9);
  const low = readNineDigits(bytes, end - 9);
  if ((high | low) < 0) return NaN;
  return high * 1e9 + low;
}

/**
 * Milliseconds in a finer unit: the same bytes as `unsignedDigits(13 + zeros)` of ms * 10^zeros,
 * without integers that are not safe.
 */
export function finerMillis(zeros: 3 | 6, descending: boolean): IntegerLayout {
  const width = 13 + zeros;
  const common = {
    ...digitsOnly,
    min: 0,
    max: nines(13),
    minLength: width,
    maxLength: width,
    descending,
    encoding: unsignedDigits(width, descending).encoding,
  };
  if (descending) {
    const tail = 10 ** zeros - 1;
    return {
      ...common,
      write(out, ms) {
        writeComplement(out, ms, 13);
        writeDigits(out, tail, zeros);
      },
      read(bytes, start, end) {
        if (end - start !== width) return undefined;
        if (readShortDigits(bytes, end - zeros, end) !== tail) return undefined;
        return readComplement(bytes, start, end - zeros);
      },
    };
  }
  return {
    ...common,
    write(out, ms) {
      writeDigits(out, ms, 13);
      writeDigits(out, 0, zeros);
    },
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      if (readShortDigits(bytes, end - zeros, end) !== 0) return undefined;
      return readDigits(bytes, start, end - zeros);
    },
  };
}

/** Decimal of either sign; each direction has a marker for negative integers. */
export function signedDigits(width: number, descending: boolean): IntegerLayout {
  if (descending) return descendingSignedDigits(width);
  return ascendingSignedDigits(width);
}

/** Negative integers as `-`, which sorts before the digits, and 10^width + n. */
function ascendingSignedDigits(width: number): IntegerLayout {
  const minus = 0x2d;
  return {
    ...signedCommon(width),
    descending: false,
    minByte: minus,
    punctuation: '-',
    write(out, integer) {
      if (integer >= 0) return writeDigits(out, integer, width);
      out.byte(minus);
      writeComplement(out, bitwiseNot(integer), width);
    },
    read(bytes, start, end) {
      if (end - start === width) return readDigits(bytes, start, end);
      if (end - start !== width + 1 || bytes[start] !== minus) return undefined;
      const inverted = readComplement(bytes, start + 1, end);
      if (inverted === undefined) return undefined;
      return bitwiseNot(inverted);
    },
    encoding: `${width} digits, negatives as '-' and the nines' complement of -1 - n`,
  };
}

/**
 * 10^width - 1 - n from zero up. Negative integers as `:`, which sorts after the digits, and -1 -
 * n.
 */
function descendingSignedDigits(width: number): IntegerLayout {
  const colon = 0x3a;
  return {
    ...signedCommon(width),
    descending: true,
    minByte: 0x30,
    punctuation: ':',
    write(out, integer) {
      if (integer >= 0) return writeComplement(out, integer, width);
      out.byte(colon);
      writeDigits(out, bitwiseNot(integer), width);
    },
    read(bytes, start, end) {
      if (end - start === width) return readComplement(bytes, start, end);
      if (end - start !== width + 1 || bytes[start] !== colon) return undefined;
      const inverted = readDigits(bytes, start + 1, end);
      if (inverted === undefined) return undefined;
      return bitwiseNot(inverted);
    },
    encoding: `${width} digits of the nines' complement, negatives as ':' and -1 - n`,
  };
}

function signedCommon(width: number) {
  const max = nines(width);
  return { min: -max, max, minLength: width, maxLength: width + 1, prefixFree: true };
}

// Long.MAX_VALUE in two decimal halves, so that subtracting from it needs no bigint.
const longHigh = 9_223_372_036;
const longLow = 854_775_807;

/** 19 digits of Long.MAX_VALUE - n: newest first, as in Bigtable's documentation. */
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

/** As longReversed of ms * 10^zeros, for milliseconds. */
export function longReversedMillis(zeros: 0 | 3 | 6): IntegerLayout {
  const perHigh = 10 ** (9 - zeros);
  const unit = 10 ** zeros;
  const layout = longMinus(
    (integer) => {
      const ms = Number(integer);
      const high = Math.floor(ms / perHigh);
      return [high, (ms - high * perHigh) * unit];
    },
    (high, low) => {
      if (low % unit !== 0) return undefined;
      return high * perHigh + low / unit;
    },
    int64Max / BigInt(unit),
  );
  if (zeros > 0) return layout;
  return { ...layout, readNumber: readLongReversed };
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

/** `split` and `join` convert between an integer and high * 10^9 + low. */
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
      let upper = longHigh - high;
      let lower = longLow - low;
      if (lower < 0) {
        upper--;
        lower += 1e9;
      }
      writeDigits(out, upper, 10);
      writeDigits(out, lower, 9);
    },
    read(bytes, start, end) {
      if (end - start !== 19) return undefined;
      const lead = readShortDigits(bytes, start, start + 1);
      const high = readShortDigits(bytes, start + 1, end - 9);
      const low = readShortDigits(bytes, end - 9, end);
      if ((lead | high | low) < 0) return undefined;
      let upper = longHigh - lead * 1e9 - high;
      let lower = longLow - low;
      if (lower < 0) {
        upper--;
        lower += 1e9;
      }
      if (upper < 0) return undefined;
      return join(upper, lower);
    },
    encoding: '19 digits, subtracted from Long.MAX_VALUE',
  };
}

/** Decimal digits in reverse, so that sequential ids spread over the table. */
export function backwardDigits(width: number): IntegerLayout {
  const forward = new Uint8Array(width);
  return {
    ...unsignedDigits(width, false),
    readNumber: undefined,
    write(out, integer) {
      writeDigits(out, integer, width);
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
      return readDigits(forward, 0, width);
    },
    encoding: `${width} digits backwards`,
    noRanges: 'the digits are reversed, so keys do not sort by value',
  };
}
