/**
 * How values stand in JSON Lines and CSV: as people would write them where that loses nothing, as
 * text where JSON's numbers would. Reading takes what writing gives, and the text of a CSV field.
 */
import { valueText } from '../../base/index.js';
import { CellFault, type FieldKind, type ScalarKind, isDate } from '../../cell/index.js';
import type { SegmentKind } from '../../key/index.js';

/** How values of one kind are spelled. */
export interface TextForm {
  /**
   * `text`: one plain value, which in CSV stands as it is; `json`: a structure, which in CSV is
   * JSON text.
   */
  readonly form: 'text' | 'json';
  /** The value as JSON holds it. */
  readonly write: (value: unknown) => unknown;
  /** The value of what was written, or of its text. Throws CellFault. */
  readonly read: (said: unknown) => unknown;
}

function expected(what: string, said: unknown, fix: string): CellFault {
  return new CellFault(`expected ${what}, got ${valueText(said)}`, fix);
}

const text: TextForm = {
  form: 'text',
  write: (value) => value,
  read(said) {
    if (typeof said === 'string') return said;
    throw expected('text', said, 'put it into quotes');
  },
};

const bool: TextForm = {
  form: 'text',
  write: (value) => value,
  read(said) {
    if (said === true || said === 'true') return true;
    if (said === false || said === 'false') return false;
    throw expected('true or false', said, 'write true or false');
  },
};

const DECIMAL = /^-?(0|[1-9]\d*)$/;

/** Whole numbers that a JSON number holds. */
const whole: TextForm = {
  form: 'text',
  write: (value) => value,
  read(said) {
    if (typeof said === 'number') return said;
    if (typeof said === 'string' && DECIMAL.test(said) && Number.isSafeInteger(Number(said)))
      return Number(said);
    throw expected('a whole number', said, 'write its digits');
  },
};

/** Whole numbers of 64 bits and more: as text, because JSON readers round numbers past 2^53. */
const big: TextForm = {
  form: 'text',
  write: (value) => String(value),
  read(said) {
    if (typeof said === 'string' && DECIMAL.test(said)) return BigInt(said);
    if (typeof said === 'number' && Number.isSafeInteger(said)) return BigInt(said);
    if (typeof said === 'number' && Number.isInteger(said))
      throw expected(
        'a whole number',
        said,
        'put it into quotes: a JSON number past 2^53 is rounded',
      );
    throw expected('a whole number as text', said, 'write its digits in quotes');
  },
};

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
]);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

const float: TextForm = {
  form: 'text',
  write(value) {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return Object.is(value, -0) ? '-0' : String(value);
  },
  read(said) {
    if (typeof said === 'number') return said;
    const special = typeof said === 'string' ? SPECIAL.get(said) : undefined;
    if (special !== undefined) return special;
    if (typeof said === 'string' && NUMBER.test(said)) return Number(said);
    throw expected('a number', said, 'write a number, or NaN, Infinity or -Infinity');
  },
};

const moment: TextForm = {
  form: 'text',
  write: (value) => (isDate(value) ? value.toISOString() : value),
  read(said) {
    const date =
      typeof said === 'string' && /^([+-]\d\d)?\d{4}-\d\d(-\d\d(T|$)|$)/.test(said)
        ? new Date(said)
        : undefined;
    if (date !== undefined && !Number.isNaN(date.getTime())) return date;
    throw expected('a moment as text', said, 'write it as ISO 8601: 2026-11-20T09:30:00.000Z');
  },
};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes as base64. */
export const bytes: TextForm = {
  form: 'text',
  write: (value) => base64(value as Uint8Array),
  read(said) {
    if (typeof said === 'string' && BASE64.test(said))
      return new Uint8Array(Buffer.from(said, 'base64'));
    throw expected('base64', said, 'write the bytes as base64, with its padding');
  },
};

function base64(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64');
}

const json: TextForm = { form: 'json', write: (value) => value, read: (said) => said };

/** Each kind of scalar column and of field. */
export const scalarTextForms: Readonly<Record<ScalarKind | FieldKind, TextForm>> = {
  string: text,
  date: text,
  bytes,
  bool,
  json,
  timestamp: moment,
  double: float,
  float,
  int32: whole,
  uint32: whole,
  sint32: whole,
  fixed32: whole,
  sfixed32: whole,
  int64: big,
  uint64: big,
  sint64: big,
  fixed64: big,
  sfixed64: big,
};

/** Each kind of segment. */
export const segmentTextForms: Readonly<Record<SegmentKind, TextForm>> = {
  string: text,
  decimal: text,
  enum: text,
  uuid: text,
  ulid: text,
  domain: text,
  bytes,
  bool,
  float,
  timestamp: moment,
  isoDate: moment,
  int: whole,
  uint: whole,
  reversedId: whole,
  bigint: big,
  micros: big,
};
