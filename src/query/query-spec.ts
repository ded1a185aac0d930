/** Queries as frozen plain data. The query builder of the repository creates them. */
import type { KeyCondition } from '../key/index.js';

/** What to read of an entity, in terms of segments and properties. */
export interface QuerySpec {
  /** Values of leading segments, and a bound; every row of the entity without either. */
  readonly key: KeyCondition;
  /** Rows by descending key. */
  readonly reversed: boolean;
  /** Maximum number of rows, at least 1. */
  readonly limit?: number;
  /** The properties to read besides the segments; undefined for all. */
  readonly select?: readonly string[];
  /** Reads only the segments. */
  readonly keysOnly: boolean;
  /** Maximum number of versions in each `@Versions` property, at least 1. */
  readonly versions?: number;
  /** Reads only cells with timestamps up to this one, in milliseconds, inclusive. */
  readonly asOf?: Date;
}

/** The query for every row with all properties. */
export const fullScan: QuerySpec = Object.freeze({
  key: Object.freeze({ fixed: Object.freeze({}) }),
  reversed: false,
  keysOnly: false,
});
