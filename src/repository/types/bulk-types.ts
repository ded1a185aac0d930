/** Options and results of bulk writes. */
import type { RowsmithError } from '../../errors.js';
import type { CallOptions } from './entity-types.js';

/** How far a bulk write is. */
export interface BulkProgress {
  /** Rows that are written. */
  readonly written: number;
  /** Entities that failed. */
  readonly failed: number;
}

/** One entity that was not written. */
export interface BulkFailure<T> {
  /** Its place in the input, from 0. */
  readonly index: number;
  /** The entity or key itself. */
  readonly item: T;
  readonly error: RowsmithError;
}

/** What became of a bulk write. */
export interface BulkResult<T> {
  readonly written: number;
  /** By index. */
  readonly failed: readonly BulkFailure<T>[];
}

/** Options of bulk writes. */
export interface BulkOptions extends CallOptions {
  /** Most rows in one batch, 1 to 100,000; default 4,096. */
  readonly batchRows?: number;
  /**
   * Most batches under way at once, 1 to 64; default 4. The input is read no further while so many
   * are.
   */
  readonly inFlight?: number;
  /** Called after each batch. */
  readonly onProgress?: (progress: BulkProgress) => void;
}
