/** Queries and their results. */
import type { ErrorLine, ProgressLine } from './failure.js';
import type { Base64, Cut, IsoTime, JsonValue } from './json.js';
import type { BoundKind, ColumnInfo, TestKind } from './schema.js';

/** A query as data. `typescript` returns it as code; both mean the same. */
export interface StudioQuery {
  readonly source: StudioSource;
  /**
   * Values of the first segments of the key, without gaps: one value is `prefix`, several are
   * `oneOf`. Times are floored as the segment says.
   */
  readonly fixed?: readonly FixedSegment[] | undefined;
  /** A bound on the next segment. */
  readonly bound?: QueryBound | undefined;
  /**
   * Consent to read every row. Without `fixed` and `bound` it is needed wherever one response may
   * read the whole entity, unless that is small: FULL_SCAN. Pages of rows without `where` read only
   * what they show, and need none.
   */
  readonly scanAll?: boolean | undefined;
  /** All must hold. */
  readonly where?: readonly QueryCondition[] | undefined;
  /** Only these properties and the key. Default: all. Empty: keys only. */
  readonly select?: readonly string[] | undefined;
  readonly reverse?: boolean | undefined;
  /** At least 1. */
  readonly limit?: number | undefined;
  /** Rows as they were at this time, as far as versions are stored. Not of indexes and rollups. */
  readonly asOf?: IsoTime | undefined;
  /** At most so many versions, of columns with versions. */
  readonly versions?: number | undefined;
}

/** What is read. */
export type StudioSource =
  | { readonly kind: 'entity'; readonly entity: string }
  /** `fixed` and `bound` are as the pattern declares; its options are set already. */
  | { readonly kind: 'pattern'; readonly entity: string; readonly pattern: string }
  /** `covered`: the entries alone. */
  | {
      readonly kind: 'index';
      readonly entity: string;
      readonly index: string;
      readonly covered?: boolean | undefined;
    }
  | { readonly kind: 'rollup'; readonly entity: string; readonly rollup: string }
  /** Without `where`, `select`, `asOf` and `versions`. */
  | { readonly kind: 'collection'; readonly entities: readonly string[] };

/** Values of a segment: several are alternatives. */
export interface FixedSegment {
  readonly segment: string;
  readonly values: readonly JsonValue[];
}

/** A bound on a segment. */
export type QueryBound =
  | {
      readonly kind: Extract<BoundKind, 'between'>;
      readonly segment: string;
      /** Inclusive. */
      readonly from: JsonValue;
      /** Exclusive. */
      readonly to: JsonValue;
    }
  | {
      readonly kind: Exclude<BoundKind, 'between'>;
      readonly segment: string;
      readonly value: JsonValue;
    };

/** A condition on a column, or on a segment after those with values. */
export interface QueryCondition {
  readonly property: string;
  /** The names from a message or a JSON value to a field in it; undefined for the value itself. */
  readonly fields?: readonly string[] | undefined;
  readonly test: TestKind;
  /** A list for `oneOf` and `noneOf`; absent for `isNull` and `notNull`. */
  readonly value?: JsonValue | undefined;
}

/** Request of the stream `rows`. */
export interface RowsRequest {
  readonly query: StudioQuery;
  /** Rows at most in this response, 1 to 10,000; default 500. */
  readonly size?: number | undefined;
  /**
   * The `next` of another response to the same query. A page that keeps them can drop the rows that
   * are out of sight and read them again: memory stays flat, whatever the number of rows.
   */
  readonly after?: string | undefined;
}

/** A line of the stream `rows`: `columns` first, `end` or `error` last. */
export type RowsLine =
  /** `table` has the rows: of a rollup, its own. */
  | { readonly type: 'columns'; readonly table: string; readonly columns: readonly ColumnInfo[] }
  | {
      readonly type: 'rows';
      readonly rows: readonly RowView[];
      /** Rows between them that no entity decodes; `key` tells the place. */
      readonly leftOut: readonly LeftOutRow[];
      /** Continues after these rows; undefined after the last row. */
      readonly next?: string | undefined;
    }
  | {
      readonly type: 'end';
      /** Undefined if there are no more rows. */
      readonly next?: string | undefined;
      readonly rows: number;
      readonly cost: QueryCost;
    }
  /** While no row is found: rows that the storage sent so far. */
  | ProgressLine
  | ErrorLine;

/** A row. */
export interface RowView {
  /** The stored key: with the table it names the row in other calls. */
  readonly key: Base64;
  /** By position in `columns`; null for no value. Of a collection: by `entity`. */
  readonly values: readonly JsonValue[];
  /** Of a collection: the entity, whose columns are in `schema`: segments first, then columns. */
  readonly entity?: string | undefined;
  readonly cuts?: readonly Cut[] | undefined;
}

/** A row that a query met and could not show. */
export interface LeftOutRow {
  readonly table: string;
  readonly key: Base64;
  /** The code of the reason: FOREIGN_KEY, DAMAGED_CELL or INCOMPLETE_ROW. */
  readonly code: string;
  readonly property?: string | undefined;
  readonly reason: string;
}

/** What a read cost, as this process saw it. */
export interface QueryCost {
  readonly ms: number;
  /** Requests to the storage. */
  readonly requests: number;
  /** Rows that the storage sent, and their bytes. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** Request of the stream `count`, which reads the keys of all rows that the query finds. */
export interface CountRequest {
  readonly query: StudioQuery;
}

/** The last line of `count`. */
export interface CountedLine {
  readonly type: 'end';
  readonly rows: number;
  /** Rows that were met and cannot be decoded; they are not counted. */
  readonly leftOut: number;
}

/** Request of `values`: the values of the segment after `fixed` that have rows, as suggestions. */
export interface ValuesRequest {
  readonly source: StudioSource;
  readonly fixed: readonly FixedSegment[];
  /** At most so many, 1 to 1,000; default 50. */
  readonly limit?: number | undefined;
  /** What a text begins with. */
  readonly startsWith?: string | undefined;
}

/** Response of `values`. */
export interface ValuesFound {
  readonly segment: string;
  readonly values: readonly JsonValue[];
  /** Whether there are more. */
  readonly more: boolean;
}

/** Response of `typescript`. */
export interface QueryText {
  /** Runs where `db` is an open database and the entities are imported. */
  readonly typescript: string;
  /** Reads the same ranges of keys with Google's tool; undefined for queries of indexes. */
  readonly cbt?: string | undefined;
}

/** Response of `explain`. */
export interface ExplainedQuery {
  readonly fullScan: boolean;
  readonly table: string;
  readonly conditions: readonly string[];
  readonly ranges: readonly PlannedRange[];
  /** Ranges that were left out of `ranges`, which has 1,000 at most. */
  readonly moreRanges: number;
  /** Shards that are read and merged; 1 without. */
  readonly fanOut: number;
  readonly order: readonly string[];
  readonly families: readonly string[];
  readonly properties: readonly string[];
  /** What the storage filters, step by step. */
  readonly filters: readonly string[];
  readonly limit?: number | undefined;
  /** Tested by the storage: rows that do not match are read there, and not sent. */
  readonly whereAtServer: readonly string[];
  /** Tested in this process: rows that do not match are sent, and thrown away. */
  readonly whereAtClient: readonly string[];
  /** Rules by which reads hide expired cells. */
  readonly hidden: readonly string[];
  /** Other entities with rows in the ranges, which are read and thrown away. */
  readonly others: readonly string[];
  /** Of a query of an index: how the rows are read that the entries lead to. */
  readonly index?:
    | {
        readonly name: string;
        readonly covered: boolean;
        readonly rows?: ExplainedQuery | undefined;
        readonly notes: readonly string[];
      }
    | undefined;
  /** The sections of the table, in key order: the axis of the picture. Undefined if unknown. */
  readonly space?: KeySpace | undefined;
  /** The plan as `rowsmith explain` prints it. */
  readonly text: string;
}

/** A range of keys that is read. */
export interface PlannedRange {
  readonly shard: number;
  /** Printable, inclusive; `end` is exclusive, and undefined without an upper end. */
  readonly start: string;
  readonly end?: string | undefined;
  /** Where the range lies in the table, by bytes: from 0 to 1. Undefined without `space`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The keys of a table, by size. */
export interface KeySpace {
  /** About the bytes of the table. */
  readonly bytes: number;
  /** Ends of its sections with their position, 0 to 1; at most 200. The last one ends the table. */
  readonly sections: readonly { readonly end: string; readonly at: number }[];
  /** About the bytes in the ranges of the plan; it is not more than `bytes`. */
  readonly inRanges: number;
}

/** Request of the stream `measure`: runs the query and counts, without sending rows. */
export interface MeasureRequest {
  readonly query: StudioQuery;
  /** Stops after so many rows; default 100,000. */
  readonly limit?: number | undefined;
}

/** What a query did when it ran. */
export interface Measured extends QueryCost {
  /** Rows that the query returned. */
  readonly rows: number;
  /** Milliseconds until the first row; undefined if there is none. */
  readonly firstRowMs?: number | undefined;
  /** Rows that the storage sent and that are not in the result, by reason. */
  readonly thrownAway: {
    readonly foreign: number;
    readonly undecodable: number;
    readonly other: number;
  };
  /** Whether the limit stopped it. */
  readonly stopped: boolean;
}
