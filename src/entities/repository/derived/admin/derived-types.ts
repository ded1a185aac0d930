/** Options and results of `db.derived`. */
import type { RowsmithError, Values } from '../../../../base/index.js';
import type { FindingKind } from '../../../derived/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import type { RollupDifference, RollupReport } from './rollup-admin-types.js';

/** A fault of an index or a copy. */
export interface DerivedFinding {
  /**
   * - `missing`: a row has no entry.
   * - `wrong`: an entry's covered columns or its token differ from its row.
   * - `orphan`: no row backs an entry.
   * - `duplicate`: two rows have one value of a unique index.
   * - `invalid`: the values of a row cannot be in the index, or name no row to copy from.
   * - `stale copy`: a copy differs from its source.
   */
  readonly kind: FindingKind;
  /** The name of the index; of a copy, the name of the index by which its row is found. */
  readonly index: string;
  /** The property that holds the copy. */
  readonly property?: string | undefined;
  /** The row's key; undefined if it cannot be decoded. */
  readonly row: Readonly<Record<string, unknown>> | undefined;
  /** The row's key as stored, as printable text. */
  readonly rowKey: string;
  /** The segments of the entry; undefined for `invalid` and `stale copy`. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
  /** `duplicate`: the key of the row that has the entry. */
  readonly holder?: Readonly<Record<string, unknown>> | undefined;
  /** `invalid`: why. */
  readonly error?: RowsmithError | undefined;
  /** Whether it was put right. */
  readonly repaired: boolean;
}

/** Numbers of findings by kind. */
export type FindingCounts = Readonly<Record<FindingKind, number>>;

/** Progress of a check: totals since the start of the call. */
export interface DerivedProgress {
  /**
   * Looks at rows first, then at the entries of each index, then at each rollup, then at the
   * required columns of the rows.
   */
  readonly phase: 'rows' | 'entries' | 'rollups' | 'required';
  /** The index that is being checked. */
  readonly index?: string | undefined;
  /** The rollup that is compared with its rows. */
  readonly rollup?: string | undefined;
  /** Rows that were read: once for all indexes, for each rollup, and for required columns. */
  readonly rows: number;
  readonly entries: number;
  readonly found: FindingCounts;
  /** Pass it as `after` to continue from here. */
  readonly position: string;
}

/** Options of `db.derived.verify` and `repair`. */
export interface CheckIndexOptions extends CallOptions {
  /** Only this index; default all indexes, copies, rollups and required columns. */
  readonly index?: string;
  /** Continues after this position, of a report or of its progress. */
  readonly after?: string;
  /**
   * Stops once this many rows and entries were looked at, at the end of a page; the report's
   * `position` continues. A rollup and required columns are checked as a whole. Default: all.
   */
  readonly limit?: number;
  /** Maximum number of findings in the report's list; default 1,000. All are counted. */
  readonly maxFindings?: number;
  /**
   * Maximum number of findings that are looked at again, or repaired, at the same time, from 1 to
   * 1,024; default 64.
   */
  readonly inFlight?: number;
  /** Called with each finding, also beyond `maxFindings`. */
  readonly onFinding?: (finding: DerivedFinding) => void;
  /** The same for each row of a rollup that differs. */
  readonly onDifference?: (difference: RollupDifference) => void;
  /** Called after each page of at most 512 rows or entries. */
  readonly onProgress?: (progress: DerivedProgress) => void;
}

/** Options of `db.derived.rebuild`. */
export type RebuildOptions = Omit<CheckIndexOptions, 'index' | 'after' | 'limit' | 'onDifference'>;

/** What a check has found in the rollups of an entity. */
export interface RollupFindings extends Omit<RollupReport, 'after'> {
  /** The first rows that differ, at most `maxFindings`. */
  readonly differences: readonly RollupDifference[];
}

/** Rows that lack required values. */
interface IncompleteRows {
  readonly rows: number;
  /** The first ones, at most `maxFindings`. */
  readonly samples: readonly {
    readonly key: Values;
    /** The key as text. */
    readonly rowKey: string;
    /** The required properties without a value. */
    readonly missing: readonly string[];
  }[];
}

/** Result of `db.derived.verify` and `repair`. */
export interface DerivedReport {
  /** Rows and entries of indexes that were looked at. */
  readonly rows: number;
  readonly entries: number;
  readonly found: FindingCounts;
  /** Findings in indexes that were put right; 0 for `verify`. */
  readonly repaired: number;
  /** The first findings. */
  readonly findings: readonly DerivedFinding[];
  /** The rollups; undefined if there are none, or if the check did not come to them. */
  readonly rollups?: RollupFindings | undefined;
  /**
   * Rows without a value of a required column, which reads reject with INCOMPLETE_ROW or skip. They
   * have to be completed with `patch`, or deleted: no repair knows the values. Undefined if no
   * column is required, or if the check did not come to them.
   */
  readonly incomplete?: IncompleteRows | undefined;
  /** Where `limit` stopped the check; undefined at the end. */
  readonly position?: string | undefined;
}

/** Result of `db.derived.rebuild`. */
export interface RebuildReport extends DerivedReport {
  /** False if findings are left to solve: the index stays closed to reads. */
  readonly ready: boolean;
  /** Whether it continued a build that was stopped. */
  readonly resumed: boolean;
}

/** Options of `db.derived.drop`. */
export interface DropIndexOptions extends CallOptions {
  /** Called after each page, with the number of entries deleted so far. */
  readonly onProgress?: (progress: { readonly deleted: number }) => void;
}

/** An index, declared or stored. */
export interface IndexInfo {
  /** The id of the index, which its entries begin with: its name and a fingerprint. */
  readonly id: string;
  /** The name of the entity. */
  readonly entity: string;
  /** The name of the index; undefined if no opened entity declares it. */
  readonly index: string | undefined;
  /** The table of the entries. */
  readonly table: string;
  /**
   * `ready` for reads; `building` until it is rebuilt; `undeclared` if no opened entity declares
   * it, and its entries can be dropped.
   */
  readonly state: 'ready' | 'building' | 'undeclared';
}
