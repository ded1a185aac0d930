/** Where a table is accessed over time, in bounded space: a sample of its keys for each window. */

/**
 * What an operation does to its row: it is read by its key, returned by a scan of a range, or
 * written.
 */
export type AccessKind = 'read' | 'write' | 'scan';

/** One operation on one row. */
export interface AccessOperation {
  readonly table: string;
  readonly kind: AccessKind;
  readonly key: Uint8Array;
  /** Bytes of the keys, qualifiers and values that were read or written. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An operation that was sampled. */
export interface KeySample {
  readonly key: Uint8Array;
  readonly kind: AccessKind;
  readonly bytes: number;
}

/** A row with many operations in a window. */
export interface TopKey {
  readonly key: Uint8Array;
  /** Operations, at most; at least `count - error`. */
  readonly count: number;
  readonly error: number;
}

/** The operations on one table in one window of time. */
export interface AccessWindow {
  /** Beginning, in milliseconds since 1970; a multiple of `windowMs`. */
  readonly start: number;
  /**
   * Rows that were read, by scans too. Estimated from the sample, like `writes` and `bytes`; exact
   * while all are sampled.
   */
  readonly reads: number;
  readonly writes: number;
  readonly bytes: number;
  /** Uniformly chosen operations, in the order in which they were made. */
  readonly samples: readonly KeySample[];
  /** The rows most often written or read by their key, most operations first. */
  readonly top: readonly TopKey[];
  /** The operation of a sampled row with the most bytes. */
  readonly largest?: { readonly key: Uint8Array; readonly bytes: number };
}

/** The windows of one table, by time; those without operations are left out. */
export interface TableAccess {
  readonly table: string;
  readonly windows: readonly AccessWindow[];
}

/** What was recorded, by table name. */
export interface AccessLog {
  readonly windowMs: number;
  readonly tables: readonly TableAccess[];
}
