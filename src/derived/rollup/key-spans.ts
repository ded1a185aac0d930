/** The keys of a batch by bucket: the ranges to look for rows that exist. */
import { compareBytes, type KeyRange, nextKey } from '../../bytes/index.js';
import type { Reading } from './reading.js';

interface Span {
  readonly group: string | number | undefined;
  /** The first millisecond of the bucket, or of the last of several. */
  from: number;
  first: Uint8Array;
  last: Uint8Array;
  /** 1 if keys ascend so far, -1 if they descend. */
  order: number;
}

type KnownBucket = Pick<Reading, 'bucketText' | 'group' | 'from'>;

/** The first and the last key of each bucket. */
export class KeySpans {
  readonly #width: number;
  readonly #spans = new Map<string, Span>();
  #isDistinct = true;

  /** `width` is the time from one bucket to the next, in milliseconds. */
  constructor(width: number) {
    this.#width = width;
  }

  get isEmpty(): boolean {
    return this.#spans.size === 0;
  }

  /** True if no key comes twice, because those of each bucket ascend, or descend. */
  get isDistinct(): boolean {
    return this.#isDistinct;
  }

  /** Adds a key of a bucket. */
  add(key: Uint8Array, { bucketText, group, from }: KnownBucket): void {
    const span = this.#spans.get(bucketText);
    if (span === undefined) {
      this.#spans.set(bucketText, { group, from, first: key, last: key, order: 0 });
    } else if (compareBytes(key, span.last) > 0) {
      span.last = key;
      this.#isDistinct &&= span.order >= 0;
      span.order = 1;
    } else if (compareBytes(key, span.first) < 0) {
      span.first = key;
      this.#isDistinct &&= span.order <= 0;
      span.order = -1;
    } else {
      this.#isDistinct = false;
    }
  }

  /**
   * The ranges from the first to the last key of each bucket. Neighbouring buckets are one range:
   * opening one takes longer than reading some rows.
   */
  ranges(): readonly KeyRange[] {
    const spans = [...this.#spans.values()].sort((a, b) => compareBytes(a.first, b.first));
    const merged: Span[] = [];
    for (const span of spans) {
      const before = merged[merged.length - 1];
      if (before === undefined || !this.#areNeighbours(before, span)) merged.push({ ...span });
      else {
        if (compareBytes(span.last, before.last) > 0) before.last = span.last;
        before.from = span.from;
      }
    }
    return merged.map(({ first, last }) => ({ start: first, end: nextKey(last) }));
  }

  #areNeighbours(a: Span, b: Span): boolean {
    if (a.group === undefined || a.group !== b.group) return false;
    return Math.abs(a.from - b.from) === this.#width;
  }
}
