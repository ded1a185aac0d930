/** Options and results of `scope.deleteAll()`. */
import type { CallOptions } from './entity-types.js';

/** Options of `scope.deleteAll()`. */
export interface DeleteAllOptions extends CallOptions {
  /** Counts what would be deleted, and writes nothing; default false. */
  readonly dryRun?: boolean;
  /** Called after each range and each batch of rows. */
  readonly onProgress?: (progress: DeleteAllProgress) => void;
}

/** How far `scope.deleteAll()` is. */
export interface DeleteAllProgress {
  /** Stored rows deleted so far: rows of entities, entries, rollup rows and marks. */
  readonly deleted: number;
  /** Stored rows that were found when the call began. */
  readonly total: number;
}

/**
 * How stored rows are deleted: `ranges` drops the ranges that hold them, `rows` deletes them one by
 * one, `both` drops some ranges and deletes the other rows. `follows` is for rows outside the
 * ranges of the scope, which change with the deletion of each row of the entity.
 */
export type DeletionMethod = 'ranges' | 'rows' | 'both' | 'follows';

/** Stored rows of one kind that belong to an entity. */
export interface DeletedRowsOf {
  /** The name of the entity. */
  readonly entity: string;
  /** Its rows, entries of an index, rows of a rollup, or marks of rows that other rows copy. */
  readonly kind: 'rows' | 'index' | 'rollup' | 'marks';
  /** The name of the index or the rollup. */
  readonly name?: string;
  /** The table that stores them. */
  readonly table: string;
  readonly how: DeletionMethod;
  /**
   * Number of rows that were found when the call began. 0 for a rollup that follows: its rows stay,
   * without what the deleted rows added to them.
   */
  readonly rows: number;
}

/** Result of `scope.deleteAll()`. */
export interface DeleteAllReport {
  /** Rows of entities that were found when the call began. */
  readonly rows: number;
  /** Whatever was deleted, or would be: entities in the order of `open`. */
  readonly parts: readonly DeletedRowsOf[];
}
