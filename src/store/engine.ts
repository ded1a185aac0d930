/**
 * What every place that holds rows promises. Each promise is a test of the conformance kit
 * (test/engines).
 */
import type { RowsmithError } from '../errors.js';
import type { CheckAndMutate, ReadModifyWriteRule, RowMutation } from './mutation.js';
import type { ReadOptions, ReadPlan } from './read-plan.js';
import type { Row } from './row.js';
import type { RowStream } from './row-cursor.js';
import type { FamilyChange, TableSchema, TableUpdate } from './schema.js';

/** When an embedded engine acts on garbage collection rules: see EngineOptions. */
export type GcMode = 'onRead' | 'lazy' | 'manual';

/** When a commit is on the disk: before it returns, or when the operating system writes it. */
export type Durability = 'durable' | 'relaxed';

/** A range of rows to drop: every key with the prefix, or the whole table. */
export type DropTarget =
  { readonly kind: 'prefix'; readonly prefix: Uint8Array } | { readonly kind: 'all' };

/** A key that splits the table into parts of about the same size, with the bytes before it. */
export interface SampledKey {
  /** Not necessarily the key of a row; empty for the end of the table. */
  readonly key: Uint8Array;
  /** Approximate bytes of the rows before this key. */
  readonly offsetBytes: number;
}

/** What a compaction took away. */
export interface Compaction {
  /** Rows that lost their last cell. */
  readonly rows: number;
  readonly cells: number;
  /**
   * Bytes that the storage gave back, as far as the engine can tell: on disk, of the file; in
   * memory, of what was removed.
   */
  readonly bytes: number;
}

/**
 * The storage of Bigtable's data model. All methods reject with RowsmithError: TABLE_NOT_FOUND,
 * FAMILY_NOT_FOUND, INVALID_ARGUMENT, LIMIT_EXCEEDED, FAILED_PRECONDITION, DATABASE_CLOSED,
 * STORAGE_FAILED. A rejected write left the row as it was. A resolved write is durable.
 */
export interface Engine {
  /** What this is, for a person: `memory`, `file:./data`. */
  readonly name: string;

  /**
   * Starts a read. Each page is one snapshot; a row is never seen half written. Faults of the plan
   * reject the first `next`.
   */
  readRows(plan: ReadPlan, options?: ReadOptions): RowStream;
  /** Applies the mutations of one row, together. */
  mutateRow(table: string, row: RowMutation): Promise<void>;
  /**
   * Applies many rows, each on its own: the answer holds, by index, undefined or why that row
   * failed. Rejects only when all are impossible (no table, closed), or with the signal's reason:
   * an engine that tries again then stops, and rows may or may not have been written.
   */
  mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]>;
  /**
   * Applies one branch or the other, atomically with the check. Resolves to what the predicate
   * found.
   */
  checkAndMutateRow(table: string, check: CheckAndMutate): Promise<boolean>;
  /** Applies the rules in order, atomically. Resolves to the changed cells, newest version only. */
  readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row>;
  /** Keys that cut the table into parts of similar size; the last is the empty key. */
  sampleRowKeys(table: string): Promise<readonly SampledKey[]>;
  /** Deletes rows without reading them; not atomic across rows. */
  dropRowRange(table: string, target: DropTarget): Promise<void>;

  /** Every table, by name. */
  listTables(): Promise<readonly TableSchema[]>;
  /** Creates a table; TABLE_EXISTS when there is one. */
  createTable(schema: TableSchema): Promise<void>;
  /** Deletes a table and its rows; FAILED_PRECONDITION when it is protected. */
  deleteTable(name: string): Promise<void>;
  /**
   * Applies all changes or none; FAILED_PRECONDITION when one drops a family of a protected table.
   */
  modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema>;
  /** Changes what is given; resolves to the table as it then is. */
  updateTable(name: string, update: TableUpdate): Promise<TableSchema>;
  /** A token for what was written so far; opaque, valid as long as the table. */
  generateConsistencyToken(table: string): Promise<string>;
  /**
   * Whether every reader sees what was written before the token. A token of another table, or of
   * nobody, is INVALID_ARGUMENT.
   */
  checkConsistency(table: string, token: string): Promise<boolean>;
  /**
   * Applies the garbage collection rules to the table, or to all, and gives space back. Reads and
   * writes go on meanwhile.
   */
  compact(table?: string): Promise<Compaction>;

  /**
   * Finishes what was acknowledged and lets go of everything. Later calls reject with
   * DATABASE_CLOSED.
   */
  close(): Promise<void>;
}
