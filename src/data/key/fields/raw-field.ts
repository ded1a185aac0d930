/**
 * Fields with text or plain bytes as raw bytes, and the descending and nullable forms of fields
 * in the ordered format.
 */
import { isBytes, maxRowKeyBytes, type FaultTexts } from '../../../base/index.js';
import type { SegmentField } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { utf8Reader, writeUtf8 } from '../encoding/utf8.js';

/** Defaults of raw fields: ascending, any length, any bytes. */
export const rawDefaults = {
  minLength: 0,
  maxLength: Infinity,
  minByte: 0,
  immutable: true,
  descending: false,
  prefixFree: false,
  punctuation: '',
  sqlType: 'STRING',
} as const;

/** Options of text fields. */
export interface TextOptions {
  /** Maximum length in UTF-16 units. */
  readonly maxLength?: number;
  readonly normalize?: 'NFC';
  readonly lower?: boolean;
}

/** Well-formed text as UTF-8, first lower-cased and normalised if declared so. */
export function textField({
  maxLength = Infinity,
  normalize,
  lower = false,
}: TextOptions): SegmentField {
  const hasCanonicalForm = lower || normalize !== undefined;
  const canonical = (text: string): string => {
    let result = text;
    if (lower) result = result.toLowerCase();
    if (normalize !== undefined) result = result.normalize(normalize);
    return result;
  };
  const writeText = (out: KeyWriter, value: unknown): void => {
    if (typeof value !== 'string') rejectValue(faults.notAString, value);
    if (value.length > maxRowKeyBytes) rejectValue(faults.textLongerThanKey, value);
    let text = value;
    if (hasCanonicalForm) text = canonical(value);
    if (text.length > maxLength) rejectValue(faults.textTooLong(maxLength), value);
    writeUtf8(out, text);
  };
  return {
    ...rawDefaults,
    write: writeText,
    startsWith: writeText,
    prefixForms: lower ? loweredForms : undefined,
    reader() {
      const read = utf8Reader();
      return (bytes, start, end) => {
        const text = read(bytes, start, end);
        if (text === undefined || text.length > maxLength) return notAValue;
        if (hasCanonicalForm && canonical(text) !== text) return notAValue;
        return text;
      };
    },
    maxLength: maxLength * 3,
    // A UTF-16 unit is either an ASCII character, three bytes when escaped, or at most three bytes
    // that no framing escapes.
    maxEscaped: maxLength * 3,
    encoding: 'UTF-8',
  };
}

/**
 * The lower-case forms of a prefix. A capital sigma at the end of a word becomes 'ς' and any other
 * one 'σ', so that the last one of a prefix depends on the text after it. No other character has a
 * lower case that does (Unicode, SpecialCasing.txt, Final_Sigma).
 */
function loweredForms(text: string): readonly string[] {
  if (typeof text !== 'string') return [text];
  const atEnd = text.toLowerCase();
  const beforeLetter = `${text}a`.toLowerCase().slice(0, -1);
  return atEnd === beforeLetter ? [atEnd] : [atEnd, beforeLetter];
}

/** Members of an enum by name. */
export function namesField(members: readonly string[]): SegmentField {
  const text = textField({});
  const known = new Set(members);
  const lengths = members.map((member) => Buffer.byteLength(member));
  return {
    ...rawDefaults,
    write(out, value) {
      if (!known.has(value as string)) rejectValue(faults.notAMember(members.join(', ')), value);
      text.write(out, value);
    },
    reader() {
      const read = text.reader();
      return (bytes, start, end) => {
        const name = read(bytes, start, end);
        if (!known.has(name as string)) return notAValue;
        return name;
      };
    },
    minLength: Math.min(...lengths),
    maxLength: Math.max(...lengths),
    members,
    encoding: 'the name of the member',
  };
}

/** Bytes, unchanged. */
export function bytesField(maxLength = Infinity): SegmentField {
  return {
    ...rawDefaults,
    write(out, value) {
      out.append(checkedBytes(value, maxLength));
    },
    reader: () => (bytes, start, end) => {
      if (end - start > maxLength) return notAValue;
      const value = new Uint8Array(end - start);
      for (let i = 0; i < value.length; i++) value[i] = bytes[start + i];
      return value;
    },
    maxLength,
    immutable: false,
    sqlType: 'BYTES',
    encoding: 'the bytes as they are',
  };
}

/** The value, if it is bytes and not longer than `maxLength`. */
export function checkedBytes(value: unknown, maxLength: number): Uint8Array {
  if (!isBytes(value)) rejectValue(faults.notBytes, value);
  const limit = Math.min(maxLength, maxRowKeyBytes);
  if (value.length > limit) rejectValue(faults.bytesTooLong(limit), value);
  return value;
}

/**
 * The descending form of a field, for the ordered format: NOT of (the raw bytes with 00 as 00 FF,
 * then 00 01). The terminator makes longer values sort first.
 */
export function descendingBytes(inner: SegmentField): SegmentField {
  return {
    ...inner,
    write(out, value) {
      const from = out.at;
      inner.write(out, value);
      complement(out, from);
    },
    reader() {
      const read = inner.reader();
      let raw = new Uint8Array(64);
      return (bytes, start, end) => {
        const stop = end - 2;
        if (stop < start || bytes[stop] !== 0xff || bytes[stop + 1] !== 0xfe) return notAValue;
        if (stop - start > raw.length) raw = new Uint8Array((stop - start) * 2);
        let length = 0;
        for (let i = start; i < stop; i++) {
          raw[length++] = bytes[i] ^ 0xff;
          if (bytes[i] === 0xff && (++i >= stop || bytes[i] !== 0x00)) return notAValue;
        }
        return read(raw, 0, length);
      };
    },
    minLength: inner.minLength + 2,
    maxLength: inner.maxLength * 2 + 2,
    maxEscaped: undefined,
    minByte: 0,
    descending: true,
    prefixFree: true,
    sqlType: 'BYTES',
    startsWith: undefined,
    prefixForms: undefined,
    encoding: `NOT of (${inner.encoding}, 00 as 00 FF, then 00 01)`,
  };
}

/**
 * Rewrites the bytes from `from` on in descending form; back to front, since they grow in place.
 */
function complement(out: KeyWriter, from: number): void {
  let zeros = 0;
  for (let i = from; i < out.at; i++) if (out.bytes[i] === 0) zeros++;
  out.reserve(zeros + 2);
  const { bytes } = out;
  let to = out.at + zeros;
  bytes[to] = 0xff;
  bytes[to + 1] = 0xfe;
  for (let i = out.at - 1; i >= from; i--) {
    if (bytes[i] === 0) bytes[--to] = 0x00;
    bytes[--to] = bytes[i] ^ 0xff;
  }
  out.at += zeros + 2;
}

/**
 * The ordered format's null: FF FF in a descending field; else no bytes, and then text and bytes
 * need escape_nulls.
 */
export function nullableOrdered(inner: SegmentField): SegmentField {
  if (inner.descending) return nullableDescending(inner);
  if (inner.sqlType === 'STRING' || inner.sqlType === 'BYTES') return nullableEscaped(inner);
  return nullableAscending(inner);
}

function nullableDescending(inner: SegmentField): SegmentField {
  return {
    ...inner,
    write(out, value) {
      if (value !== null) return inner.write(out, value);
      out.byte(0xff);
      out.byte(0xff);
    },
    reader() {
      const read = inner.reader();
      return (bytes, start, end) => {
        if (end - start === 2 && bytes[start] === 0xff && bytes[start + 1] === 0xff) return null;
        return read(bytes, start, end);
      };
    },
    ...nullableLengths(inner, Math.min(2, inner.minLength)),
    prefixFree: true,
    encoding: `${inner.encoding}; null as FF FF`,
  };
}

function nullableAscending(inner: SegmentField): SegmentField {
  return {
    ...inner,
    write(out, value) {
      if (value !== null) inner.write(out, value);
    },
    reader() {
      const read = inner.reader();
      return (bytes, start, end) => {
        if (start === end) return null;
        return read(bytes, start, end);
      };
    },
    ...nullableLengths(inner, 0),
    prefixFree: false,
    encoding: `${inner.encoding}; null as no bytes`,
  };
}

/** With Bigtable's escape_nulls: one more 00 after the empty value and values of nothing but 00. */
function nullableEscaped(inner: SegmentField): SegmentField {
  return {
    ...nullableAscending(inner),
    write(out, value) {
      if (value === null) return;
      const from = out.at;
      inner.write(out, value);
      if (allZero(out.bytes, from, out.at)) out.byte(0x00);
    },
    reader() {
      const read = inner.reader();
      return (bytes, start, end) => {
        if (start === end) return null;
        if (allZero(bytes, start, end)) return read(bytes, start, end - 1);
        return read(bytes, start, end);
      };
    },
  };
}

function nullableLengths(inner: SegmentField, minLength: number) {
  let { maxEscaped } = inner;
  if (maxEscaped !== undefined) maxEscaped += 2;
  return { minLength, maxLength: Math.max(2, inner.maxLength + 1), maxEscaped };
}

function allZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}

const faults = {
  notAString: { problem: 'the value is not a string', fix: 'pass a string' },
  textLongerThanKey: {
    problem: 'the text alone is longer than the 4,096 bytes of a row key',
    fix: 'pass shorter text',
  },
  textTooLong: (maxLength: number) => ({
    problem: `the text is longer than ${maxLength} UTF-16 units`,
    fix: 'pass shorter text, or declare a greater maxLength',
  }),
  notAMember: (list: string) => ({
    problem: 'the value is not a member of the enum',
    fix: `pass one of ${list}`,
  }),
  notBytes: { problem: 'the value is not bytes', fix: 'pass a Uint8Array or a Buffer' },
  bytesTooLong: (limit: number) => ({
    problem: `the value is longer than ${limit} bytes`,
    fix: 'pass fewer bytes, or declare a greater maxLength',
  }),
} satisfies FaultTexts;
