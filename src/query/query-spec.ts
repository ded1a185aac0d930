/**
 * A typed question as frozen plain data. The builder (repository room) makes it; the planner reads
 * it.
 */
import type { KeyCondition } from '../key/index.js';

/** What to read of an entity. Nothing here names bytes: that is the planner's work. */
export interface QuerySpec {
  /**
   * Leading segments and the bound after them; nothing fixed and no bound is a scan of every row of
   * the entity.
   */
  readonly key: KeyCondition;
  /** Rows by descending key. */
  readonly reversed: boolean;
  /** Most rows to deliver; at least 1. */
  readonly limit?: number;
  /** Properties to read, besides the key segments; undefined for all. */
  readonly select?: readonly string[];
  /** Only the key segments. */
  readonly keysOnly: boolean;
  /** Most versions of each column that `@Versions` properties get; at least 1. */
  readonly versions?: number;
  /**
   * Read the cells as they stood at this moment: timestamps up to it, in milliseconds, inclusive.
   */
  readonly asOf?: Date;
}

/** The question that asks for every row with everything in it. */
export const fullScan: QuerySpec = Object.freeze({
  key: Object.freeze({ fixed: Object.freeze({}) }),
  reversed: false,
  keysOnly: false,
});
