/** IEEE 754 doubles without NaN; -0 is written as 0. */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { hexValues, writeHex32 } from '../encoding/hex.js';
import { readOrderedBits, writeOrderedHalves } from '../encoding/int64.js';
import { rawDefaults } from '../fields/raw-field.js';

/** The sign bit of a double, in the upper one of its two 32-bit halves. */
const signBit = 0x80000000;

const view = new DataView(new ArrayBuffer(8));

/** Stores the value's bits in the view. */
function putBits(value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value)) rejectValue(faults.notANumber, value);
  // Adding 0 turns -0 into 0.
  view.setFloat64(0, value + 0);
}

/** The number with these bits. -0 and NaN are never written. */
function floatOf(high: number, low: number): unknown {
  view.setInt32(0, high);
  view.setInt32(4, low);
  const value = view.getFloat64(0);
  if (Number.isNaN(value) || Object.is(value, -0)) return notAValue;
  return value;
}

/**
 * Text: the bits as 16 lower-case hex digits, with the sign bit inverted for positive numbers and
 * all bits for negative ones; descending inverts all bits once more.
 */
export function hexFloatField(descending: boolean): SegmentField {
  let mask = 0;
  let encoding = "16 hex digits of the double's bits in order";
  if (descending) {
    mask = -1;
    encoding += ', complemented';
  }
  return {
    ...rawDefaults,
    write(out, value) {
      putBits(value);
      const high = view.getInt32(0);
      const low = view.getInt32(4);
      const sign = high >> 31;
      out.reserve(16);
      writeHex32(out.bytes, out.at, mask ^ high ^ (sign | signBit));
      writeHex32(out.bytes, out.at + 8, mask ^ low ^ sign);
      out.at += 16;
    },
    reader: () => (bytes, start, end) => {
      if (end - start !== 16) return notAValue;
      let high = 0;
      let low = 0;
      let signs = 0;
      for (let i = 0; i < 8; i++) {
        const upper = hexValues[bytes[start + i]];
        const lower = hexValues[bytes[start + 8 + i]];
        signs |= upper | lower;
        high = (high << 4) | upper;
        low = (low << 4) | lower;
      }
      if (signs < 0) return notAValue;
      high ^= mask;
      low ^= mask;
      if (high < 0) return floatOf(high ^ signBit, low);
      return floatOf(~high, ~low);
    },
    minLength: 16,
    maxLength: 16,
    minByte: 0x30,
    descending,
    prefixFree: true,
    sqlType: 'INT64',
    encoding,
  };
}

/**
 * Ordered: google/orderedcode's float64, which is the ordered code of the bits as an int64,
 * negative numbers as minus the bits of their magnitude.
 */
export function orderedFloatField(descending: boolean): SegmentField {
  let mask = 0;
  let encoding = 'int64 ordered code';
  if (descending) {
    mask = -1;
    encoding += ' of -1 - n';
  }
  return {
    ...rawDefaults,
    write(out, value) {
      putBits(value);
      const high = view.getInt32(0);
      const low = view.getInt32(4);
      if (high >= 0) writeOrderedHalves(out, high ^ mask, low ^ mask);
      else writeOrderedHalves(out, negatedHigh(high & ~signBit, low) ^ mask, -low ^ mask);
    },
    reader: () => (bytes, start, end) => {
      if (!readOrderedBits(bytes, start, end, view)) return notAValue;
      const high = view.getInt32(0) ^ mask;
      const low = view.getInt32(4) ^ mask;
      if (high >= 0) return floatOf(high, low);
      // The smallest int64 has no magnitude and becomes the bits of -0, which are rejected.
      return floatOf(negatedHigh(high, low) | signBit, -low);
    },
    minLength: 1,
    maxLength: 10,
    descending,
    prefixFree: true,
    sqlType: 'INT64',
    encoding,
  };
}

/** Upper half of the two's complement of a 64-bit integer. */
function negatedHigh(high: number, low: number): number {
  if (low === 0) return -high | 0;
  return ~high;
}

const faults = {
  notANumber: {
    problem: 'the value is not a number, or is NaN',
    fix: 'pass a number that is not NaN',
  },
} satisfies FaultTexts;
