/** Ranges of keys with about as many rows each: the vertical axis of a heat map. */
import { latin1Bytes, latin1Text } from '../../../base/index.js';

/** As Key Visualizer divides a table. */
export const maxBuckets = 1000;

/** Ranges of keys, in key order, which together hold all rows. */
export class Buckets {
  /** First key of each bucket, one character per byte. */
  readonly #starts: readonly string[];
  /** Last of the given keys of each bucket. */
  readonly #lasts: readonly string[];
  /** Rows of each bucket: distinct keys that were given. */
  readonly rows: readonly number[];

  private constructor(
    starts: readonly string[],
    lasts: readonly string[],
    rows: readonly number[],
  ) {
    this.#starts = starts;
    this.#lasts = lasts;
    this.rows = rows;
  }

  /** Divides rows into at most `limit` buckets. Keys may be given several times. */
  static of(keys: Iterable<Uint8Array>, limit = maxBuckets): Buckets {
    const texts = new Set<string>();
    for (const key of keys) texts.add(latin1Text(key));
    // UTF-16 units of these texts are bytes, so that they sort like keys.
    const sorted = [...texts].sort();
    const count = Math.min(limit, sorted.length);
    const at = (bucket: number): number => Math.floor((bucket * sorted.length) / count);
    const buckets = Array.from({ length: count }, (_, bucket) => bucket);
    return new Buckets(
      buckets.map((bucket) => sorted[at(bucket)]),
      buckets.map((bucket) => sorted[at(bucket + 1) - 1]),
      buckets.map((bucket) => at(bucket + 1) - at(bucket)),
    );
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The first key of a bucket. */
  start(bucket: number): Uint8Array {
    return latin1Bytes(this.#starts[bucket]);
  }

  /** The last of the given keys of a bucket. */
  last(bucket: number): Uint8Array {
    return latin1Bytes(this.#lasts[bucket]);
  }

  /** The bucket of a key; keys before all rows are in the first one. */
  indexOf(key: Uint8Array): number {
    const text = latin1Text(key);
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle] <= text) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
