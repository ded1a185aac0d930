/**
 * The writes of one commit to blocks. Changes are collected, so that each block is written once
 * however many of its pairs change. Blocks that were read are cached, because the rows of a batch
 * are read before they are written.
 */
import { compareBytes, equalBytes, copyBytes, noBytes } from '../../../../bytes/index.js';
import { blockCount, keyEndOf, lowerBound, pairStart } from './block.js';
import { buildBlock, type Change, splitBlock, isKeyAt, mergeBlock } from './block-merge.js';
import type { BlockSlot, BlockStore } from './block-store.js';
import type { PairCursor, PairListener, PairWriter } from '../ordered-store.js';
import { isRowKey } from '../store-key.js';

/** A block that was read, and its state in the batch. */
interface BatchSlot extends BlockSlot {
  /** Index of the pair after the one that was looked up last. */
  nextIndex: number;
}

/** The changes `[from, to)`, which all belong to one block. */
interface ChangeRange {
  readonly slot: BatchSlot;
  readonly from: number;
  readonly to: number;
}

/** The writer of one commit. */
export class BlockBatch implements PairWriter {
  /** In key order. Rows that arrive in key order, as those of a large request do, are appended. */
  #changes: Change[] = [];
  /** Blocks that were read, by ascending `low`. */
  #slots: BatchSlot[] = [];
  /** The slot that was used last. */
  #current: BatchSlot | undefined = undefined;

  readonly #store: BlockStore;
  readonly #writer: PairWriter;

  /** `writer` writes to the store of the blocks. */
  constructor(store: BlockStore, writer: PairWriter) {
    this.#store = store;
    this.#writer = writer;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (isRowKey(key)) this.#addChange({ kind: 'put', key, value });
    else this.#writer.put(key, value);
  }

  remove(key: Uint8Array): void {
    if (isRowKey(key)) this.#addChange({ kind: 'remove', key, value: undefined });
    else this.#writer.remove(key);
  }

  /** Returns a copy of a row's value, including the changes of this commit. */
  get(key: Uint8Array): Uint8Array | undefined {
    const cursor = this.lookup(key);
    if (!cursor.next()) return undefined;
    return copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
  }

  /** A cursor over the pair of a row, including the changes of this commit. */
  lookup(key: Uint8Array): PairCursor {
    const change = this.#changes[this.#changeIndex(key)];
    if (change !== undefined && equalBytes(change.key, key))
      return new SinglePairCursor(key, change.value, 0, change.value?.length ?? 0);
    const slot = this.#slotOf(key);
    const { block } = slot;
    if (block === undefined) return new SinglePairCursor(key, undefined, 0, 0);
    const { length } = block;
    const count = blockCount(block, 0);
    let index = slot.nextIndex;
    // Rows that arrive in key order are usually neighbours.
    if (index >= count || !isKeyAt(block, count, index, key)) {
      index = lowerBound(block, 0, length, key);
      if (index === count || !isKeyAt(block, count, index, key))
        return new SinglePairCursor(key, undefined, 0, 0);
    }
    slot.nextIndex = index + 1;
    return new SinglePairCursor(
      key,
      block,
      keyEndOf(block, pairStart(block, 0, length, count, index)),
      pairStart(block, 0, length, count, index + 1),
    );
  }

  /** Writes the collected changes to blocks. */
  apply(): void {
    const changes = this.#changes;
    this.#changes = [];
    const ranges: ChangeRange[] = [];
    for (let from = 0; from < changes.length;) {
      const slot = this.#slotOf(changes[from].key);
      let to = from + 1;
      while (to < changes.length && compareBytes(changes[to].key, slot.high) < 0) to++;
      ranges.push({ slot, from, to });
      from = to;
    }
    this.#slots = [];
    this.#current = undefined;
    for (const { slot, from, to } of ranges) this.#writeBlock(slot, changes.slice(from, to));
  }

  #addChange(change: Change): void {
    const index = this.#changeIndex(change.key);
    const next = this.#changes[index];
    if (next === undefined) this.#changes.push(change);
    else if (equalBytes(next.key, change.key)) this.#changes[index] = change;
    else this.#changes.splice(index, 0, change);
  }

  /** Index of the first change whose key is at least `key`. */
  #changeIndex(key: Uint8Array): number {
    const changes = this.#changes;
    let high = changes.length;
    if (high === 0 || compareBytes(changes[high - 1].key, key) < 0) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(changes[middle].key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #writeBlock({ low, block }: BlockSlot, changes: readonly Change[]): void {
    const merged = mergeBlock(block, changes);
    if (merged.pairCount === 0) {
      if (block !== undefined) this.#writer.remove(low);
    } else if (merged.bytes <= this.#store.maxBytes || merged.pairCount === 1) {
      this.#writer.put(low, buildBlock(merged));
    } else {
      for (const { key, content } of splitBlock(merged, this.#store.maxBytes))
        this.#writer.put(key ?? low, buildBlock(content));
    }
  }

  #slotOf(key: Uint8Array): BatchSlot {
    const current = this.#current;
    if (
      current !== undefined &&
      compareBytes(key, current.high) < 0 &&
      compareBytes(current.low, key) <= 0
    )
      return current;
    const index = this.#slotIndex(key);
    let slot = this.#slots[index];
    if (slot === undefined || compareBytes(key, slot.high) >= 0) {
      slot = { ...this.#store.readSlot(key), nextIndex: 0 };
      this.#slots.splice(index + 1, 0, slot);
    }
    this.#current = slot;
    return slot;
  }

  /** Index of the last slot whose `low` is not greater than the key; -1 when there is none. */
  #slotIndex(key: Uint8Array): number {
    let low = 0;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#slots[middle].low, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** A cursor over at most one pair, whose bytes never move. */
class SinglePairCursor implements PairCursor {
  readonly keyBytes: Uint8Array;
  readonly keyStart = 0;
  readonly keyEnd: number;
  valueBytes: Uint8Array;
  listener: PairListener | undefined = undefined;
  #hasNext: boolean;

  constructor(
    key: Uint8Array,
    value: Uint8Array | undefined,
    readonly valueStart: number,
    readonly valueEnd: number,
  ) {
    this.keyBytes = key;
    this.keyEnd = key.length;
    this.valueBytes = value ?? noBytes;
    this.#hasNext = value !== undefined;
  }

  next(): boolean {
    const hasNext = this.#hasNext;
    this.#hasNext = false;
    return hasNext;
  }

  release(): void {
    this.#hasNext = false;
  }
}
