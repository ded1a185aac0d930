/**
 * Fields whose values are integers underneath: a domain (value <-> integer) joined with a layout (integer <-> bytes). Every number, time,
 * bool and ordinal is one of these, so direction and width are written once.
 */
import type { Field, FieldBound } from './field.js';
import { notAValue, refuse } from './field.js';
import type { KeyWriter } from './key-writer.js';
import { readDigits, safest, writeDigits } from './digits.js';
import { int64Max, int64Min, readBigEndianInt64, readOrderedInt64, writeBigEndianInt64, writeOrderedInt64 } from './int64.js';

/** Values of a kind as integers of the same order. */
export interface IntegerDomain {
  /** The integer of the value; refuses values of the wrong type. Safe integers as numbers. */
  toInteger(value: unknown): number | bigint;
  /** The value of the integer, or notAValue when no value has it. */
  fromInteger(integer: number | bigint): unknown;
  /** Least and greatest integer a value may have; the layout's own limits hold as well. */
  readonly min?: number | bigint;
  readonly max?: number | bigint;
  /** What to do when a value lies outside the limits. */
  readonly rangeFix: string;
  readonly immutable: boolean;
  readonly bound?: (end: 'from' | 'to', bound: FieldBound) => FieldBound;
  readonly sqlType: 'INT64' | 'TIMESTAMP';
}

/** Integers as bytes, order kept or turned round. */
export interface IntegerLayout {
  readonly min: number | bigint;
  readonly max: number | bigint;
  write(out: KeyWriter, integer: number | bigint): void;
  /** The integer; undefined when the bytes are none the layout writes. */
  read(bytes: Uint8Array, start: number, end: number): number | bigint | undefined;
  readonly minLength: number;
  readonly maxLength: number;
  readonly leastByte: number;
  readonly descending: boolean;
  readonly prefixFree: boolean;
  readonly punctuation: string;
  readonly encoding: string;
  /** Why the layout does not sort by value. */
  readonly noRanges?: string;
}

/** The field of a domain in a layout. */
export function integerField(domain: IntegerDomain, layout: IntegerLayout): Field {
  const min = domain.min === undefined || domain.min < layout.min ? layout.min : domain.min;
  const max = domain.max === undefined || domain.max > layout.max ? layout.max : domain.max;
  // A number compared with a bigint takes the slow way; what rounding changes lies beyond every safe integer.
  const numberMin = Number(min);
  const numberMax = Number(max);
  const outside = (integer: number | bigint): boolean => (typeof integer === 'number' ? integer < numberMin || integer > numberMax : integer < min || integer > max);
  return {
    write(out, value) {
      const integer = domain.toInteger(value);
      if (outside(integer)) refuse(`${String(integer)} is outside ${min} .. ${max}`, domain.rangeFix, value);
      layout.write(out, integer);
    },
    reader: () => (bytes, start, end) => {
      const integer = layout.read(bytes, start, end);
      return integer === undefined || outside(integer) ? notAValue : domain.fromInteger(integer);
    },
    minLength: layout.minLength,
    maxLength: layout.maxLength,
    leastByte: layout.leastByte,
    immutable: domain.immutable,
    descending: layout.descending,
    prefixFree: layout.prefixFree,
    noRanges: layout.noRanges,
    bound: domain.bound,
    sqlType: domain.sqlType,
    punctuation: layout.punctuation,
    encoding: layout.encoding,
  };
}

const digitsOnly = { leastByte: 0x30, prefixFree: true, punctuation: '' };

/** The greatest integer of `width` decimal digits: a number where it is safe. */
export function nines(width: number): number | bigint {
  return width <= 15 ? 10 ** width - 1 : 10n ** BigInt(width) - 1n;
}

/** Zero-padded decimal of zero and more; descending subtracts from all nines. */
export function unsignedDigits(width: number, descending: boolean): IntegerLayout {
  return {
    ...digitsOnly, min: 0, max: nines(width), descending, minLength: width, maxLength: width,
    write: (out, integer) => writeDigits(out, integer, width, descending),
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      const integer = readDigits(bytes, start, end, descending);
      return integer === -1 ? undefined : integer;
    },
    encoding: `${width} digits${descending ? ', subtracted from all nines' : ''}`,
  };
}

/**
 * Decimal of either sign. Ascending: `-` (below the digits) and 10^width + n for negatives. Descending: 10^width - 1 - n for zero and more;
 * negatives as `:` (the byte above the digits) and -1 - n.
 */
export function signedDigits(width: number, descending: boolean): IntegerLayout {
  const lead = descending ? 0x3a : 0x2d;
  const max = nines(width);
  return {
    min: -max, max, descending, minLength: width, maxLength: width + 1, leastByte: descending ? 0x30 : 0x2d, prefixFree: true,
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

/** -1 - n: turns the order of all integers round, exactly over the whole of int64. */
export function beforeZero(integer: number | bigint): number | bigint {
  return typeof integer === 'bigint' ? safest(-1n - integer) : -1 - integer;
}

const longHigh = 9_223_372_036;
const longLow = 854_775_807;

/** 19 digits of Long.MAX_VALUE - n, newest first as in Bigtable's documentation. */
export function longReversed(): IntegerLayout {
  return {
    ...digitsOnly, min: 0, max: int64Max, descending: true, minLength: 19, maxLength: 19,
    write(out, integer) {
      if (typeof integer === 'bigint') return writeDigits(out, int64Max - integer, 19, false);
      // Two halves of a decimal subtraction, so that milliseconds and microseconds need no bigint.
      const high = Math.floor(integer / 1e9);
      const low = longLow - (integer - high * 1e9);
      writeDigits(out, longHigh - high - (low < 0 ? 1 : 0), 10, false);
      writeDigits(out, low < 0 ? low + 1e9 : low, 9, false);
    },
    read(bytes, start, end) {
      if (end - start !== 19) return undefined;
      const high = readDigits(bytes, start, end - 9, false);
      const low = readDigits(bytes, end - 9, end, false);
      if (typeof high !== 'number' || typeof low !== 'number' || high < 0 || low < 0) return undefined;
      const integerHigh = longHigh - high;
      if (integerHigh > 9_007_198) return BigInt(integerHigh) * 1_000_000_000n + BigInt(longLow - low);
      return integerHigh * 1e9 + (longLow - low);
    },
    encoding: '19 digits, subtracted from Long.MAX_VALUE',
  };
}

/** The ordered format's INT64 and TIMESTAMP: Bigtable's OrderedCodeBytes; descending writes -1 - n. */
export function orderedInt64(descending: boolean): IntegerLayout {
  return {
    min: int64Min, max: int64Max, descending, minLength: 1, maxLength: 10, leastByte: 0, prefixFree: true, punctuation: '',
    write: (out, integer) => writeOrderedInt64(out, descending ? beforeZero(integer) : integer),
    read(bytes, start, end) {
      const integer = readOrderedInt64(bytes, start, end);
      return descending && integer !== undefined ? beforeZero(integer) : integer;
    },
    encoding: `int64 ordered code${descending ? ' of -1 - n' : ''}`,
  };
}

/** Bigtable's BigEndianBytes: 8 bytes; sorts by value only from zero up. */
export function bigEndianInt64(): IntegerLayout {
  return {
    min: int64Min, max: int64Max, descending: false, minLength: 8, maxLength: 8, leastByte: 0, prefixFree: true, punctuation: '',
    write: writeBigEndianInt64, read: readBigEndianInt64, encoding: 'int64, 8 bytes big-endian',
    noRanges: 'big-endian bytes sort negative numbers after positive ones',
  };
}

/** Decimal digits backwards, so that sequential ids spread over the table. */
export function backwardDigits(width: number): IntegerLayout {
  return {
    ...unsignedDigits(width, false),
    write(out, integer) {
      writeDigits(out, integer, width, false);
      out.bytes.subarray(out.at - width, out.at).reverse();
    },
    read(bytes, start, end) {
      if (end - start !== width) return undefined;
      const forward = new Uint8Array(width);
      for (let i = 0; i < width; i++) forward[i] = bytes[end - 1 - i];
      const integer = readDigits(forward, 0, width, false);
      return integer === -1 ? undefined : integer;
    },
    encoding: `${width} digits backwards`,
    noRanges: 'the digits are reversed, so keys do not sort by value',
  };
}
