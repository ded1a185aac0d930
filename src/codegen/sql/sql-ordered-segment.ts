/**
 * Segments of a binary key, for GoogleSQL: their values, from the columns that a registered
 * row_key_schema gives (row-key-schema.ts says of which type).
 */
import { segmentField, type SegmentType } from '../../key/index.js';
import { sqlText } from './sql-literal.js';
import { decimalText } from './sql-text-segment.js';

/** What a view shows of the segment. */
export interface SqlOrderedSegment {
  /** The value, from the name of the column. */
  readonly decode: (column: string) => string;
  /** What a reader should know, in a sentence. */
  readonly note?: string;
}

/** The segment in the ordered format. */
export function sqlOrderedSegment(type: SegmentType): SqlOrderedSegment {
  const { sqlType } = segmentField(type, 'ordered');
  if (type.nullable === true && sqlType !== 'STRING')
    return {
      decode: (column) => column,
      note: 'the bytes of the key: it may be null, which row_key_schema does not know',
    };
  if (type.nullable === true)
    return {
      decode: (column) =>
        `IF(${column} = '', NULL, REGEXP_REPLACE(${column}, r'^(\\x00*)\\x00$', r'\\1'))`,
    };
  const descending = type.order === 'desc';
  if (sqlType === 'INT64' || sqlType === 'TIMESTAMP') return number(type, sqlType, descending);
  if (descending) return invertedBytes(type);
  switch (type.kind) {
    case 'reversedId':
      return { decode: (column) => `SAFE_CAST(REVERSE(${column}) AS INT64)` };
    case 'domain':
      return { decode: (column) => `ARRAY_TO_STRING(ARRAY_REVERSE(SPLIT(${column}, '.')), '.')` };
    case 'uuid':
      return { decode: uuidText };
    case 'ulid':
      return { decode: (column) => column, note: 'the 16 bytes of the ULID' };
    // Written as in text, so it is read so; as bytes it would not be.
    case 'bigint':
      return {
        decode: (column) => column,
        note: 'its bytes: two digits of length and the digits, or their complement behind -',
      };
    default:
      return { decode: (column) => column };
  }
}

/** Descending numbers are -1 - n. */
function number(
  type: SegmentType,
  sqlType: 'INT64' | 'TIMESTAMP',
  descending: boolean,
): SqlOrderedSegment {
  const value = (column: string): string => (descending ? `-1 - ${column}` : column);
  if (type.kind === 'float')
    return { decode: (column) => column, note: 'an int64 that sorts like the float' };
  if (sqlType === 'TIMESTAMP')
    return { decode: (column) => (descending ? `TIMESTAMP_MICROS(${value(column)})` : column) };
  if (type.kind === 'bool')
    return { decode: (column) => `${bracketed(value(column), descending)} = 1` };
  if (type.kind === 'enum')
    return {
      decode: (column) =>
        `[${(type.values ?? []).map(sqlText).join(', ')}][SAFE_OFFSET(${value(column)})]`,
    };
  if (type.kind === 'decimal')
    return {
      decode: (column) => decimalText(bracketed(value(column), descending), type.scale ?? 0),
    };
  return { decode: value };
}

function bracketed(expression: string, needed: boolean): string {
  return needed ? `(${expression})` : expression;
}

/** NOT of (the bytes with 00 as 00 FF, then 00 01). */
function invertedBytes(type: SegmentType): SqlOrderedSegment {
  const bytes = (column: string): string =>
    `REPLACE(SUBSTR(~${column}, 1, LENGTH(${column}) - 2), b'\\x00\\xff', b'\\x00')`;
  switch (type.kind) {
    case 'string':
    case 'enum':
      return { decode: (column) => `SAFE_CAST(${bytes(column)} AS STRING)` };
    case 'uuid':
      return { decode: (column) => uuidText(bytes(column)) };
    case 'ulid':
      return { decode: bytes, note: 'the 16 bytes of the ULID' };
    default:
      return { decode: bytes };
  }
}

function uuidText(bytes: string): string {
  return `REGEXP_REPLACE(TO_HEX(${bytes}), r'^(.{8})(.{4})(.{4})(.{4})(.{12})$', r'\\1-\\2-\\3-\\4-\\5')`;
}
