/** The contract of storage engines. The cases of src/tools/conformance verify all of it. */
import type { RowsmithError } from '../../base/index.js';
import type { Filter } from './filter.js';
import type { CheckAndMutate, ReadModifyWriteRule, RowMutation } from './mutation.js';
import type { ReadOptions, ReadPlan } from './read-plan.js';
import type { Cell, Row } from './row.js';
import type { RowStream } from './row-cursor.js';
import type { FamilyChange, TableSchema, TableUpdate } from './schema.js';

/** When an embedded engine applies garbage collection rules; see EngineOptions. */
export type GcMode = 'onRead' | 'lazy' | 'manual';

/** When a commit reaches the disk: before it returns, or when the operating system writes it. */
export type Durability = 'durable' | 'relaxed';

/** Rows to drop: all keys with a prefix, or the whole table. */
export type DropTarget =
  { readonly kind: 'prefix'; readonly prefix: Uint8Array } | { readonly kind: 'all' };

/** One of the keys that split the table into sections of similar size. */
export interface SampledKey {
  /** Not necessarily the key of an existing row; empty for the end of the table. */
  readonly key: Uint8Array;
  /** Approximate size of all rows before this key. */
  readonly offsetBytes: number;
}

/** What a compaction removed. */
export interface Compaction {
  /** Rows that lost their last cell. */
  readonly rows: number;
  readonly cells: number;
  /** Approximate bytes freed: file space on disk, or the size of what was removed from memory. */
  readonly bytes: number;
}

/** How far a compaction has come. */
export interface CompactionProgress {
  /** `collect` visits the rows of all tables; `merge` then merges the files. */
  readonly phase: 'collect' | 'merge';
  /** Rows visited so far. */
  readonly rows: number;
  /** The merged part of the files, 0 to 1, estimated; undefined while rows are visited. */
  readonly fraction?: number | undefined;
}

/** Options of a compaction. */
export interface CompactionOptions {
  /** Called after each step. Calls that share the merge of the files get none of its progress. */
  readonly onProgress?: (progress: CompactionProgress) => void;
}

/** Rows as a transaction finds them. */
export interface RowReader {
  /**
   * The cells of a row that pass the filter, in their order. Undefined if they cannot be known at
   * once, because the filter takes long or must be loaded first.
   */
  cells(table: string, key: Uint8Array, filter: Filter): readonly Cell[] | undefined;
}

/** What a transaction writes, each row once, and what it resolves to. */
export interface RowChanges<T> {
  readonly result: T;
  readonly rows: readonly { readonly table: string; readonly row: RowMutation }[];
}

/**
 * A storage engine for Bigtable's data model. All methods reject with RowsmithError:
 * TABLE_NOT_FOUND, FAMILY_NOT_FOUND, INVALID_ARGUMENT, LIMIT_EXCEEDED, FAILED_PRECONDITION,
 * DATABASE_CLOSED, STORAGE_FAILED. After a rejected write the row is unchanged. Once a write
 * resolves it is durable.
 */
export interface Engine {
  /** Human-readable name: `memory`, `file:./data`. */
  readonly name: string;
  /** True if pages of reads have `skipTo`, so that skipping rows takes no further read. */
  readonly skipsRows?: boolean;
  /** True if the engine observes `token` of rows. Other engines ignore it. */
  readonly appliesOnce?: boolean;
  /**
   * For engines that may not answer: how long a call may take with all its attempts, in
   * milliseconds. The details of errors of calls that were retried until then have it, too.
   */
  readonly totalTimeoutMs?: number | undefined;

  /**
   * Starts a read. Each page is a snapshot, and rows are never seen partially written. Errors in
   * the plan reject the first call of `next`.
   */
  readRows(plan: ReadPlan, options?: ReadOptions): RowStream;
  /** Applies the mutations of one row atomically. */
  mutateRow(table: string, row: RowMutation): Promise<void>;
  /**
   * Applies the mutations of many rows, each row on its own. They must not be changed before the
   * result is there, which has one entry per row:
   * undefined for success, or the error. Rejects only if no row can be written (no such table,
   * database closed), or with the signal's reason. After an abort no more retries are made, and any
   * of the rows may or may not have been written.
   */
  mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]>;
  /**
   * Applies one of two branches, atomically with the check. Resolves to whether the predicate
   * matched. An embedded engine rejects with the signal's reason if it is aborted while the
   * predicate is evaluated, and nothing is written.
   */
  checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /**
   * Applies the rules in order, atomically. Resolves to the newest version of each changed cell.
   */
  readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row>;
  /**
   * Embedded engines alone, which have all rows in one process: reads and writes several rows in
   * one atomic and durable change. `work` is called once, and must not wait. Nothing is written if
   * it throws, or if any of its rows cannot be written. `bytes` is about how much it writes. Tokens
   * of rows are ignored.
   */
  transact?<T>(bytes: number, work: (rows: RowReader) => RowChanges<T>): Promise<T>;
  /**
   * Keys that split the table into sections of similar size, in their order. The embedded engines
   * and Bigtable end with the empty key; a live engine returns what the server sends, which may
   * lack it or be empty.
   */
  sampleRowKeys(table: string): Promise<readonly SampledKey[]>;
  /** Deletes rows without reading them; not atomic across rows. */
  dropRowRange(table: string, target: DropTarget): Promise<void>;

  /** All tables, sorted by name. */
  listTables(): Promise<readonly TableSchema[]>;
  /** Creates a table; TABLE_EXISTS if there is one with this name. */
  createTable(schema: TableSchema): Promise<void>;
  /** Deletes a table and its rows; FAILED_PRECONDITION if it is protected. */
  deleteTable(name: string): Promise<void>;
  /**
   * Applies all changes or none; FAILED_PRECONDITION if one drops a family of a protected table.
   */
  modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema>;
  /** Changes the given settings; resolves to the updated table. */
  updateTable(name: string, update: TableUpdate): Promise<TableSchema>;
  /** An opaque token for all writes so far; valid for the lifetime of the table. */
  generateConsistencyToken(table: string): Promise<string>;
  /**
   * Whether all readers see the writes made before the token was generated. A malformed token, or
   * one of another table, is INVALID_ARGUMENT.
   */
  checkConsistency(table: string, token: string): Promise<boolean>;
  /**
   * Applies the garbage collection rules to one table or to all, and frees the space. Reads and
   * writes continue meanwhile.
   */
  compact(table?: string, options?: CompactionOptions): Promise<Compaction>;

  /**
   * Completes acknowledged writes and releases all resources. Later calls reject with
   * DATABASE_CLOSED.
   */
  close(): Promise<void>;
}
