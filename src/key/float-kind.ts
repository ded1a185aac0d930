/** IEEE 754 doubles without NaN; -0 is written as 0. */
import type { Field } from './field.js';
import { notAValue, refuse } from './field.js';
import type { IntegerDomain } from './integer-field.js';
import { rawDefaults } from './raw-field.js';

const view = new DataView(new ArrayBuffer(8));

function checked(value: unknown): number {
  if (typeof value !== 'number' || Number.isNaN(value)) refuse('the value is not a number with a place in the order', 'pass a number that is not NaN', value);
  return value + 0;
}

/** Text: 16 lower-case hex digits of the bits, sign flipped, all flipped for negatives; all flipped again when descending. */
export function hexFloatField(descending: boolean): Field {
  const turn = descending ? -1 : 0;
  return {
    ...rawDefaults,
    write(out, value) {
      view.setFloat64(0, checked(value));
      const high = view.getInt32(0);
      const low = view.getInt32(4);
      out.reserve(16);
      writeHex32(out.bytes, out.at, turn ^ (high < 0 ? ~high : high ^ 0x80000000));
      writeHex32(out.bytes, out.at + 8, turn ^ (high < 0 ? ~low : low));
      out.at += 16;
    },
    reader: () => (bytes, start, end) => {
      if (end - start !== 16) return notAValue;
      const high = readHex(bytes, start, 8);
      const low = readHex(bytes, start + 8, 8);
      if (high < 0 || low < 0) return notAValue;
      const turnedHigh = (high | 0) ^ turn;
      const turnedLow = (low | 0) ^ turn;
      view.setInt32(0, turnedHigh < 0 ? turnedHigh ^ 0x80000000 : ~turnedHigh);
      view.setInt32(4, turnedHigh < 0 ? turnedLow : ~turnedLow);
      return plainFloat(view.getFloat64(0));
    },
    minLength: 16, maxLength: 16, leastByte: 0x30, descending, prefixFree: true, sqlType: 'INT64',
    encoding: `16 hex digits of the double's bits in order${descending ? ', turned round' : ''}`,
  };
}

function writeHex32(bytes: Uint8Array, at: number, bits: number): void {
  for (let i = 0; i < 8; i++) {
    const digit = (bits >>> (28 - 4 * i)) & 15;
    bytes[at + i] = digit < 10 ? 0x30 + digit : 0x57 + digit;
  }
}

/** `count` lower-case hex digits, at most 8, as an unsigned number; -1 when a byte is none. */
export function readHex(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let i = start; i < start + count; i++) {
    const byte = bytes[i];
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit < 0) return -1;
    value = (value << 4) | digit;
  }
  return value >>> 0;
}

function plainFloat(value: number): unknown {
  return Number.isNaN(value) || Object.is(value, -0) ? notAValue : value;
}

/** Ordered: google/orderedcode's float64, which is an int64 of the bits with negatives turned round. */
export const floatDomain: IntegerDomain = {
  // The least int64 would be -0.
  min: -(2n ** 63n) + 1n,
  immutable: true, sqlType: 'INT64', rangeFix: 'pass a number that is not NaN',
  toInteger(value) {
    view.setFloat64(0, checked(value));
    const bits = view.getBigInt64(0);
    return bits < 0n ? -(2n ** 63n) - bits : bits;
  },
  fromInteger(integer) {
    const bits = BigInt(integer);
    view.setBigInt64(0, bits < 0n ? -(2n ** 63n) - bits : bits);
    return plainFloat(view.getFloat64(0));
  },
};
