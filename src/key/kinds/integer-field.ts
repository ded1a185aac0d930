/**
 * Fields whose values are integers underneath: a domain (value <-> integer) joined with a layout
 * (integer <-> bytes). Every number, time, bool and ordinal is one of these, so direction and width
 * are written once.
 */
import type { Field, FieldBound } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { KeyWriter } from '../encoding/key-writer.js';

/** Values of a kind as integers of the same order. */
export interface IntegerDomain {
  /** The integer of the value; refuses values of the wrong type. Safe integers as numbers. */
  toInteger(value: unknown): number | bigint;
  /** The value of the integer, or notAValue when no value has it. */
  fromInteger(integer: number | bigint): unknown;
  /** As fromInteger, for layouts that have `readNumber`. */
  readonly fromNumber?: (integer: number) => unknown;
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
  /**
   * As `read`, for domains that have `fromNumber`: NaN for no integer, and one beyond 2^53 may be
   * rounded. No bigint ever comes of it, so the number stays in a register.
   */
  readonly readNumber?: (bytes: Uint8Array, start: number, end: number) => number;
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
  // A number compared with a bigint takes the slow way; what rounding changes lies beyond every
  // safe integer.
  const numberMin = Number(min);
  const numberMax = Number(max);
  const outside = (integer: number | bigint): boolean =>
    typeof integer === 'number'
      ? integer < numberMin || integer > numberMax
      : integer < min || integer > max;
  return {
    write(out, value) {
      const integer = domain.toInteger(value);
      if (outside(integer))
        rejectValue(`${String(integer)} is outside ${min} .. ${max}`, domain.rangeFix, value);
      layout.write(out, integer);
    },
    reader() {
      const { fromNumber } = domain;
      const { readNumber } = layout;
      if (fromNumber !== undefined && readNumber !== undefined) {
        return (bytes, start, end) => {
          const integer = readNumber(bytes, start, end);
          return integer >= numberMin && integer <= numberMax ? fromNumber(integer) : notAValue;
        };
      }
      return (bytes, start, end) => {
        const integer = layout.read(bytes, start, end);
        return integer === undefined || outside(integer) ? notAValue : domain.fromInteger(integer);
      };
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
