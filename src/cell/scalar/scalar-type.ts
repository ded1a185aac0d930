/** The TypeScript values of scalar columns and of the fields of packed messages. */

/** Scalar column kinds and their values. How each is stored: docs/guide/columns.md. */
export interface ScalarValues {
  /** UTF-8; without half of a surrogate pair. */
  string: string;
  /** As they are. */
  bytes: Uint8Array;
  /** One byte, 0x01 or 0x00. */
  bool: boolean;
  /** -2^31 to 2^31-1, stored as an 8-byte big-endian int64. */
  int32: number;
  /** 0 to 2^32-1, stored as an 8-byte big-endian int64. */
  uint32: number;
  /** -2^63 to 2^63-1, 8 bytes big-endian: what Bigtable's increment works on. */
  int64: bigint;
  /** IEEE 754, 8 bytes big-endian. */
  double: number;
  /**
   * IEEE 754, 4 bytes big-endian; a value that is not exactly a float is rounded to the nearest.
   */
  float: number;
  /** Moment with millisecond precision, stored as int64 microseconds since 1970. */
  timestamp: Date;
  /** Calendar day `YYYY-MM-DD`, stored as that text. */
  date: string;
  /** Anything JSON can hold, stored as UTF-8 JSON text. */
  json: unknown;
}

/** Kinds of scalar columns. */
export type ScalarKind = keyof ScalarValues;

/** Field kinds of packed messages (protobuf's names) and their values. */
export interface FieldValues {
  double: number;
  /** Rounded to the nearest. */
  float: number;
  /** -2^31 to 2^31-1; a negative one takes ten bytes, so see sint32. */
  int32: number;
  /** 0 to 2^32-1. */
  uint32: number;
  /** As int32, short where the number is near zero on either side. */
  sint32: number;
  /** As uint32, always four bytes. */
  fixed32: number;
  /** As int32, always four bytes. */
  sfixed32: number;
  /** -2^63 to 2^63-1; a negative one takes ten bytes, so see sint64. */
  int64: bigint;
  /** 0 to 2^64-1. */
  uint64: bigint;
  /** As int64, short where the number is near zero on either side. */
  sint64: bigint;
  /** As uint64, always eight bytes. */
  fixed64: bigint;
  /** As int64, always eight bytes. */
  sfixed64: bigint;
  bool: boolean;
  /** Without half of a surrogate pair. */
  string: string;
  bytes: Uint8Array;
  /** google.protobuf.Timestamp. */
  timestamp: Date;
}

/** Scalar field kinds of packed messages. */
export type FieldKind = keyof FieldValues;

/** Kinds protobuf allows as keys of a map field. */
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
