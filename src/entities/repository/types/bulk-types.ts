/** Options and results of writes of many rows. */
import type { RowsmithError } from '../../../base/index.js';
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
  /** The item as it was passed in: an entity, a key, or `{ key, changes }`. */
  readonly item: T;
  /** Why this item was not written. */
  readonly error: RowsmithError;
  /**
   * True if it is unknown whether the row was written: no answer came (UNAVAILABLE), or one that
   * says nothing about the row (STORAGE_FAILED with a status). Increments and additions may then
   * count twice if they are repeated.
   */
  readonly mayBeWritten: boolean;
}

/** Result of a bulk write. */
export interface BulkResult<T> {
  /** Number of rows written. */
  readonly written: number;
  /** Number of items that were not written; 0 if all were. */
  readonly failed: number;
  /** The first 100 items that were not written, in input order. `onFailure` gets all. */
  readonly failures: readonly BulkFailure<T>[];
}

/** Options of `insertMany`. */
export interface InsertManyOptions<T = unknown> extends CallOptions {
  /**
   * Maximum number of requests in flight, from 1 to 1,024: batches of up to 4 MiB, and rows that
   * need a separate request (inserts, increments, and writes with a condition or a revision). While
   * that many are in flight, the input is not read. Default: 4 batches, and 64 separate rows.
   */
  readonly inFlight?: number;
  /** Called after each request. */
  readonly onProgress?: (progress: BulkProgress) => void;
  /**
   * Called for each item that was not written, in any order; the result keeps the first 100. If it
   * throws, the call rejects with its error.
   */
  readonly onFailure?: (failure: BulkFailure<T>) => void;
}

/** Options of writes of rows in batches. */
export interface BulkOptions<T = unknown> extends InsertManyOptions<T> {
  /**
   * Maximum number of rows in a batch, from 1 to 100,000; default 4,096. A batch is also sent once
   * its values reach 4 MiB or its mutations reach 50,000.
   */
  readonly batchRows?: number;
}

/** Options of `query.delete()`. */
export interface DeleteOptions<T = unknown> extends BulkOptions<T> {
  /**
   * Drops whole ranges of keys where they hold nothing else: the query is for whole prefixes, no
   * other entity of this database can have keys in them, and all rows that are there when the call
   * begins are this entity's. Otherwise rows are deleted one by one. In Bigtable this is an
   * operation of table administrators, for large ranges: rows that other programs write into them
   * meanwhile are lost. Default false.
   */
  readonly dropRanges?: boolean;
}

/** Result of `query.delete()`. */
export interface DeleteResult<T = unknown> {
  /** Number of rows deleted. */
  readonly deleted: number;
  /** Number of rows that were found and not deleted. */
  readonly failed: number;
  /** The first 100 of them, in the order of the query. `onFailure` gets all. */
  readonly failures: readonly BulkFailure<T>[];
  /** Whether ranges were dropped: then a row that was written meanwhile is deleted, too. */
  readonly dropped: boolean;
}
