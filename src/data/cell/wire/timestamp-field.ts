/**
 * google.protobuf.Timestamp as a Date. A Timestamp with more than millisecond precision, or with
 * unknown fields, is rounded down. Its bytes are remembered for that Date object, and written again
 * if the Date has not been changed.
 */
import { copyBytes, isDate, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { wrongTypeError } from '../value-kind.js';
import { cursor, malformedError, readInt32, readSeconds, readTag, skip } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/**
 * The range of Timestamp in milliseconds, inclusive: 0001-01-01T00:00:00Z to
 * 9999-12-31T23:59:59.999Z.
 */
const minMs = -62135596800000;
const maxMs = 253402300799999;
const twoPow32 = 0x100000000;

/** The encoded Timestamps of Dates that could not represent them exactly. */
const inexactDates = new WeakMap<Date, { readonly ms: number; readonly bytes: Uint8Array }>();
let anyInexact = false;

/** Reads a Timestamp in `[at, end)`. */
export function readTimestampField(b: Uint8Array, at: number, end: number, depth: number): Date {
  const start = at;
  let seconds = 0;
  let nanos = 0;
  let hasUnknown = false;
  while (at < end) {
    const tag = readTag(b, at, end);
    at = cursor.at;
    if (tag === 0x08) {
      seconds = readSeconds(b, at, end);
      at = cursor.at;
    } else if (tag === 0x10) {
      nanos = readInt32(b, at, end);
      at = cursor.at;
    } else {
      at = skip(b, at, end, tag, depth + 1);
      hasUnknown = true;
    }
  }
  if (nanos < 0 || nanos > 999_999_999) throw malformedError(faults.nanosOutOfRange);
  const ms = seconds * 1000 + Math.floor(nanos / 1_000_000);
  if (ms < minMs || ms > maxMs) throw malformedError(faults.timestampOutOfRange);
  const date = new Date(ms);
  if (hasUnknown || nanos % 1_000_000 !== 0) {
    anyInexact = true;
    inexactDates.set(date, { ms, bytes: copyBytes(b, start, end) });
  }
  return date;
}

/** Writes a Date as a length-delimited Timestamp. */
export function writeTimestampField(w: WireWriter, value: unknown): void {
  if (!isDate(value))
    throw wrongTypeError('a Date', value, 'give a Date, for example new Date(value)');
  const ms = value.getTime();
  if (!(ms >= minMs && ms <= maxMs)) throw rangeError(ms);
  const start = w.open();
  const exact = exactTimestamp(value);
  if (exact !== undefined) w.raw(exact);
  else writeParts(w, ms);
  w.close(start);
}

/**
 * The bytes of the Timestamp that an unchanged Date was read from, if the Date does not represent
 * it exactly; otherwise undefined.
 */
export function exactTimestamp(date: Date): Uint8Array | undefined {
  if (!anyInexact) return undefined;
  const original = inexactDates.get(date);
  if (original === undefined || original.ms !== date.getTime()) return undefined;
  return original.bytes;
}

function rangeError(ms: number): CodecError {
  if (Number.isNaN(ms)) return new CodecError(faults.invalidDate);
  return new CodecError(faults.dateOutOfRange);
}

function writeParts(w: WireWriter, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  const nanos = (ms - seconds * 1000) * 1_000_000;
  if (seconds !== 0) {
    w.tag(0x08);
    w.varint64(seconds % twoPow32, Math.floor(seconds / twoPow32));
  }
  if (nanos !== 0) {
    w.tag(0x10);
    w.varint32(nanos);
  }
}

const faults = {
  nanosOutOfRange: { problem: 'a Timestamp has nanoseconds outside 0 to 999,999,999' },
  timestampOutOfRange: { problem: 'a Timestamp is outside the years 0001 to 9999' },
  invalidDate: { problem: 'the Date is invalid', fix: 'check how the Date was created' },
  dateOutOfRange: {
    problem: 'the Date is outside the years 0001 to 9999, the range of a Timestamp',
    fix: 'declare the field as int64 and store milliseconds',
  },
} satisfies FaultTexts;
