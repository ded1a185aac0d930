/**
 * The text form of values in JSON Lines and CSV: readable where that loses nothing, and text where
 * a JSON number would lose digits. Parsing accepts what formatting returns, and the text of a CSV
 * field; blanks around numbers, booleans and timestamps are ignored.
 */
import { isDate } from '../../base/index.js';
import { type FieldKind, type ScalarKind, wrongTypeError } from '../cell/index.js';
import type { SegmentKind } from '../key/index.js';

/** Converts values of one kind to and from JSON. */
export interface TextForm {
  /** `text`: a single value, written to CSV as it is. `json`: a structure, written as JSON text. */
  readonly kind: 'text' | 'json';
  /** Returns the value as JSON can hold it. */
  readonly format: (value: unknown) => unknown;
  /** Returns the value of its JSON form, or of the text of a CSV field. Throws CodecError. */
  readonly parse: (input: unknown) => unknown;
}

const string: TextForm = {
  kind: 'text',
  format: (value) => value,
  parse(input) {
    if (typeof input === 'string') return input;
    throw wrongTypeError('text', input, 'put it in quotes', 'write NAME=VALUE for text');
  },
};

/** Spreadsheets and reports pad values with blanks. */
function trimmed(input: unknown): unknown {
  return typeof input === 'string' ? input.trim() : input;
}

const bool: TextForm = {
  kind: 'text',
  format: (value) => value,
  parse(padded) {
    const input = trimmed(padded);
    if (input === true || input === 'true') return true;
    if (input === false || input === 'false') return false;
    throw wrongTypeError('true or false', input, 'write true or false');
  },
};

const decimal = /^-?(0|[1-9]\d*)$/;

/** Integers that a JSON number holds exactly. */
const integer: TextForm = {
  kind: 'text',
  format: (value) => value,
  parse(padded) {
    const input = trimmed(padded);
    if (typeof input === 'number') return input;
    if (typeof input === 'string' && decimal.test(input) && Number.isSafeInteger(Number(input)))
      return Number(input);
    throw wrongTypeError('a whole number', input, 'write its digits');
  },
};

/** Integers of 64 bits and more, as text: JSON parsers round numbers above 2^53. */
const bigInteger: TextForm = {
  kind: 'text',
  format: (value) => String(value),
  parse(padded) {
    const input = trimmed(padded);
    if (typeof input === 'string' && decimal.test(input)) return BigInt(input);
    if (typeof input === 'number' && Number.isSafeInteger(input)) return BigInt(input);
    if (typeof input === 'number' && Number.isInteger(input))
      throw wrongTypeError(
        'a whole number',
        input,
        'put it in quotes: JSON numbers above 2^53 are rounded',
        'write NAME=VALUE: JSON numbers above 2^53 are rounded',
      );
    throw wrongTypeError(
      'the digits of a whole number',
      input,
      'write them in quotes',
      'write a whole number, such as 42',
    );
  },
};

/** Numbers that JSON cannot hold. */
const specialNumbers: ReadonlyMap<unknown, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
]);
const numeric = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

const floatingPoint: TextForm = {
  kind: 'text',
  format(value) {
    if (Object.is(value, -0)) return '-0';
    if (Number.isFinite(value)) return value;
    return String(value);
  },
  parse(padded) {
    const input = trimmed(padded);
    if (typeof input === 'number') return input;
    const special = specialNumbers.get(input);
    if (special !== undefined) return special;
    if (typeof input === 'string' && numeric.test(input)) return Number(input);
    throw wrongTypeError('a number', input, 'write a number, or NaN, Infinity or -Infinity');
  },
};

/** Dates of four or six digit years in ISO 8601; what `new Date` would guess is rejected. */
const isoDate = /^([+-]\d\d)?\d{4}-\d\d(-\d\d([T ]|$)|$)/;
/** A time of day at the end, without a zone: `new Date` would use the zone of the process. */
const withoutZone = /[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/**
 * The text form of timestamps. `zone` is the offset of timestamps without one, which are rejected
 * if it is undefined; a day without a time begins in UTC, as in ISO 8601 of JavaScript.
 */
export function timestampForm(zone: string | undefined): TextForm {
  return {
    kind: 'text',
    format(value) {
      if (isDate(value)) return value.toISOString();
      return value;
    },
    parse(padded) {
      const input = trimmed(padded);
      if (typeof input === 'string' && isoDate.test(input)) {
        const isLocal = withoutZone.test(input);
        if (isLocal && zone === undefined)
          throw wrongTypeError(
            'a timestamp with a time zone',
            input,
            'write its zone (2026-11-20T09:30:00Z), or name the zone of the file with the option zone (--zone)',
            'write its zone (2026-11-20T09:30:00Z); rowsmith import takes --zone for a file',
          );
        const date = new Date(input.replace(' ', 'T') + (isLocal ? zone : ''));
        if (!Number.isNaN(date.getTime()) && isDayOfMonth(input)) return date;
      }
      throw wrongTypeError(
        'a timestamp in ISO 8601 (2026-11-20T09:30:00Z)',
        input,
        'write it as 2026-11-20T09:30:00.000Z',
      );
    },
  };
}

/** False for a day that its month does not have: `new Date` makes 2 March of 30 February. */
function isDayOfMonth(text: string): boolean {
  const [, year, month, day] = /^([+-]?\d+)-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (day === undefined) return true;
  // The calendar repeats after 400 years.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0));
  return Number(day) <= last.getUTCDate();
}

const timestamp = timestampForm(undefined);

/** Digits of a decimal, checked by the segment. */
const decimalText: TextForm = { ...string, parse: (input) => string.parse(trimmed(input)) };

/** Base64 with padding. */
export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes as base64. */
export const bytes: TextForm = {
  kind: 'text',
  format(value) {
    const { buffer, byteOffset, length } = value as Uint8Array;
    return Buffer.from(buffer, byteOffset, length).toString('base64');
  },
  parse(input) {
    if (typeof input === 'string' && base64.test(input))
      return new Uint8Array(Buffer.from(input, 'base64'));
    throw wrongTypeError('base64', input, 'write the bytes as base64, with padding');
  },
};

const json: TextForm = { kind: 'json', format: (value) => value, parse: (input) => input };

/** The text forms of scalar columns and message fields. */
export const scalarTextForms: Readonly<Record<ScalarKind | FieldKind, TextForm>> = {
  string,
  date: string,
  bytes,
  bool,
  json,
  timestamp,
  double: floatingPoint,
  float: floatingPoint,
  int32: integer,
  uint32: integer,
  sint32: integer,
  fixed32: integer,
  sfixed32: integer,
  int64: bigInteger,
  uint64: bigInteger,
  sint64: bigInteger,
  fixed64: bigInteger,
  sfixed64: bigInteger,
};

/** The text forms of key segments. */
export const segmentTextForms: Readonly<Record<SegmentKind, TextForm>> = {
  string,
  decimal: decimalText,
  enum: string,
  uuid: string,
  ulid: string,
  domain: string,
  bytes,
  bool,
  float: floatingPoint,
  timestamp,
  isoDate: timestamp,
  int: integer,
  uint: integer,
  reversedId: integer,
  bigint: bigInteger,
  micros: bigInteger,
};
