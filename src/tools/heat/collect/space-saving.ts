/** The most frequent keys of a stream in constant memory (Metwally et al., Space-Saving, 2005). */
import { latin1Bytes, latin1Text } from '../../../base/index.js';
import type { TopKey } from '../access-log.js';

interface Counter {
  key: string;
  count: number;
  /** How many of `count` may be operations of other keys. */
  error: number;
  /** Index in the heap. */
  index: number;
}

/**
 * Counts at most `capacity` keys. A key that makes up more than 1/capacity of the stream is always
 * among them, and its count is too great by at most that share.
 */
export class SpaceSaving {
  readonly #capacity: number;
  readonly #counters = new Map<string, Counter>();
  /** Smallest count first: the next one to be replaced. */
  readonly #heap: Counter[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts `weight` operations on the key. */
  add(key: Uint8Array, weight: number): void {
    const text = latin1Text(key);
    let counter = this.#counters.get(text);
    if (counter === undefined) {
      counter = this.#counterFor(text);
      this.#counters.set(text, counter);
    }
    counter.count += weight;
    this.#moveDown(counter);
  }

  /** The keys with the greatest certain counts, greatest first. */
  top(limit: number): readonly TopKey[] {
    return this.#heap
      .toSorted((a, b) => b.count - b.error - (a.count - a.error))
      .slice(0, limit)
      .map(({ key, count, error }) => ({ key: latin1Bytes(key), count, error }));
  }

  /** A new counter, or the one with the smallest count. */
  #counterFor(key: string): Counter {
    if (this.#heap.length >= this.#capacity) {
      const [least] = this.#heap;
      this.#counters.delete(least.key);
      least.key = key;
      least.error = least.count;
      return least;
    }
    const counter = { key, count: 0, error: 0, index: this.#heap.length };
    this.#heap.push(counter);
    this.#moveUp(counter);
    return counter;
  }

  #moveUp(counter: Counter): void {
    while (counter.index > 0) {
      const parent = this.#heap[(counter.index - 1) >> 1];
      if (parent.count <= counter.count) return;
      this.#swap(parent, counter);
    }
  }

  #moveDown(counter: Counter): void {
    for (;;) {
      const left = this.#heap.at(2 * counter.index + 1);
      if (left === undefined || 2 * counter.index + 1 >= this.#heap.length) return;
      const right = this.#heap[left.index + 1] as Counter | undefined;
      const least = right !== undefined && right.count < left.count ? right : left;
      if (least.count >= counter.count) return;
      this.#swap(counter, least);
    }
  }

  #swap(a: Counter, b: Counter): void {
    [a.index, b.index] = [b.index, a.index];
    this.#heap[a.index] = a;
    this.#heap[b.index] = b;
  }
}
