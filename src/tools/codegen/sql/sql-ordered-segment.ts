/**
 * Segments of an ordered (binary) key for GoogleSQL: expressions that read their values from the
 * columns of a registered row_key_schema. row-key-schema.ts defines the types of those
 * columns.
 */
import { segmentField, type SegmentType } from '../../../data/key/index.js';
import { sqlText } from './sql-literal.js';
import { caseOf, decimalText, hostName } from './sql-text-segment.js';

/** How a view reads the segment. */
export interface SqlOrderedSegment {
  /** The value, from the name of the column. */
  readonly decode: (column: string) => string;
  /** A sentence for the reader of the view. */
  readonly note?: string;
}

/** The segment in the ordered format. */
export function sqlOrderedSegment(type: SegmentType): SqlOrderedSegment {
  const { sqlType } = segmentField(type, 'ordered');
  if (type.nullable === true) return nullable(sqlType);
  const descending = type.order === 'desc';
  if (type.kind === 'float')
    return { decode: asStored, note: 'an int64 that sorts like the float' };
  if (sqlType === 'TIMESTAMP') return timestamp(descending);
  if (sqlType === 'INT64') return integer(type, descending);
  if (descending) return invertedBytes(type);
  switch (type.kind) {
    case 'reversedId':
      return { decode: (column) => `SAFE_CAST(REVERSE(${column}) AS INT64)` };
    case 'domain':
      return { decode: hostName };
    case 'uuid':
      return { decode: uuidText };
    case 'ulid':
      return { decode: asStored, note: 'the 16 bytes of the ULID' };
    // Text in the key, but SQL sees it as BYTES.
    case 'bigint':
      return {
        decode: asStored,
        note: 'its bytes: two digits of length and the digits, or - and their complement',
      };
    default:
      return { decode: asStored };
  }
}

/**
 * The same for the query of a continuous materialized view, which may not contain arrays. Undefined
 * if the segment cannot be read without them.
 */
export function viewOrderedSegment(type: SegmentType): SqlOrderedSegment | undefined {
  if (type.nullable === true) return sqlOrderedSegment(type);
  const descending = type.order === 'desc';
  if (type.kind === 'domain' && !descending) return undefined;
  const isOrdinal = segmentField(type, 'ordered').sqlType === 'INT64';
  if (type.kind !== 'enum' || !isOrdinal) return sqlOrderedSegment(type);
  const value = descending ? complement : asStored;
  return { decode: (column) => caseOf(value(column), type.values ?? []) };
}

function asStored(column: string): string {
  return column;
}

function nullable(sqlType: string): SqlOrderedSegment {
  if (sqlType !== 'STRING')
    return {
      decode: asStored,
      note: 'the bytes of the key: it may be null, which row_key_schema does not know',
    };
  return {
    decode: (column) =>
      `IF(${column} = '', NULL, REGEXP_REPLACE(${column}, r'^(\\x00*)\\x00$', r'\\1'))`,
  };
}

/** A descending number n is stored as -1 - n. */
function complement(column: string): string {
  return `-1 - ${column}`;
}

function timestamp(descending: boolean): SqlOrderedSegment {
  if (!descending) return { decode: asStored };
  return { decode: (column) => `TIMESTAMP_MICROS(${complement(column)})` };
}

function integer(type: SegmentType, descending: boolean): SqlOrderedSegment {
  const value = descending ? complement : asStored;
  const operand = descending ? (column: string) => `(${complement(column)})` : asStored;
  switch (type.kind) {
    case 'bool':
      return { decode: (column) => `${operand(column)} = 1` };
    case 'enum': {
      const names = (type.values ?? []).map(sqlText).join(', ');
      return { decode: (column) => `[${names}][SAFE_OFFSET(${value(column)})]` };
    }
    case 'decimal':
      return { decode: (column) => decimalText(operand(column), type.scale ?? 0) };
    default:
      return { decode: value };
  }
}

/** Descending bytes: all bits of the escaped bytes (00 is 00 FF) and their end (00 01) inverted. */
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
