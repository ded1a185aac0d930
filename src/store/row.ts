/**
 * Rows and cells as data, for those who ask; scans themselves hand over a RowCursor
 * (row-cursor.ts).
 */

/**
 * Microseconds since 1970. A bigint, or a number that is a safe integer. Tables have millisecond
 * granularity unless created with microseconds: a multiple of 1,000, or -1 for the server's clock
 * (google/bigtable/v2/data.proto, SetCell).
 */
export type Micros = number | bigint;

/** One version of one column of one row. */
export interface Cell {
  /** Name of the family. */
  readonly family: string;
  /** Qualifier of the column inside the family: any bytes, also none. */
  readonly qualifier: Uint8Array;
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  /** The stored bytes; empty where the read stripped values. */
  readonly value: Uint8Array;
  /** Labels that the read's filter put beside the cell; absent when none. */
  readonly labels?: readonly string[];
}

/**
 * A row: families in byte order of their names, then qualifiers in byte order, then newest cell
 * first. Never without cells.
 */
export interface Row {
  /** 1 to 4,096 bytes. */
  readonly key: Uint8Array;
  readonly cells: readonly Cell[];
}
