/**
 * google.protobuf.Timestamp as a Date. A Date holds milliseconds; a Timestamp that holds more
 * (nanoseconds, unknown fields) is floored, and its bytes are kept beside the Date: written back as
 * long as that same Date object is unchanged.
 */
import { copyBytes } from '../../bytes/index.js';
import { CellFault } from '../cell-codec.js';
import { isDate, wrongType } from '../value-kind.js';
import { cursor, malformed, readInt32, readSeconds, readTag, skip } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/**
 * Milliseconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59.999Z, the range of Timestamp,
 * inclusive.
 */
const first = -62135596800000;
const last = 253402300799999;
const word = 0x100000000;

/** What a Date could not hold. */
const exact = new WeakMap<Date, { readonly ms: number; readonly bytes: Uint8Array }>();
let anyExact = false;

/** A Timestamp in `[at, end)`. */
export function readTimestampField(b: Uint8Array, at: number, end: number, depth: number): Date {
  const start = at;
  let seconds = 0;
  let nanos = 0;
  let whole = true;
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
      whole = false;
    }
  }
  if (nanos < 0 || nanos > 999_999_999)
    throw malformed('a Timestamp has nanoseconds outside 0 to 999,999,999');
  const ms = seconds * 1000 + Math.floor(nanos / 1_000_000);
  if (ms < first || ms > last) throw malformed('a Timestamp is outside the years 0001 to 9999');
  const date = new Date(ms);
  if (!whole || nanos % 1_000_000 !== 0) {
    anyExact = true;
    exact.set(date, { ms, bytes: copyBytes(b, start, end) });
  }
  return date;
}

/** A Date as Timestamp, with its length. */
export function writeTimestampField(w: WireWriter, value: unknown): void {
  if (!isDate(value)) throw wrongType('a Date', value, 'give a Date, for example new Date(value)');
  const ms = value.getTime();
  if (!(ms >= first && ms <= last)) {
    throw Number.isNaN(ms)
      ? new CellFault('the Date is invalid', 'check what the Date was made from')
      : new CellFault(
          'the Date is outside the years 0001 to 9999, which a Timestamp holds',
          'declare the field as int64 and store milliseconds',
        );
  }
  const start = w.open();
  const held = anyExact ? exact.get(value) : undefined;
  if (held !== undefined && held.ms === ms) w.raw(held.bytes);
  else writeParts(w, ms);
  w.close(start);
}

/**
 * The Timestamp of a Date that could not hold all of it, while the Date is as it was read; else
 * undefined.
 */
export function exactTimestamp(date: Date): Uint8Array | undefined {
  const held = anyExact ? exact.get(date) : undefined;
  return held !== undefined && held.ms === date.getTime() ? held.bytes : undefined;
}

function writeParts(w: WireWriter, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  const nanos = (ms - seconds * 1000) * 1_000_000;
  if (seconds !== 0) {
    w.tag(0x08);
    w.varint64(seconds % word, Math.floor(seconds / word));
  }
  if (nanos !== 0) {
    w.tag(0x10);
    w.varint32(nanos);
  }
}
