/**
 * Parts joined by one delimiter: the text format, which escapes, and the delimited format, which
 * rejects what it would have to escape.
 */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentField, FieldReader } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { cachingReader, endsKey, type Framing, type PartEnd, type PartReader } from './framing.js';
import { upperHexDigits, upperHexValues } from '../encoding/hex.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { propertySetter } from './property-setter.js';

/** Null in a descending text segment: above every digit, hex digit and `:`. */
const nullLast = 0x7e;

/**
 * Values up to this many bytes are decoded as fast as they are compared: the digits of any int64,
 * with its sign.
 */
const maxUncachedLength = 20;

/**
 * The text format's framing for a delimiter D: bytes up to D + 1 are written as D + 1 and two
 * upper-case hex digits.
 */
export function textFraming(delimiter: number): Framing {
  const lead = delimiter + 1;
  return {
    separator: Uint8Array.of(delimiter),
    after: Uint8Array.of(lead),
    growth(field) {
      if (field.minByte > lead) return 1;
      return 3;
    },
    escape: (out, from) => escapeFrom(out, from, lead),
    writeSegment(out, { field, nullable }, value) {
      const from = out.at;
      if (nullable && value === null) {
        if (field.descending) out.byte(nullLast);
        return;
      }
      field.write(out, value);
      if (field.minByte <= lead) escapeFrom(out, from, lead);
      if (nullable && out.at === from) out.byte(lead);
    },
    reader(part, last) {
      if (part.kind === 'literal') return literalReader(part.bytes, delimiter, last);
      const { name, field, nullable } = part;
      const ends = endOf(delimiter, last);
      if (nullable || field.minByte <= lead) {
        const reader = variableReader(name, unescaping(field, nullable, lead), delimiter, last);
        if (!field.immutable) return reader;
        return cachingReader(name, reader, ends, 1);
      }
      if (field.minLength === field.maxLength) return fixedReader(name, field, delimiter, last);
      const reader = variableReader(name, field.reader(), delimiter, last);
      if (!field.immutable || field.maxLength <= maxUncachedLength) return reader;
      return cachingReader(name, reader, ends, 1);
    },
  };
}

/** Joins without escaping, for existing tables. A value that contains the delimiter is rejected. */
export function delimitedFraming(delimiter: number): Framing {
  return {
    separator: Uint8Array.of(delimiter),
    after: Uint8Array.of(delimiter + 1),
    growth: () => 1,
    escape() {
      /* This format has no escapes. */
    },
    writeSegment(out, { field }, value) {
      const from = out.at;
      field.write(out, value);
      for (let i = from; i < out.at; i++) {
        if (out.bytes[i] === delimiter)
          rejectValue(
            faults.valueWithDelimiter(JSON.stringify(String.fromCharCode(delimiter))),
            value,
          );
      }
    },
    reader(part, last) {
      if (part.kind === 'literal') return literalReader(part.bytes, delimiter, last);
      const { name, field } = part;
      const reader = variableReader(name, field.reader(), delimiter, last);
      if (!field.immutable || field.minLength === field.maxLength) return reader;
      return cachingReader(name, reader, endOf(delimiter, last), 1);
    },
  };
}

/** The bytes of a literal, escaped. */
export function framedLiteral(framing: Framing, out: KeyWriter, raw: Uint8Array): Uint8Array {
  out.at = 0;
  out.append(raw);
  framing.escape(out, 0);
  return out.copy();
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
      bytes[--to] = upperHexDigits[byte & 15];
      bytes[--to] = upperHexDigits[byte >> 4];
      bytes[--to] = lead;
    }
  }
  out.at += count * 2;
}

function endOf(delimiter: number, last: boolean): PartEnd {
  if (last) return endsKey;
  return (bytes, stop, end) => {
    if (stop < end && bytes[stop] === delimiter) return stop + 1;
    return -1;
  };
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

/** Reads a segment with values of one length that need no escapes. */
function fixedReader(
  name: string,
  field: SegmentField,
  delimiter: number,
  last: boolean,
): PartReader {
  const set = propertySetter(name);
  const read = field.reader();
  const width = field.minLength;
  return (bytes, at, end, target) => {
    const stop = at + width;
    if (last !== (stop === end)) return -1;
    if (!last && (stop > end || bytes[stop] !== delimiter)) return -1;
    const value = read(bytes, at, stop);
    if (value === notAValue) return -1;
    set(target, value);
    return stop + 1;
  };
}

/** Reads a segment that ends at the next delimiter, or at the end of the key if it is the last. */
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
 * A field's reader that first decodes null and escapes. Escapes that writing would not produce
 * (lower-case hex digits, or bytes that need no escape) are not a value.
 */
function unescaping(field: SegmentField, nullable: boolean, lead: number): FieldReader {
  const read = field.reader();
  const empty = field.descending ? notAValue : null;
  let unescaped = new Uint8Array(64);
  return (bytes, start, end) => {
    if (nullable) {
      if (start === end) return empty;
      if (end - start === 1) {
        if (bytes[start] === lead) return read(bytes, end, end);
        if (bytes[start] === nullLast && field.descending) return null;
      }
    }
    let i = start;
    while (i < end && bytes[i] > lead) i++;
    if (i === end) return read(bytes, start, end);
    if (end - start > unescaped.length) unescaped = new Uint8Array((end - start) * 2);
    let length = 0;
    for (i = start; i < end; i++) {
      if (bytes[i] > lead) {
        unescaped[length++] = bytes[i];
        continue;
      }
      if (bytes[i] !== lead || i + 2 >= end) return notAValue;
      const high = upperHexValues[bytes[i + 1]];
      const low = upperHexValues[bytes[i + 2]];
      if (high < 0 || low < 0 || high * 16 + low > lead) return notAValue;
      unescaped[length++] = high * 16 + low;
      i += 2;
    }
    return read(unescaped, 0, length);
  };
}

const faults = {
  valueWithDelimiter: (json: string) => ({
    problem: `the value contains the delimiter ${json}`,
    fix: 'change the value; the delimited format has no escapes',
  }),
} satisfies FaultTexts;
