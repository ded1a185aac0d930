/** Options and results of `saveMany` and `deleteMany`. */
import type { RowsmithError } from '../../errors.js';
import type { CallOptions } from './entity-types.js';

/** Progress of a bulk write: totals since the start of the call. */
export interface BulkProgress {
  /** Rows acknowledged by storage. */
  readonly written: number;
  /** Items that could not be written. */
  readonly failed: number;
}

/** An item of a bulk write that was not written. */
export interface BulkFailure<T> {
  /** Zero-based index of the item in the input. */
  readonly index: number;
  /** The entity (`saveMany`) or key (`deleteMany`) as it was passed in. */
  readonly item: T;
  /** Why this item was not written. */
  readonly error: RowsmithError;
}

/** Result of a bulk write. */
export interface BulkResult<T> {
  /** Number of rows written. */
  readonly written: number;
  /** Items that were not written, in input order; empty if all were. */
  readonly failed: readonly BulkFailure<T>[];
}

/** Options of `saveMany` and `deleteMany`. */
export interface BulkOptions extends CallOptions {
  /**
   * Maximum number of rows in a batch, from 1 to 100,000; default 4,096. A batch is also sent once
   * its values reach 4 MiB or its mutations reach 50,000.
   */
  readonly batchRows?: number;
  /**
   * Maximum number of batches in flight, from 1 to 64; default 4. While that many are in flight,
   * the input is not read.
   */
  readonly inFlight?: number;
  /** Called after each batch. */
  readonly onProgress?: (progress: BulkProgress) => void;
}
