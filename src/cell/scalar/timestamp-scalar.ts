/**
 * The scalar `timestamp`: a Date <-> int64 microseconds since 1970, big-endian. Every valid Date
 * fits (8.64e18 < 2^63).
 */
import { CellFault } from '../cell-codec.js';
import { isDate, wrongType } from '../value-kind.js';

const word = 0x100000000;
/** Milliseconds of the last Date on either side of 1970. */
const lastDate = 8.64e15;

/** The cell of a Date. */
export function writeTimestamp(value: Date): Uint8Array {
  if (!isDate(value)) throw wrongType('a Date', value, 'give a Date, for example new Date(value)');
  const ms = value.getTime();
  if (Number.isNaN(ms))
    throw new CellFault('the Date is invalid', 'check what the Date was made from');
  // Halves of 32 bits keep every product below 2^53, where numbers are exact.
  const upper = Math.floor(ms / word);
  const lower = (ms - upper * word) * 1000;
  return wordsCell(upper * 1000 + Math.floor(lower / word), lower % word);
}

function wordsCell(upper: number, lower: number): Uint8Array {
  const out = new Uint8Array(8);
  for (let i = 0; i < 4; i++) {
    out[i] = upper >>> (24 - 8 * i);
    out[4 + i] = lower >>> (24 - 8 * i);
  }
  return out;
}

/**
 * The Date of a cell. Microseconds that are not whole milliseconds are refused: a Date would drop
 * them silently.
 */
export function readTimestamp(bytes: Uint8Array, start: number, end: number): Date {
  if (end - start !== 8)
    throw new CellFault(
      `a timestamp cell has 8 bytes, this one has ${end - start}`,
      'check that the column was written as timestamp',
    );
  const upper =
    (bytes[start] << 24) | (bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3];
  const lower =
    ((bytes[start + 4] << 24) |
      (bytes[start + 5] << 16) |
      (bytes[start + 6] << 8) |
      bytes[start + 7]) >>>
    0;
  const thousands = Math.floor(upper / 1000);
  const rest = (upper - thousands * 1000) * word + lower;
  if (rest % 1000 !== 0)
    throw new CellFault(
      'the cell has microseconds, which a Date cannot hold',
      'declare the column as int64 to read microseconds exactly',
    );
  const ms = thousands * word + rest / 1000;
  if (Math.abs(ms) > lastDate)
    throw new CellFault(
      'the cell holds a moment beyond the last Date',
      'declare the column as int64 to read it',
    );
  return new Date(ms);
}
