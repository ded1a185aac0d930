/** A question to an engine, complete and frozen. */
import { rangesAfter, type KeyRange } from '../bytes/index.js';
import type { Filter } from './filter.js';

/** Which rows and cells to read, in which order. */
export interface ReadPlan {
  readonly table: string;
  /**
   * Sorted, disjoint, not empty; points are ranges too (pointRange). No ranges: no rows. The whole
   * table is `[everyKey]`.
   */
  readonly ranges: readonly KeyRange[];
  /** Rows by descending key. Cells inside a row keep their order. */
  readonly reversed: boolean;
  /** Most rows to return, counted after filtering; at least 1. */
  readonly limit?: number;
  /** Without one, every cell. */
  readonly filter?: Filter;
}

/** How to run a read: not part of the question. */
export interface ReadOptions {
  /** Ends the read; pending and later calls of `next` reject with its reason. */
  readonly signal?: AbortSignal;
  /** Most rows in one page; default 256. The event loop gets a turn between pages. */
  readonly pageRows?: number;
}

/**
 * What is left of a plan behind `key`, when `rows` of its rows were read; undefined when nothing
 * is.
 */
export function planAfter(plan: ReadPlan, key: Uint8Array, rows: number): ReadPlan | undefined {
  const { limit } = plan;
  if (limit !== undefined && rows >= limit) return undefined;
  const ranges = rangesAfter(plan.ranges, key, plan.reversed);
  return ranges.length === 0
    ? undefined
    : { ...plan, ranges, ...(limit === undefined ? {} : { limit: limit - rows }) };
}
