/**
 * Parts joined by one delimiter: the text format, which escapes, and `delimited`, which refuses
 * instead.
 */
import type { Field, FieldReader } from '../kinds/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { remembering, type Framing, type PartReader } from './framing.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { propertySetter } from './property-setter.js';

/** Null in a descending text segment: above every digit, hex digit and `:`. */
const nullLast = 0x7e;

/** Digits of any int64 or decimal of usual width, with its sign. */
const shortLength = 20;

/**
 * The text format's framing for a delimiter D: bytes up to D + 1 are written as D + 1 and two
 * upper-case hex digits.
 */
export function textFraming(delimiter: number): Framing {
  const lead = delimiter + 1;
  return {
    separator: Uint8Array.of(delimiter),
    after: Uint8Array.of(lead),
    growth: (field) => (field.leastByte > lead ? 1 : 3),
    escape: (out, from) => escapeFrom(out, from, lead),
    writeSegment(out, { field, nullable }, value) {
      const from = out.at;
      if (nullable && value === null) {
        if (field.descending) out.byte(nullLast);
        return;
      }
      field.write(out, value);
      if (field.leastByte <= lead) escapeFrom(out, from, lead);
      if (nullable && out.at === from) out.byte(lead);
    },
    reader(part, last) {
      if (part.kind === 'literal') return literalReader(part.bytes, delimiter, last);
      const { field, nullable } = part;
      const literal = field.leastByte > lead && !nullable;
      if (literal && field.minLength === field.maxLength)
        return fixedReader(part.name, field, delimiter, last);
      // Short numbers are read as quickly as compared with the last one.
      if (literal && field.maxLength <= shortLength)
        return variableReader(part.name, field.reader(), delimiter, last);
      const inner = variableReader(
        part.name,
        literal ? field.reader() : segmentReader(field, nullable, lead),
        delimiter,
        last,
      );
      return field.immutable ? remembering(part.name, inner, endOf(delimiter, last), 1) : inner;
    },
  };
}

/**
 * Joins without escaping, for tables that exist already; a value that holds the delimiter is
 * refused, never written.
 */
export function delimitedFraming(delimiter: number): Framing {
  return {
    separator: Uint8Array.of(delimiter),
    after: Uint8Array.of(delimiter + 1),
    growth: () => 1,
    escape() {
      /* Nothing is escaped here. */
    },
    writeSegment(out, { field }, value) {
      const from = out.at;
      field.write(out, value);
      for (let i = from; i < out.at; i++) {
        if (out.bytes[i] === delimiter)
          rejectValue(
            `the value holds the delimiter ${JSON.stringify(String.fromCharCode(delimiter))}`,
            'change the value; the delimited format has no escapes',
            value,
          );
      }
    },
    reader(part, last) {
      if (part.kind === 'literal') return literalReader(part.bytes, delimiter, last);
      const { field } = part;
      const inner = variableReader(part.name, field.reader(), delimiter, last);
      return field.immutable && field.minLength !== field.maxLength
        ? remembering(part.name, inner, endOf(delimiter, last), 1)
        : inner;
    },
  };
}

function escapeFrom(out: KeyWriter, from: number, lead: number): void {
  let count = 0;
  for (let i = from; i < out.at; i++) if (out.bytes[i] <= lead) count++;
  if (count === 0) return;
  out.reserve(count * 2);
  const { bytes } = out;
  let to = out.at + count * 2;
  for (let i = out.at - 1; i >= from; i--) {
    const byte = bytes[i];
    if (byte > lead) bytes[--to] = byte;
    else {
      bytes[--to] = upperHex(byte & 15);
      bytes[--to] = upperHex(byte >> 4);
      bytes[--to] = lead;
    }
  }
  out.at += count * 2;
}

function upperHex(digit: number): number {
  return digit < 10 ? 0x30 + digit : 0x37 + digit;
}

function fromUpperHex(byte: number): number {
  return byte >= 0x30 && byte <= 0x39
    ? byte - 0x30
    : byte >= 0x41 && byte <= 0x46
      ? byte - 0x37
      : -1;
}

/** Where the next part starts when a part stops at `stop`; -1 when it must not stop there. */
function endOf(
  delimiter: number,
  last: boolean,
): (bytes: Uint8Array, stop: number, end: number) => number {
  return last
    ? (_bytes, stop, end) => (stop === end ? end + 1 : -1)
    : (bytes, stop, end) => (stop < end && bytes[stop] === delimiter ? stop + 1 : -1);
}

function literalReader(literal: Uint8Array, delimiter: number, last: boolean): PartReader {
  const ends = endOf(delimiter, last);
  return (bytes, at, end) => {
    const stop = at + literal.length;
    if (stop > end) return -1;
    for (let i = 0; i < literal.length; i++) if (bytes[at + i] !== literal[i]) return -1;
    return ends(bytes, stop, end);
  };
}

function fixedReader(name: string, field: Field, delimiter: number, last: boolean): PartReader {
  const set = propertySetter(name);
  const read = field.reader();
  const width = field.minLength;
  return (bytes, at, end, target) => {
    const stop = at + width;
    if (last ? stop !== end : stop >= end || bytes[stop] !== delimiter) return -1;
    const value = read(bytes, at, stop);
    if (value === notAValue) return -1;
    set(target, value);
    return stop + 1;
  };
}

function variableReader(
  name: string,
  read: FieldReader,
  delimiter: number,
  last: boolean,
): PartReader {
  const set = propertySetter(name);
  return (bytes, at, end, target) => {
    if (at > end) return -1;
    let stop = at;
    while (stop < end && bytes[stop] !== delimiter) stop++;
    if (last !== (stop === end)) return -1;
    const value = read(bytes, at, stop);
    if (value === notAValue) return -1;
    set(target, value);
    return stop + 1;
  };
}

/**
 * Undoes null and escapes around a field; false escapes (lower-case hex, literal bytes that had to
 * be escaped) are no value.
 */
function segmentReader(field: Field, nullable: boolean, lead: number): FieldReader {
  const read = field.reader();
  let own = new Uint8Array(64);
  return (bytes, start, end) => {
    if (nullable) {
      if (start === end) return field.descending ? notAValue : null;
      if (end - start === 1 && bytes[start] === lead) return read(bytes, end, end);
      if (field.descending && end - start === 1 && bytes[start] === nullLast) return null;
    }
    let i = start;
    while (i < end && bytes[i] > lead) i++;
    if (i === end) return nullable && end === start ? notAValue : read(bytes, start, end);
    if (end - start > own.length) own = new Uint8Array((end - start) * 2);
    let length = 0;
    for (i = start; i < end; i++) {
      if (bytes[i] > lead) {
        own[length++] = bytes[i];
        continue;
      }
      if (bytes[i] !== lead || i + 2 >= end) return notAValue;
      const high = fromUpperHex(bytes[i + 1]);
      const low = fromUpperHex(bytes[i + 2]);
      if (high < 0 || low < 0 || high * 16 + low > lead) return notAValue;
      own[length++] = high * 16 + low;
      i += 2;
    }
    return read(own, 0, length);
  };
}

/** A literal's bytes as the framing writes them. */
export function framedLiteral(framing: Framing, out: KeyWriter, raw: Uint8Array): Uint8Array {
  out.at = 0;
  out.append(raw);
  framing.escape(out, 0);
  return out.copy();
}
