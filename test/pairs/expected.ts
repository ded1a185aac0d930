/** What follows from rows, computed in plain JavaScript. */
import type { Item } from './declare.js';
import type { ItemKey } from './calls.js';

/** The values of a bucket of the rollup. */
export interface Bucket {
  rows: number;
  total: bigint;
  /** Rows that have a total. */
  totals: number;
  least?: bigint | undefined;
  most?: bigint | undefined;
}

const bucketMillis = 30 * 60_000;
export const bucketOf = ({ tenant, at }: Pick<ItemKey, 'tenant' | 'at'>): string =>
  `${tenant}/${new Date(Math.floor(at.getTime() / bucketMillis) * bucketMillis).toISOString()}`;

export const emptyBucket = (): Bucket => ({ rows: 0, total: 0n, totals: 0 });

/** Adds rows to buckets; `expired` ones are not there any more. */
export function addRows(
  buckets: Map<string, Bucket>,
  rows: Iterable<Pick<Item, 'tenant' | 'at' | 'total'>>,
): void {
  for (const row of rows) {
    const name = bucketOf(row);
    const bucket = buckets.get(name) ?? emptyBucket();
    buckets.set(name, bucket);
    bucket.rows++;
    if (row.total === undefined) continue;
    bucket.totals++;
    bucket.total += row.total;
    if (bucket.least === undefined || row.total < bucket.least) bucket.least = row.total;
    if (bucket.most === undefined || row.total > bucket.most) bucket.most = row.total;
  }
}

/** What rows that have expired leave in their buckets: all of `before` that is not in `after`. */
export function addExpired(
  buckets: Map<string, Bucket>,
  before: readonly Item[],
  after: readonly Item[],
): void {
  const left = new Map<string, Bucket>();
  const were = new Map<string, Bucket>();
  addRows(were, before);
  addRows(left, after);
  for (const [name, was] of were) {
    const is = left.get(name) ?? emptyBucket();
    const bucket = buckets.get(name) ?? emptyBucket();
    buckets.set(name, bucket);
    bucket.rows += was.rows - is.rows;
    bucket.totals += was.totals - is.totals;
    bucket.total += was.total - is.total;
  }
}
