/** The keys of a batch by bucket: the ranges to look for rows that exist. */
import { compareBytes, type KeyRange, nextKey } from '../../bytes/index.js';

interface Span {
  first: Uint8Array;
  last: Uint8Array;
  /** 1 if keys ascend so far, -1 if they descend. */
  order: number;
}

/** The first and the last key of each bucket. */
export class KeySpans {
  readonly #spans = new Map<string, Span>();
  #isDistinct = true;

  get isEmpty(): boolean {
    return this.#spans.size === 0;
  }

  /** True if no key comes twice, because those of each bucket ascend, or descend. */
  get isDistinct(): boolean {
    return this.#isDistinct;
  }

  /** Adds a key of a bucket. */
  add(key: Uint8Array, bucket: string): void {
    const span = this.#spans.get(bucket);
    if (span === undefined) {
      this.#spans.set(bucket, { first: key, last: key, order: 0 });
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

  /** The ranges from the first to the last key of each bucket. */
  ranges(): readonly KeyRange[] {
    return Array.from(this.#spans.values(), ({ first, last }) => ({
      start: first,
      end: nextKey(last),
    }));
  }
}
