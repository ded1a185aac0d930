/** TypeScript types of scalar columns and of fields in packed messages. */

/** Kinds of scalar columns with the type of their values. See docs/guide/columns.md. */
export interface ScalarValues {
  /** Stored as UTF-8; must not contain lone surrogates. */
  string: string;
  /** Stored unchanged. */
  bytes: Uint8Array;
  /** Stored as one byte, 0x01 or 0x00. */
  bool: boolean;
  /** -2^31 to 2^31-1, stored as an 8-byte big-endian int64. */
  int32: number;
  /** 0 to 2^32-1, stored as an 8-byte big-endian int64. */
  uint32: number;
  /** -2^63 to 2^63-1, stored as 8 bytes big-endian, the format of Bigtable's increment. */
  int64: bigint;
  /** Stored as IEEE 754 in 8 bytes, big-endian. */
  double: number;
  /** Stored as IEEE 754 in 4 bytes, big-endian; rounded to the nearest value. */
  float: number;
  /** Instant with millisecond precision, stored as int64 microseconds since 1970. */
  timestamp: Date;
  /** Calendar day `YYYY-MM-DD`, stored as that text. */
  date: string;
  /** Anything that JSON can represent, stored as UTF-8 JSON text. */
  json: unknown;
}

/** Kinds of scalar columns. */
export type ScalarKind = keyof ScalarValues;

/** Kinds of fields in packed messages, named as in protobuf, with the type of their values. */
export interface FieldValues {
  double: number;
  /** Rounded to the nearest float. */
  float: number;
  /** -2^31 to 2^31-1. Negative values take ten bytes; prefer sint32 for those. */
  int32: number;
  /** 0 to 2^32-1. */
  uint32: number;
  /** Like int32, compact for positive and negative values near zero (zigzag). */
  sint32: number;
  /** Like uint32, always four bytes. */
  fixed32: number;
  /** Like int32, always four bytes. */
  sfixed32: number;
  /** -2^63 to 2^63-1. Negative values take ten bytes; prefer sint64 for those. */
  int64: bigint;
  /** 0 to 2^64-1. */
  uint64: bigint;
  /** Like int64, compact for positive and negative values near zero (zigzag). */
  sint64: bigint;
  /** Like uint64, always eight bytes. */
  fixed64: bigint;
  /** Like int64, always eight bytes. */
  sfixed64: bigint;
  bool: boolean;
  /** Must not contain lone surrogates. */
  string: string;
  bytes: Uint8Array;
  /** google.protobuf.Timestamp. */
  timestamp: Date;
}

/** Kinds of scalar fields in packed messages. */
export type FieldKind = keyof FieldValues;

/** Kinds that protobuf allows as keys of map fields. */
export type MapKeyKind =
  | 'int32'
  | 'uint32'
  | 'sint32'
  | 'fixed32'
  | 'sfixed32'
  | 'int64'
  | 'uint64'
  | 'sint64'
  | 'fixed64'
  | 'sfixed64'
  | 'bool'
  | 'string';
