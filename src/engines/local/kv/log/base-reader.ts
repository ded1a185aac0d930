/**
 * Reads the rows below the buffer that a commit is about to change. Most rows that are written are
 * new, and most new ones are neighbours of pairs that were written lately, so ranges of keys that
 * are known to hold no row are remembered, and the block that was read last.
 */
import { compareBytes, compareSlices, copyBytes, nextKey } from '../../../../base/index.js';
import { blockCount, keyEndOf, keyStartOf, lowerBound, pairStart } from '../block/block.js';
import type { BlockStore } from '../block/block-store.js';
import type { BlockSlot } from '../block/blocks.js';
import type { PairCursor } from '../ordered-store.js';
import { isRowKey } from '../store-key.js';
import { isKey, noPairCursor, OnePairCursor } from './merged-cursor.js';

/** Keys `low <= key < high` that do not exist below the buffer. */
interface EmptyRange {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
}

/** About 3 MiB. All are forgotten when there are more. */
const maxEmptyRanges = 16_384;

/** Reads single pairs during a commit. */
export class BaseReader {
  /** Disjoint, in key order. */
  #empty: EmptyRange[] = [];
  /** Index of the range that was found last. */
  #lastEmpty = 0;
  #slot: BlockSlot | undefined = undefined;

  readonly #store: BlockStore;

  constructor(store: BlockStore) {
    this.#store = store;
  }

  /** A cursor over the one pair with the key in `[start, end)` of a buffer, if it exists. */
  lookup(bytes: Uint8Array, start: number, end: number): PairCursor {
    if (this.#isKnownEmpty(bytes, start, end)) return noPairCursor;
    const key = bytes.subarray(start, end);
    if (!isRowKey(key)) return this.#store.lookup(key);
    const slot = this.#slotOf(key);
    const { block } = slot;
    if (block === undefined) {
      this.#remember(slot.low, slot.high);
      return noPairCursor;
    }
    const { length } = block;
    const count = blockCount(block, 0);
    const index = lowerBound(block, 0, length, key);
    if (index < count) {
      const start = pairStart(block, 0, length, count, index);
      const keyEnd = keyEndOf(block, start);
      if (isKey(block, keyStartOf(start), keyEnd, key)) {
        const end = pairStart(block, 0, length, count, index + 1);
        return OnePairCursor.of(block, keyStartOf(start), keyEnd, end);
      }
    }
    this.#remember(
      index === 0 ? slot.low : nextKey(keyAt(block, index - 1)),
      index === count ? slot.high : keyAt(block, index),
    );
    return noPairCursor;
  }

  /** Must be called before rows `first` to `last` below the buffer change. */
  onChange(first: Uint8Array, last: Uint8Array): void {
    const slot = this.#slot;
    if (slot !== undefined && compareBytes(slot.low, last) <= 0) this.#slot = undefined;
    const ranges = this.#empty;
    let from = Math.max(0, this.#indexOf(first, 0, first.length));
    if (from < ranges.length && compareBytes(ranges[from].high, first) <= 0) from++;
    let to = from;
    while (to < ranges.length && compareBytes(ranges[to].low, last) <= 0) to++;
    ranges.splice(from, to - from);
    this.#lastEmpty = 0;
  }

  #isKnownEmpty(key: Uint8Array, start: number, end: number): boolean {
    // Keys often arrive in order.
    const last = this.#empty[this.#lastEmpty];
    if (
      last !== undefined &&
      compareSlices(last.high, 0, last.high.length, key, start, end) > 0 &&
      compareSlices(last.low, 0, last.low.length, key, start, end) <= 0
    )
      return true;
    const index = this.#indexOf(key, start, end);
    if (index < 0) return false;
    const { high } = this.#empty[index];
    return compareSlices(key, start, end, high, 0, high.length) < 0;
  }

  /** Index of the last range with a `low` that is not greater than the key; -1 without one. */
  #indexOf(key: Uint8Array, start: number, end: number): number {
    const ranges = this.#empty;
    let low = -1;
    let high = ranges.length;
    let last = this.#lastEmpty;
    // Keys often arrive in order.
    if (last < high && compareTo(ranges[last].low, key, start, end) <= 0) {
      low = last++;
      if (last < high && compareTo(ranges[last].low, key, start, end) <= 0) low = last++;
      if (last < high && compareTo(ranges[last].low, key, start, end) > 0) high = last;
    }
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (compareTo(ranges[middle].low, key, start, end) <= 0) low = middle;
      else high = middle;
    }
    this.#lastEmpty = Math.max(0, low);
    return low;
  }

  #remember(low: Uint8Array, high: Uint8Array): void {
    if (this.#empty.length >= maxEmptyRanges) this.#empty = [];
    this.#empty.splice(this.#indexOf(low, 0, low.length) + 1, 0, { low, high });
  }

  #slotOf(key: Uint8Array): BlockSlot {
    const slot = this.#slot;
    if (slot !== undefined && compareBytes(slot.low, key) <= 0 && compareBytes(key, slot.high) < 0)
      return slot;
    return (this.#slot = this.#store.readSlot(key));
  }
}

function compareTo(low: Uint8Array, key: Uint8Array, start: number, end: number): number {
  return compareSlices(low, 0, low.length, key, start, end);
}

function keyAt(block: Uint8Array, index: number): Uint8Array {
  const start = pairStart(block, 0, block.length, blockCount(block, 0), index);
  return copyBytes(block, keyStartOf(start), keyEndOf(block, start));
}
