/**
 * Figures of one window of accesses. Totals over the whole recording would hide all of them: a
 * write front that moves through the table touches each part of it equally often.
 */
import { compareBytes, latin1Text } from '../../../base/index.js';
import type { KeySample } from '../access-log.js';
import type { Buckets } from '../grid/buckets.js';

/** Figures that tell the patterns of access apart; shares are from 0 to 1. */
export interface WindowFigures {
  /** Samples that the figures rest on. */
  readonly operations: number;
  readonly writes: number;
  /** Share of the writes with a key greater than all before, or smaller. */
  readonly append: number;
  /** `append` less the share that writes in random order would have. */
  readonly excessAppend: number;
  /**
   * Share of the writes outside the keys of all windows before: as `append`, also if writes are a
   * little out of order. 0 in the first window.
   */
  readonly beyond: number;
  /** Spearman's rank correlation of the writes' keys with their time, from -1 to 1. */
  readonly rho: number;
  /** Share of the busiest 5 % of the buckets. */
  readonly busiest: number;
  /** Share of the buckets with operations. */
  readonly active: number;
  /** Where the operations are, and the writes alone. */
  readonly places: Places;
  readonly writePlaces: Places;
  /** As `rho`, of the reads, and of the rows that scans return alone. */
  readonly readRho: number;
  readonly scanRho: number;
  /** Rows that scans return. */
  readonly scans: number;
}

/** Runs of neighbouring buckets with operations: the places that are used in a window. */
export interface Places {
  /**
   * Their number, each weighted by its operations (1 / the sum of the squared shares): 1 if one run
   * has all.
   */
  readonly count: number;
  /** Share of the operations in as many of the busiest runs. */
  readonly covered: number;
  /** Share of the buckets that they take. */
  readonly active: number;
  /** The mean bucket, as a share of all of them. */
  readonly middle: number;
}

interface Appends {
  readonly appends: number;
  readonly expected: number;
  /** Writes outside the keys of all windows before. */
  readonly beyond: number;
}

/** The least and the greatest key written so far. */
export class KeyExtremes {
  #least: Uint8Array | undefined;
  #greatest: Uint8Array | undefined;
  #seen = 0;

  /** Appends of a window's writes, and their number in random order. */
  add(writes: readonly KeySample[]): Appends {
    let [appends, expected, beyond] = [0, 0, 0];
    const [least, greatest] = [this.#least, this.#greatest];
    for (const { key } of writes) {
      const isBeyond =
        least !== undefined &&
        greatest !== undefined &&
        (compareBytes(key, least) < 0 || compareBytes(key, greatest) > 0);
      if (isBeyond) beyond++;
      this.#seen++;
      expected += Math.min(1, 2 / this.#seen);
      if (this.#extends(key)) appends++;
    }
    return { appends, expected, beyond };
  }

  #extends(key: Uint8Array): boolean {
    const isFirst = this.#least === undefined || this.#greatest === undefined;
    const isLess = isFirst || compareBytes(key, this.#least!) < 0;
    const isGreater = isFirst || compareBytes(key, this.#greatest!) > 0;
    if (isLess) this.#least = key;
    if (isGreater) this.#greatest = key;
    return isLess || isGreater;
  }
}

/** Figures of samples in the order of time; `extremes` is updated. */
export function windowFigures(
  samples: readonly KeySample[],
  buckets: Buckets,
  extremes: KeyExtremes,
): WindowFigures {
  const writes = samples.filter(({ kind }) => kind === 'write');
  const reads = samples.filter(({ kind }) => kind !== 'write');
  const scans = samples.filter(({ kind }) => kind === 'scan');
  const { appends, expected, beyond } = extremes.add(writes);
  const counts = countsOf(samples, buckets);
  const ordered = counts.toSorted((a, b) => b - a);
  const busy = ordered.slice(0, Math.max(1, Math.floor(buckets.count / 20)));
  return {
    operations: samples.length,
    writes: writes.length,
    append: share(appends, writes.length),
    excessAppend: share(Math.max(0, appends - expected), writes.length),
    beyond: share(beyond, writes.length),
    rho: rankCorrelation(writes.map(({ key }) => latin1Text(key))),
    busiest: share(sum(busy), samples.length),
    active: share(counts.filter((count) => count > 0).length, buckets.count),
    places: placesOf(counts),
    writePlaces: placesOf(countsOf(writes, buckets)),
    readRho: rankCorrelation(reads.map(({ key }) => latin1Text(key))),
    scanRho: rankCorrelation(scans.map(({ key }) => latin1Text(key))),
    scans: scans.length,
  };
}

/** Operations of each bucket. */
export function countsOf(samples: readonly KeySample[], buckets: Buckets): readonly number[] {
  const counts = new Array<number>(buckets.count).fill(0);
  for (const { key } of samples) counts[buckets.indexOf(key)]++;
  return counts;
}

/** Buckets without operations within a run: a window has a sample of its operations. */
export const maxGap = 2;

function placesOf(counts: readonly number[]): Places {
  const runs: number[] = [];
  let [active, weighted, last] = [0, 0, -Infinity];
  counts.forEach((count, bucket) => {
    if (count === 0) return;
    active++;
    weighted += count * (bucket + 0.5);
    if (bucket - last <= maxGap + 1) runs[runs.length - 1] += count;
    else runs.push(count);
    last = bucket;
  });
  const total = sum(runs);
  const squares = runs.reduce((all, count) => all + (count / total) ** 2, 0);
  const count = runs.length === 0 ? 0 : 1 / squares;
  const busiest = runs.toSorted((a, b) => b - a).slice(0, Math.ceil(count - 0.01));
  return {
    count,
    covered: share(sum(busiest), total),
    active: share(active, counts.length),
    middle: share(weighted, total * counts.length),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Spearman's correlation of values with their position; equal values share their mean rank. */
export function rankCorrelation(texts: readonly (string | number)[]): number {
  const count = texts.length;
  const mean = (count - 1) / 2;
  const order = Array.from(texts.keys()).sort((a, b) => {
    if (texts[a] === texts[b]) return 0;
    return texts[a] < texts[b] ? -1 : 1;
  });
  let [covariance, rankVariance, timeVariance] = [0, 0, 0];
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && texts[order[to]] === texts[order[from]]) to++;
    const rank = (from + to - 1) / 2 - mean;
    for (const position of order.slice(from, to)) {
      covariance += rank * (position - mean);
      rankVariance += rank * rank;
      timeVariance += (position - mean) ** 2;
    }
    from = to;
  }
  if (rankVariance === 0) return 0;
  return covariance / Math.sqrt(rankVariance * timeVariance);
}

/** The mean of at least one value. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
