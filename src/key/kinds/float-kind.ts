/** IEEE 754 doubles without NaN; -0 is written as 0. */
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { hexValues, writeHex32 } from '../encoding/hex.js';
import { readOrderedBits, writeOrderedHalves } from '../encoding/int64.js';
import { rawDefaults } from './raw-field.js';

const view = new DataView(new ArrayBuffer(8));

/** Puts the value's bits into the view. */
function putBits(value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value))
    rejectValue(
      'the value is not a number with a place in the order',
      'pass a number that is not NaN',
      value,
    );
  view.setFloat64(0, value + 0);
}

/** The number of the bits; -0 and NaN are never written. */
function plainFloat(high: number, low: number): unknown {
  view.setInt32(0, high);
  view.setInt32(4, low);
  const value = view.getFloat64(0);
  return Number.isNaN(value) || Object.is(value, -0) ? notAValue : value;
}

/**
 * Text: 16 lower-case hex digits of the bits, sign flipped, all flipped for negatives; all flipped
 * again when descending.
 */
export function hexFloatField(descending: boolean): Field {
  const turn = descending ? -1 : 0;
  return {
    ...rawDefaults,
    write(out, value) {
      putBits(value);
      const high = view.getInt32(0);
      const low = view.getInt32(4);
      out.reserve(16);
      writeHex32(out.bytes, out.at, turn ^ (high < 0 ? ~high : high ^ 0x80000000));
      writeHex32(out.bytes, out.at + 8, turn ^ (high < 0 ? ~low : low));
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
      high ^= turn;
      low ^= turn;
      return high < 0 ? plainFloat(high ^ 0x80000000, low) : plainFloat(~high, ~low);
    },
    minLength: 16,
    maxLength: 16,
    leastByte: 0x30,
    descending,
    prefixFree: true,
    sqlType: 'INT64',
    encoding: `16 hex digits of the double's bits in order${descending ? ', turned round' : ''}`,
  };
}

/**
 * Ordered: google/orderedcode's float64, the ordered code of the bits as an int64, a negative one
 * as minus its magnitude's bits.
 */
export function orderedFloatField(descending: boolean): Field {
  const turn = descending ? -1 : 0;
  return {
    ...rawDefaults,
    write(out, value) {
      putBits(value);
      const high = view.getInt32(0);
      const low = view.getInt32(4);
      if (high >= 0) writeOrderedHalves(out, high ^ turn, low ^ turn);
      else writeOrderedHalves(out, minusHigh(high & 0x7fffffff, low) ^ turn, -low ^ turn);
    },
    reader: () => (bytes, start, end) => {
      if (!readOrderedBits(bytes, start, end, view)) return notAValue;
      const high = view.getInt32(0) ^ turn;
      const low = view.getInt32(4) ^ turn;
      if (high >= 0) return plainFloat(high, low);
      // The least int64 has no magnitude; its bits would be those of -0.
      return plainFloat(minusHigh(high, low) | 0x80000000, -low);
    },
    minLength: 1,
    maxLength: 10,
    descending,
    prefixFree: true,
    sqlType: 'INT64',
    encoding: `int64 ordered code${descending ? ' of -1 - n' : ''}`,
  };
}

/** Upper half of the two's complement of a 64-bit integer. */
function minusHigh(high: number, low: number): number {
  return low === 0 ? -high | 0 : ~high;
}
