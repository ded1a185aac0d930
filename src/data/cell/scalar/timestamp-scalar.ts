/**
 * The scalar `timestamp`: a Date, stored as big-endian int64 microseconds since 1970. All valid
 * Dates are in range (8.64e18 < 2^63).
 */
import { isDate, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { wrongTypeError } from '../value-kind.js';

const twoPow32 = 0x100000000;
/** Milliseconds between 1970 and the first or last valid Date. */
const maxDateMs = 8.64e15;

/** Encodes a Date. */
export function writeTimestamp(value: Date): Uint8Array {
  if (!isDate(value))
    throw wrongTypeError('a Date', value, 'give a Date, for example new Date(value)');
  const ms = value.getTime();
  if (Number.isNaN(ms)) throw new CodecError(faults.invalidDate);
  // Split into 32-bit halves, so that all products stay below 2^53 and are exact.
  const upper = Math.floor(ms / twoPow32);
  const lower = (ms - upper * twoPow32) * 1000;
  return wordsCell(upper * 1000 + Math.floor(lower / twoPow32), lower % twoPow32);
}

function wordsCell(upper: number, lower: number): Uint8Array {
  const out = new Uint8Array(8);
  for (let i = 0; i < 4; i++) {
    out[i] = upper >>> (24 - 8 * i);
    out[4 + i] = lower >>> (24 - 8 * i);
  }
  return out;
}

/** Decodes a Date. Rejects fractions of a millisecond, which a Date cannot represent. */
export function readTimestamp(bytes: Uint8Array, start: number, end: number): Date {
  if (end - start !== 8) throw new CodecError(faults.wrongCellLength(end - start));
  const upper =
    (bytes[start] << 24) | (bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3];
  const lower =
    ((bytes[start + 4] << 24) |
      (bytes[start + 5] << 16) |
      (bytes[start + 6] << 8) |
      bytes[start + 7]) >>>
    0;
  const thousands = Math.floor(upper / 1000);
  const rest = (upper - thousands * 1000) * twoPow32 + lower;
  if (rest % 1000 !== 0) throw new CodecError(faults.microsecondPrecision);
  const ms = thousands * twoPow32 + rest / 1000;
  if (Math.abs(ms) > maxDateMs) throw new CodecError(faults.cellOutOfRange);
  return new Date(ms);
}

const faults = {
  invalidDate: { problem: 'the Date is invalid', fix: 'check how the Date was created' },
  wrongCellLength: (end: number) => ({
    problem: `expected 8 bytes for timestamp, but the cell has ${end}`,
    fix: 'check that the column was written as timestamp',
  }),
  microsecondPrecision: {
    problem: 'the cell has microsecond precision, which a Date cannot represent',
    fix: 'declare the column as int64 to read microseconds exactly',
  },
  cellOutOfRange: {
    problem: 'the cell contains a timestamp outside the range of Date',
    fix: 'declare the column as int64 to read it',
  },
} satisfies FaultTexts;
