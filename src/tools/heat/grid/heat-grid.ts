/** A heat map as numbers: operations and bytes by range of keys and time. */
import type { AccessWindow, TableAccess } from '../access-log.js';
import { Buckets, maxBuckets } from './buckets.js';

/** What a cell of the picture counts. */
export type HeatMetric = 'operations' | 'reads' | 'writes' | 'bytes';

/** The metrics, in the order in which they are offered. */
export const heatMetrics: readonly HeatMetric[] = ['operations', 'reads', 'writes', 'bytes'];

/** Size of a grid. */
export interface GridOptions {
  /** Ranges of keys, at most; default 1,000. */
  readonly maxBuckets?: number;
  /** Intervals of time, at most; default 720. Longer recordings have longer intervals. */
  readonly maxColumns?: number;
}

/** Values by column (interval of time) and bucket (range of keys). */
export interface HeatGrid {
  readonly table: string;
  readonly buckets: Buckets;
  /** Start of the first column, in milliseconds since 1970. */
  readonly start: number;
  /** Length of a column in milliseconds. */
  readonly columnMs: number;
  readonly columns: number;
  /** The value of a bucket in a column is at `column * buckets.count + bucket`. */
  readonly values: Readonly<Record<HeatMetric, Float64Array>>;
}

/** The grid of a table; undefined if nothing was recorded. */
export function heatGrid(
  { table, windows }: TableAccess,
  windowMs: number,
  options: GridOptions = {},
): HeatGrid | undefined {
  if (windows.length === 0) return undefined;
  const { maxColumns = 720 } = options;
  const buckets = Buckets.of(keysOf(windows), options.maxBuckets ?? maxBuckets);
  if (buckets.count === 0) return undefined;
  const { start } = windows[0];
  const spanned = (windows[windows.length - 1].start - start) / windowMs + 1;
  const columnMs = windowMs * Math.ceil(spanned / maxColumns);
  const columns = Math.ceil((spanned * windowMs) / columnMs);
  const empty = (): Float64Array => new Float64Array(columns * buckets.count);
  const grid = {
    table,
    buckets,
    start,
    columnMs,
    columns,
    values: { operations: empty(), reads: empty(), writes: empty(), bytes: empty() },
  };
  for (const window of windows) addWindow(grid, window);
  return grid;
}

function* keysOf(windows: readonly AccessWindow[]): Iterable<Uint8Array> {
  for (const { samples } of windows) for (const { key } of samples) yield key;
}

/** Adds the samples of a window, each for as many operations as it stands for. */
function addWindow({ buckets, start, columnMs, values }: HeatGrid, window: AccessWindow): void {
  const column = Math.floor((window.start - start) / columnMs);
  const weight = (window.reads + window.writes) / window.samples.length;
  for (const { key, kind, bytes } of window.samples) {
    const cell = column * buckets.count + buckets.indexOf(key);
    values.operations[cell] += weight;
    values[kind === 'write' ? 'writes' : 'reads'][cell] += weight;
    values.bytes[cell] += bytes * weight;
  }
}
