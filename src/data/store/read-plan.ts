/** Everything an engine needs to know about a read. */
import { type KeyRange, rangesAfter } from '../../base/index.js';
import type { Filter } from './filter.js';

/** Which rows and cells to read, in which order. */
export interface ReadPlan {
  readonly table: string;
  /**
   * Sorted, disjoint and each non-empty; single keys are given as pointRange. An empty list selects
   * no rows, `[everyKey]` the whole table.
   */
  readonly ranges: readonly KeyRange[];
  /** Returns rows by descending key. The order of cells within a row is unchanged. */
  readonly reversed: boolean;
  /** Maximum number of rows to return, counted after filtering; at least 1. */
  readonly limit?: number;
  /** By default all cells are returned. */
  readonly filter?: Filter;
}

/** How to execute a read; does not affect which rows are returned. */
export interface ReadOptions {
  /** Aborts the read: pending and later calls of `next` reject with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Maximum number of rows per page; default 256. Reads yield to the event loop between pages. */
  readonly pageRows?: number;
  /**
   * Milliseconds that the read may wait for rows, all requests and retries together; without the
   * time that passes between a page and the next call of `next`. Then it rejects with the
   * error of the last request: UNAVAILABLE or QUOTA_EXCEEDED.
   * By default a live engine limits only the time between rows. An embedded engine has no timeouts.
   */
  readonly timeoutMs?: number;
}

/**
 * The rest of a plan after `rows` rows up to `key` have been read; undefined if nothing is left.
 */
export function planAfter(plan: ReadPlan, key: Uint8Array, rows: number): ReadPlan | undefined {
  const { limit } = plan;
  if (limit !== undefined && rows >= limit) return undefined;
  const ranges = rangesAfter(plan.ranges, key, plan.reversed);
  if (ranges.length === 0) return undefined;
  if (limit === undefined) return { ...plan, ranges };
  return { ...plan, ranges, limit: limit - rows };
}
