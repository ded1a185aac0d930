/** Understanding a database: drift, lint, garbage collection, derived rows, heat. */
import type { ErrorLine, ProgressLine } from './failure.js';
import type { IsoTime, Json } from './json.js';

/** Response of `drift`: how stored tables differ from the declared ones. */
export interface Drift {
  readonly steps: readonly DriftStep[];
}

/** A difference, and what `rowsmith schema apply` would do about it. */
export interface DriftStep {
  readonly safety: 'safe' | 'data-losing' | 'unsafe-live' | 'destructive' | 'impossible';
  readonly kind: string;
  readonly table: string;
  readonly family?: string | undefined;
  /** Stored and declared, as text. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly consequence: string;
  readonly applies: boolean;
}

/** Response of `lint`. */
export interface LintReport {
  readonly findings: readonly PlacedFinding[];
}

/** A finding; `property` and `family` are its place in `schema`. */
export interface PlacedFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly entity: string;
  readonly property?: string | undefined;
  readonly family?: string | undefined;
  readonly problem: string;
  readonly reason: string;
  readonly fix: string;
  /** Address of the document that the rule follows. It is shown as text, or opened by the user. */
  readonly source: string;
}

/** Request of the stream `gc`: reads the table, or a sample of a large one. */
export interface GcRequest {
  readonly table: string;
}

/** A line of the stream `gc`. */
export type GcLine =
  ProgressLine | { readonly type: 'report'; readonly report: GcReport } | ErrorLine;

/** What garbage collection rules remove from a table. */
export interface GcReport {
  readonly table: string;
  /** Rows that were read, and their share of all; 1 if the numbers are exact. */
  readonly rows: number;
  readonly share: number;
  readonly families: readonly {
    readonly family: string;
    readonly rule: string;
    readonly stored: GcAmount;
    /** Due by then, if nothing is written meanwhile. */
    readonly due: Readonly<Record<'now' | 'day' | 'week' | 'month', GcAmount>>;
  }[];
  /** Who removes them, and when, as a sentence. */
  readonly removal: string;
}

/** Cells and bytes, each with a 95 % confidence interval. */
export interface GcAmount {
  readonly cells: GcNumber;
  readonly bytes: GcNumber;
}

/** A number; `low` and `high` equal it if it is exact. */
export interface GcNumber {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Response of `derived`: the state of all indexes, rollups and copies. */
export interface DerivedState {
  readonly indexes: readonly {
    readonly id: string;
    readonly entity?: string | undefined;
    readonly index?: string | undefined;
    readonly table: string;
    readonly state: string;
  }[];
  readonly rollups: readonly { readonly entity: string; readonly rollup: string }[];
  /** Sources with copies that are not written yet. */
  readonly copies: readonly {
    readonly entity: string;
    readonly due: number;
    readonly since?: IsoTime | undefined;
  }[];
}

/** Request of the streams `verify` and, with `--write`, `repair`, `rebuild` and `propagate`. */
export interface DerivedRequest {
  readonly entity: string;
  /** Only this index; `rebuild` needs it. */
  readonly index?: string | undefined;
  /** Continues a run that was stopped: the `position` of its last line. */
  readonly after?: string | undefined;
}

/** A line of these streams. When the page goes, the run stops, and what was done is kept. */
export type DerivedLine =
  | (ProgressLine & { readonly position?: string | undefined })
  | {
      readonly type: 'report';
      /** Numbers by name: rows, entries, and findings of each kind. */
      readonly counts: Readonly<Record<string, number>>;
      /** At most 100. */
      readonly findings: readonly Json[];
      /** Whether nothing is left to do. */
      readonly clean: boolean;
      readonly position?: string | undefined;
    }
  | ErrorLine;

/** Request of the stream `heat`: maps, and new ones every `everyMs` until the page goes. */
export interface HeatRequest {
  readonly table?: string | undefined;
  /** Milliseconds, at least 1,000; undefined for one map. */
  readonly everyMs?: number | undefined;
}

/** A line of the stream `heat`. */
export type HeatLine =
  | {
      readonly type: 'maps';
      /** The name of the recording. */
      readonly source: string;
      /** Undefined if the recording is whole. */
      readonly warning?: string | undefined;
      /** The maps as `tools/page/browser` draws them. */
      readonly maps: readonly Json[];
      readonly findings: readonly LoadFinding[];
    }
  | ErrorLine;

/** What is wrong with the load of a table. */
export interface LoadFinding {
  readonly kind: string;
  readonly level: string;
  readonly table: string;
  readonly entity?: string | undefined;
  readonly key?: string | undefined;
  readonly problem: string;
  readonly fix: string;
}
