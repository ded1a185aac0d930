/** Storage over a year under the garbage collection rules, and the largest rows and cells. */
import { yearSeconds } from '../population/rates.js';
import type { Population } from '../population/population.js';
import { Random } from '../../values/index.js';
import { RowSizes } from './row-size.js';

/** What a table holds at a time. */
export interface StoragePoint {
  /** Months from now. */
  readonly month: number;
  readonly rows: number;
  readonly cells: number;
  /** Keys, and family, qualifier, timestamp and value of each cell; not compressed. */
  readonly bytes: number;
}

/** Storage of the rows of an entity, without what its indexes and rollups store. */
export interface StorageReport {
  /** Now and after each of 12 months. */
  readonly months: readonly StoragePoint[];
  /** Bytes of a row, on average. */
  readonly meanRowBytes: number;
  /** Bytes of the largest row that the sample found in this year. */
  readonly maxRowBytes: number;
  /** The largest declared value in bytes. */
  readonly maxCellBytes: number;
  /** Seconds that rows are kept; undefined if they stay. */
  readonly retentionSeconds: number | undefined;
}

const sampleSize = 4_096;

/** Estimates the storage; `keyBytes` is the mean length of keys. */
export function storageReport(
  population: Population,
  keyBytes: number,
  seed: number,
): StorageReport {
  const sizes = new RowSizes(population);
  const combinations = population.combinations(sampleSize, new Random(seed));
  const months = Array.from({ length: 13 }, (_, month): StoragePoint => {
    const at = (month * yearSeconds) / 12;
    let [rows, cells, bytes] = [0, 0, 0];
    for (const each of combinations) {
      const stored = sizes.cells(each, at);
      const count = sizes.rows(each, at);
      rows += each.weight * count;
      cells += each.weight * stored.cells;
      bytes += each.weight * (stored.bytes + count * keyBytes);
    }
    return { month, rows, cells, bytes };
  });
  const largest = combinations.map((each) => sizes.largest(each, yearSeconds));
  const { rows, bytes } = months[0];
  return {
    months,
    meanRowBytes: rows === 0 ? 0 : bytes / rows,
    maxRowBytes: Math.max(...largest) + keyBytes,
    maxCellBytes: Math.max(0, ...population.load.columns.map(({ to }) => to)),
    retentionSeconds: sizes.retention === Infinity ? undefined : sizes.retention,
  };
}
