/**
 * Figures of one window of accesses. Totals over the whole recording would hide all of them: a
 * write front that moves through the table touches each part of it equally often.
 */
import { compareBytes, latin1Text } from '../../bytes/index.js';
import type { KeySample } from '../access-log.js';
import type { Buckets } from '../grid/buckets.js';

/** Figures that tell the patterns of access apart; shares are from 0 to 1. */
export interface WindowFigures {
  /** Samples that the figures rest on. */
  readonly operations: number;
  readonly writes: number;
  /** Share of the writes whose key is greater than all before, or smaller. */
  readonly append: number;
  /** `append` less the share that writes in random order would have. */
  readonly excessAppend: number;
  /** Spearman's rank correlation of the writes' keys with their time, from -1 to 1. */
  readonly rho: number;
  /** Share of the busiest 5 % of the buckets. */
  readonly busiest: number;
  /** Share of the buckets with operations. */
  readonly active: number;
}

/** The least and the greatest key written so far. */
export class KeyExtremes {
  #least: Uint8Array | undefined;
  #greatest: Uint8Array | undefined;
  #seen = 0;

  /** Appends of a window's writes, and the number expected of keys in random order. */
  add(writes: readonly KeySample[]): { readonly appends: number; readonly expected: number } {
    let appends = 0;
    let expected = 0;
    for (const { key } of writes) {
      this.#seen++;
      expected += Math.min(1, 2 / this.#seen);
      if (this.#extends(key)) appends++;
    }
    return { appends, expected };
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
  const { appends, expected } = extremes.add(writes);
  const counts = new Array<number>(buckets.count).fill(0);
  for (const { key } of samples) counts[buckets.indexOf(key)]++;
  const ordered = counts.toSorted((a, b) => b - a);
  const busy = ordered.slice(0, Math.max(1, Math.floor(buckets.count / 20)));
  return {
    operations: samples.length,
    writes: writes.length,
    append: share(appends, writes.length),
    excessAppend: share(Math.max(0, appends - expected), writes.length),
    rho: rankCorrelation(writes.map(({ key }) => latin1Text(key))),
    busiest: share(
      busy.reduce((sum, count) => sum + count, 0),
      samples.length,
    ),
    active: share(counts.filter((count) => count > 0).length, buckets.count),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Spearman's correlation of texts with their position; equal texts share their mean rank. */
function rankCorrelation(texts: readonly string[]): number {
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
