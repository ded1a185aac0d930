/** The TypeScript values of scalar columns and of the fields of packed messages. */

/** Scalar column kinds and their values. How each is stored: guide docs/columns.md and scalars.ts. */
export interface ScalarValues {
  string: string;
  bytes: Uint8Array;
  bool: boolean;
  /** -2^31 to 2^31-1, stored as an 8-byte big-endian int64. */
  int32: number;
  /** 0 to 2^32-1, stored as an 8-byte big-endian int64. */
  uint32: number;
  /** -2^63 to 2^63-1, 8 bytes big-endian: what Bigtable's increment works on. */
  int64: bigint;
  /** IEEE 754, 8 bytes big-endian. */
  double: number;
  /** IEEE 754, 4 bytes big-endian; a value that is not exactly a float is rounded to the nearest. */
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
  float: number;
  int32: number;
  uint32: number;
  sint32: number;
  fixed32: number;
  sfixed32: number;
  int64: bigint;
  uint64: bigint;
  sint64: bigint;
  fixed64: bigint;
  sfixed64: bigint;
  bool: boolean;
  string: string;
  bytes: Uint8Array;
  /** google.protobuf.Timestamp. */
  timestamp: Date;
}

/** Scalar field kinds of packed messages. */
export type FieldKind = keyof FieldValues;

/** Kinds protobuf allows as keys of a map field. */
export type MapKeyKind = 'int32' | 'uint32' | 'sint32' | 'fixed32' | 'sfixed32' | 'int64' | 'uint64' | 'sint64' | 'fixed64' | 'sfixed64' | 'bool' | 'string';
