/** Rows and cells as plain objects. Scans use a RowCursor instead (row-cursor.ts). */

/**
 * Microseconds since 1970, as a bigint or a safe integer. Tables have millisecond granularity
 * unless created with microseconds, so the value is a multiple of 1,000, or -1 for the server's
 * clock (SetCell in google/bigtable/v2/data.proto).
 */
export type Micros = number | bigint;

/** One version of one column in a row. */
export interface Cell {
  /** Name of the column family. */
  readonly family: string;
  /** Qualifier of the column within the family: any bytes, may be empty. */
  readonly qualifier: Uint8Array;
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  /** The stored bytes; empty if the read strips values. */
  readonly value: Uint8Array;
  /** Labels that the read's filter applied to the cell; absent if there are none. */
  readonly labels?: readonly string[];
}

/**
 * A row with at least one cell. The cells of a family are contiguous, sorted by qualifier in byte
 * order, then newest first. Families come in the order of their creation, families of one request
 * in byte order; Bigtable does not guarantee the order of families.
 */
export interface Row {
  /** 1 to 4,096 bytes. */
  readonly key: Uint8Array;
  readonly cells: readonly Cell[];
}
