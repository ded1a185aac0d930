/** Options and reports of `db.derived.rollups`. */
import type { CallOptions } from '../../types/entity-types.js';

/** How a derived row differs from the rows that it follows. */
export type DifferenceKind = 'missing' | 'orphan' | 'wrong';

/** A derived row that differs. */
export interface RollupDifference {
  readonly kind: DifferenceKind;
  /** The rollup. */
  readonly name: string;
  /** The segments of the derived row. */
  readonly key: Readonly<Record<string, unknown>>;
  /** It was made exact. */
  readonly repaired: boolean;
}

/** What was compared so far, and what was found. */
export interface RollupReport {
  /** Rows of the source that were read. */
  readonly rows: number;
  /** Derived rows that should exist, and were compared. */
  readonly compared: number;
  /** Derived rows that should exist and do not. */
  readonly missing: number;
  /** Derived rows that no source row belongs to. */
  readonly orphan: number;
  /** Derived rows with other values. */
  readonly wrong: number;
  /** Derived rows that were made exact. */
  readonly repaired: number;
  /** Derived rows that writers changed each time they were about to be made exact. */
  readonly busy: number;
  /**
   * Derived rows that were not compared, because garbage collection may have deleted rows that they
   * follow.
   */
  readonly expired: number;
  /**
   * If garbage collection deletes rows of the source: where the first bucket begins that counts all
   * of its rows. Earlier ones count what was written since the rollup was declared. With several
   * rollups, the latest.
   */
  readonly countsSince?: Date;
  /** Pass it as `after` to continue here; undefined at the end. */
  readonly after?: string;
}

/** Which derived rows, and how the call reports. */
export interface RollupOptions extends CallOptions {
  /** Only this rollup; default: all of the entity. Needed with `after`. */
  readonly name?: string;
  /** Values of leading segments of the derived rows, without gaps. */
  readonly prefix?: Readonly<Record<string, unknown>>;
  /** Only from this time on: the bucket that holds it is the first. */
  readonly since?: Date;
  /** Only buckets that begin before this time. */
  readonly until?: Date;
  /** The `after` of an earlier report. */
  readonly after?: string;
  /** Called for each derived row that differs, as it is found. */
  readonly onDifference?: (difference: RollupDifference) => void;
  /** Called now and then, and with the end of each rollup. */
  readonly onProgress?: (report: RollupReport) => void;
}
