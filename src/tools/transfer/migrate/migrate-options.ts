/** Options, progress and result of `migrate`. */
import type { KeyCollision } from './key-collisions.js';
import type { MigrationPhase } from './migration-state.js';

/** Progress of a migration. */
export interface MigrationProgress {
  readonly phase: MigrationPhase;
  /** Rows done in this phase, including rows of earlier runs. */
  readonly rows: number;
  /** How many of these rows were done by earlier runs. */
  readonly fromEarlierRuns: number;
  /**
   * Fraction of the phase that is done, 0 to 1. For `check` and `copy` an estimate from keys that
   * storage samples, undefined in the first second; for the other phases relative to the rows
   * copied.
   */
  readonly fraction: number | undefined;
}

/** Options of `migrate`. */
export interface MigrateOptions {
  /**
   * Only count rows, collect samples and look for rows that become the same row: nothing is
   * written, not even state. Default false.
   */
  readonly dryRun?: boolean;
  /**
   * File that stores the position of the migration. If it exists, the migration is resumed. By
   * default nothing is stored.
   */
  readonly state?: string;
  /** Maximum rows per second, above 0; default: unlimited. */
  readonly rowsPerSecond?: number;
  /** Compare every row after copying; default true. */
  readonly verify?: boolean;
  /**
   * Delete the old rows if the comparison found no difference; requires `verify`. Default false.
   */
  readonly deleteOld?: boolean;
  /**
   * Replace sums that the new row already has with the sums of the old row. By default such a row
   * stops the migration, because the new one may have been added to.
   */
  readonly replaceCounters?: boolean;
  /** Called when a phase begins and after each batch. */
  readonly onProgress?: (progress: MigrationProgress) => void;
  readonly signal?: AbortSignal;
}

/** The keys of a row before and after a migration, in printable form. */
export interface MovedKeys {
  readonly from: string;
  /** Undefined if the row is left out. */
  readonly to: string | undefined;
}

/** Result of `migrate`. Counts include earlier runs. */
export interface MigrationResult {
  /** Rows of the old entity. */
  readonly rows: number;
  /** Rows that were copied. */
  readonly copied: number;
  /** Rows that the map function left out. */
  readonly leftOut: number;
  /** Cells that the old class does not declare or the migration drops. They are not deleted. */
  readonly undeclaredCells: number;
  /** Rows that were compared; 0 without `verify`. */
  readonly verified: number;
  /** Old rows that were deleted; 0 without `deleteOld`. */
  readonly deleted: number;
  /** Keys of up to 5 rows. */
  readonly samples: readonly MovedKeys[];
  /** With `dryRun`: old rows that become the same row as another one, which a migration rejects. */
  readonly collidingRows: number;
  /** Up to 5 of their new keys, each with old keys. */
  readonly collisions: readonly KeyCollision[];
}
