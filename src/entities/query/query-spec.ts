/** Queries as frozen plain data. The query builder of the repository creates them. */
import type { SegmentBound, QualifierCondition, QualifierRange } from '../../data/key/index.js';
import type { Condition } from './where/condition.js';

/** What of the entries a query reads; `list` is an array of `{ at, value }`, for series. */
export type EntryForm = 'entries' | 'keys' | 'count' | 'list';

/** A part of a column map, checked. */
export interface EntrySlice {
  readonly property: string;
  readonly form: EntryForm;
  readonly condition: QualifierCondition;
  /** The qualifiers as bytes; undefined if the condition matches none. */
  readonly range: QualifierRange | undefined;
  readonly offset?: number;
  readonly limit?: number;
}

/** Which rows of an entity, in terms of the segments of its key. */
export interface QueryKey {
  /** Number of leading segments that have values, at least 0; 0 if there is no prefix. */
  readonly depth: number;
  /**
   * Alternative values of these segments. Without values (depth 0) one empty object; an empty list
   * matches no row.
   */
  readonly prefixes: readonly Readonly<Record<string, unknown>>[];
  /** A bound on the segment after the segments with values, or after the segment of `firstPer`. */
  readonly bound?: SegmentBound;
}

/** What to read of an entity, in terms of segments and properties. */
export interface QuerySpec {
  readonly key: QueryKey;
  /** Reads the first row of each group of rows that are equal in the segments up to this one. */
  readonly firstPer?: string;
  /** The results of `firstPer` are only the segments of the groups. */
  readonly distinct?: boolean;
  /** What rows must hold in addition; all of it. */
  readonly where?: readonly Condition[];
  /** Rows by descending key. */
  readonly reversed: boolean;
  /** Maximum number of rows, at least 1. */
  readonly limit?: number;
  /** The properties to read besides the segments; undefined for all. */
  readonly select?: readonly string[];
  /** With `select`, rows without a cell in the families of its properties are results, too. */
  readonly everyRow?: boolean;
  /** The properties of `select` that are column maps read only in part. */
  readonly entries?: readonly EntrySlice[];
  /** Maximum number of rows in a page of storage; undefined for the default. */
  readonly pageRows?: number;
  /** Reads only the segments. */
  readonly keysOnly: boolean;
  /** Maximum number of versions in each `@Versions` property, at least 1. */
  readonly versions?: number;
  /** Reads only cells with timestamps up to this one, in milliseconds, inclusive. */
  readonly asOf?: Date;
}

/** The query for every row with all properties. */
export const fullScan: QuerySpec = Object.freeze({
  key: Object.freeze({ depth: 0, prefixes: Object.freeze([Object.freeze({})]) }),
  reversed: false,
  keysOnly: false,
});
