/**
 * Fields whose raw bytes are text or plain bytes, and their descending form in the ordered format.
 */
import { maxRowKeyBytes } from '../../base/index.js';
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { utf8Reader, writeUtf8 } from '../encoding/utf8.js';

/** What most raw fields share: ascending, of any length and content. */
export const rawDefaults = {
  minLength: 0,
  maxLength: Infinity,
  leastByte: 0,
  immutable: true,
  descending: false,
  prefixFree: false,
  punctuation: '',
  sqlType: 'STRING',
} as const;

/** Options of text fields. */
export interface TextOptions {
  /** Longest value in UTF-16 units. */
  readonly maxLength?: number;
  readonly normalize?: 'NFC';
  readonly lower?: boolean;
}

/** Any well-formed text as UTF-8; normalised and lower-cased first where declared. */
export function textField({ maxLength = Infinity, normalize, lower = false }: TextOptions): Field {
  const changes = lower || normalize !== undefined;
  const canonical = (text: string): string => {
    const cased = lower ? text.toLowerCase() : text;
    return normalize === undefined ? cased : cased.normalize(normalize);
  };
  const writeText = (out: KeyWriter, value: unknown): void => {
    if (typeof value !== 'string') rejectValue('the value is not a string', 'pass a string', value);
    if (value.length > maxRowKeyBytes)
      rejectValue(
        'the text alone is over the 4,096 bytes of a row key',
        'pass shorter text',
        value,
      );
    const text = changes ? canonical(value) : value;
    if (text.length > maxLength)
      rejectValue(
        `the text is longer than ${maxLength}`,
        'pass shorter text, or declare a greater maxLength',
        value,
      );
    writeUtf8(out, text);
  };
  return {
    ...rawDefaults,
    write: writeText,
    startsWith: writeText,
    reader() {
      const read = utf8Reader();
      return (bytes, start, end) => {
        const text = read(bytes, start, end);
        if (text === undefined || text.length > maxLength || (changes && canonical(text) !== text))
          return notAValue;
        return text;
      };
    },
    maxLength: maxLength * 3,
    // A UTF-16 unit is an ASCII character, three bytes when escaped, or at most three bytes that no
    // framing escapes.
    maxEscaped: maxLength * 3,
    encoding: 'UTF-8',
  };
}

/** Members of an enum by name. */
export function namesField(members: readonly string[]): Field {
  const text = textField({});
  const known = new Set(members);
  const lengths = members.map((member) => Buffer.byteLength(member));
  return {
    ...rawDefaults,
    write(out, value) {
      if (!known.has(value as string))
        rejectValue(
          'the value is not a member of the enum',
          `pass one of ${members.join(', ')}`,
          value,
        );
      text.write(out, value);
    },
    reader() {
      const read = text.reader();
      return (bytes, start, end) => {
        const name = read(bytes, start, end);
        return known.has(name as string) ? name : notAValue;
      };
    },
    minLength: Math.min(...lengths),
    maxLength: Math.max(...lengths),
    encoding: 'the name of the member',
  };
}

/** Bytes as they are. */
export function bytesField(maxLength = Infinity): Field {
  return {
    ...rawDefaults,
    write(out, value) {
      out.append(checkedBytes(value, maxLength));
    },
    reader: () => (bytes, start, end) => {
      if (end - start > maxLength) return notAValue;
      const own = new Uint8Array(end - start);
      for (let i = 0; i < own.length; i++) own[i] = bytes[start + i];
      return own;
    },
    maxLength,
    immutable: false,
    sqlType: 'BYTES',
    encoding: 'the bytes as they are',
  };
}

/** The value as bytes no longer than `maxLength`. */
export function checkedBytes(value: unknown, maxLength: number): Uint8Array {
  if (!(value instanceof Uint8Array))
    rejectValue('the value is not bytes', 'pass a Uint8Array or a Buffer', value);
  if (value.length > Math.min(maxLength, maxRowKeyBytes))
    rejectValue(
      `the value is longer than ${Math.min(maxLength, maxRowKeyBytes)} bytes`,
      'pass fewer bytes, or declare a greater maxLength',
      value,
    );
  return value;
}

/**
 * Descending form: NOT of (the raw bytes with 00 as 00 FF, then 00 01), so what is longer sorts
 * first. The ordered format only.
 */
export function descendingBytes(inner: Field): Field {
  return {
    ...inner,
    write(out, value) {
      const from = out.at;
      inner.write(out, value);
      turnRound(out, from);
    },
    reader() {
      const read = inner.reader();
      let own = new Uint8Array(64);
      return (bytes, start, end) => {
        const stop = end - 2;
        if (stop < start || bytes[stop] !== 0xff || bytes[stop + 1] !== 0xfe) return notAValue;
        if (stop - start > own.length) own = new Uint8Array((stop - start) * 2);
        let length = 0;
        for (let i = start; i < stop; i++) {
          own[length++] = bytes[i] ^ 0xff;
          if (bytes[i] === 0xff && (++i >= stop || bytes[i] !== 0x00)) return notAValue;
        }
        return read(own, 0, length);
      };
    },
    minLength: inner.minLength + 2,
    maxLength: inner.maxLength * 2 + 2,
    maxEscaped: undefined,
    leastByte: 0,
    descending: true,
    prefixFree: true,
    sqlType: 'BYTES',
    startsWith: undefined,
    encoding: `NOT of (${inner.encoding}, 00 as 00 FF, then 00 01)`,
  };
}

/**
 * Writes what stands from `from` on in its descending form, from the end so that it can grow in
 * place.
 */
function turnRound(out: KeyWriter, from: number): void {
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
 * The ordered format's null: no bytes, and one more 00 behind "" and all-zero values
 * (escape_nulls); FF FF when descending.
 */
export function nullableOrdered(inner: Field): Field {
  const escapes = !inner.descending && (inner.sqlType === 'STRING' || inner.sqlType === 'BYTES');
  return {
    ...inner,
    write(out, value) {
      if (value === null) return inner.descending ? (out.byte(0xff), out.byte(0xff)) : undefined;
      const from = out.at;
      inner.write(out, value);
      if (escapes && allZero(out.bytes, from, out.at)) out.byte(0x00);
    },
    reader() {
      const read = inner.reader();
      return (bytes, start, end) => {
        if (inner.descending)
          return end - start === 2 && bytes[start] === 0xff && bytes[start + 1] === 0xff
            ? null
            : read(bytes, start, end);
        if (start === end) return null;
        return escapes && allZero(bytes, start, end)
          ? read(bytes, start, end - 1)
          : read(bytes, start, end);
      };
    },
    minLength: inner.descending ? Math.min(2, inner.minLength) : 0,
    maxLength: Math.max(2, inner.maxLength + 1),
    maxEscaped: inner.maxEscaped === undefined ? undefined : inner.maxEscaped + 2,
    prefixFree: inner.descending,
    encoding: `${inner.encoding}; null as ${inner.descending ? 'FF FF' : 'no bytes'}`,
  };
}

function allZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}
