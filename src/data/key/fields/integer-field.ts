/**
 * Fields with values that map to integers: a domain (value <-> integer) combined with a layout
 * (integer <-> bytes). All numbers, times, bools and ordinals are built this way, so that direction
 * and width are implemented once.
 */
import type { FaultTexts } from '../../../base/index.js';
import type { BoundMapping, SegmentField } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { KeyWriter } from '../encoding/key-writer.js';

/** Values of a kind as integers of the same order. */
export interface IntegerDomain {
  /** The integer of the value, as a number if it is safe. Rejects values of the wrong type. */
  toInteger(value: unknown): number | bigint;
  /** The value of the integer, or notAValue if no value has it. */
  fromInteger(integer: number | bigint): unknown;
  /** As fromInteger, for layouts that have `readNumber`. */
  readonly fromNumber?: (integer: number) => unknown;
  /** Smallest integer of a value, inclusive; the layout's own limits apply as well. */
  readonly min?: number | bigint;
  /** Greatest integer of a value, inclusive; the layout's own limits apply as well. */
  readonly max?: number | bigint;
  /** How to fix a value outside the limits. */
  readonly rangeFix: string;
  readonly immutable: boolean;
  readonly mapBound?: BoundMapping;
  readonly sqlType: 'INT64' | 'TIMESTAMP';
}

/** Integers as bytes that sort like the integers, or in reverse. */
export interface IntegerLayout {
  readonly min: number | bigint;
  readonly max: number | bigint;
  write(out: KeyWriter, integer: number | bigint): void;
  /** The integer; undefined if the layout never writes these bytes. */
  read(bytes: Uint8Array, start: number, end: number): number | bigint | undefined;
  /**
   * As `read`, for domains that have `fromNumber`: NaN instead of undefined, and integers beyond
   * 2^53 may be rounded. It never returns a bigint, so the number stays in a register.
   */
  readonly readNumber?: (bytes: Uint8Array, start: number, end: number) => number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly minByte: number;
  readonly descending: boolean;
  readonly prefixFree: boolean;
  readonly punctuation: string;
  readonly encoding: string;
  /** Why the layout does not sort by value. */
  readonly noRanges?: string;
}

/** The field of a domain in a layout. */
export function integerField(domain: IntegerDomain, layout: IntegerLayout): SegmentField {
  const min = greaterOf(layout.min, domain.min);
  const max = lesserOf(layout.max, domain.max);
  // Comparing a number with a bigint is slow. Rounding affects only limits beyond every safe
  // integer.
  const numberMin = Number(min);
  const numberMax = Number(max);
  const isOutside = (integer: number | bigint): boolean => {
    if (typeof integer === 'number') return integer < numberMin || integer > numberMax;
    return integer < min || integer > max;
  };
  return {
    write(out, value) {
      const integer = domain.toInteger(value);
      if (isOutside(integer))
        rejectValue(faults.integerOutOfRange(integer, min, max, domain.rangeFix), value);
      layout.write(out, integer);
    },
    reader() {
      const { fromNumber } = domain;
      const { readNumber } = layout;
      if (fromNumber !== undefined && readNumber !== undefined) {
        return (bytes, start, end) => {
          const integer = readNumber(bytes, start, end);
          if (integer >= numberMin && integer <= numberMax) return fromNumber(integer);
          return notAValue;
        };
      }
      return (bytes, start, end) => {
        const integer = layout.read(bytes, start, end);
        if (integer === undefined || isOutside(integer)) return notAValue;
        return domain.fromInteger(integer);
      };
    },
    minLength: layout.minLength,
    maxLength: layout.maxLength,
    minByte: layout.minByte,
    immutable: domain.immutable,
    descending: layout.descending,
    prefixFree: layout.prefixFree,
    noRanges: layout.noRanges,
    mapBound: domain.mapBound,
    sqlType: domain.sqlType,
    punctuation: layout.punctuation,
    encoding: layout.encoding,
  };
}

function greaterOf(limit: number | bigint, other = limit): number | bigint {
  return other > limit ? other : limit;
}

function lesserOf(limit: number | bigint, other = limit): number | bigint {
  return other < limit ? other : limit;
}

const faults = {
  integerOutOfRange: (
    integer: number | bigint,
    min: number | bigint,
    max: number | bigint,
    rangeFix: string,
  ) => ({ problem: `${String(integer)} is outside the range ${min} to ${max}`, fix: rangeFix }),
} satisfies FaultTexts;
