/** A table of a heat map as plain data: what is printed as JSON and embedded in the page. */
import { printable } from '../../base/index.js';
import type { HeatGrid, HeatMetric, KeyNames } from '../heat/index.js';

/** A range of keys. */
export interface HeatBucket {
  /** Its first key, as printable bytes. */
  readonly key: string;
  /** The entity that decodes the key; undefined if none does. */
  readonly entity?: string | undefined;
  /** Names and values of the segments, in key order. */
  readonly segments: readonly (readonly [name: string, value: string])[];
  /** Different keys of the sample in the range. */
  readonly rows: number;
}

/** The heat map of a table. */
export interface HeatTable {
  readonly table: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly columnMs: number;
  readonly columns: number;
  readonly buckets: readonly HeatBucket[];
  /** Rounded values: a bucket in a column is at `column * buckets.length + bucket`. */
  readonly values: Readonly<Record<HeatMetric, readonly number[]>>;
}

/** The data of a grid, with decoded keys. */
export function heatTable(grid: HeatGrid, names: KeyNames): HeatTable {
  const starts = Array.from({ length: grid.buckets.count }, (_, i) => grid.buckets.start(i));
  const row = starts.find((start) => names.modelOf(start) !== undefined) ?? new Uint8Array(0);
  const buckets = starts.map((start, bucket) => {
    const decoded = names.decode(start) ?? names.decodeStart(start, row);
    return {
      key: printable(start),
      entity: decoded?.entity,
      segments: decoded?.segments.map(({ name, text }) => [name, text] as const) ?? [],
      rows: grid.buckets.rows[bucket],
    };
  });
  const rounded = (metric: HeatMetric): readonly number[] =>
    Array.from(grid.values[metric], (value) => Math.round(value));
  const { table, start, columnMs, columns } = grid;
  const values = {
    operations: rounded('operations'),
    reads: rounded('reads'),
    writes: rounded('writes'),
    bytes: rounded('bytes'),
  };
  return { table, start, columnMs, columns, buckets, values };
}

/** `device=a, at=2026-01-05T00:00:00.000Z`, or the bytes of the key. */
export function bucketText({ key, segments }: HeatBucket): string {
  if (segments.length === 0) return key;
  return segments.map(([name, value]) => `${name}=${value}`).join(', ');
}
