/** The cursor over the pairs of blocks, which are read in place. */
import { compareSlices, copyBytes, nextKey, noBytes } from '../../../../base/index.js';
import {
  blockCount,
  keyEndOf,
  keyLengthBytes,
  keyStartOf,
  lowerBound,
  pairStart,
} from './block.js';
import type { Blocks } from './blocks.js';
import type { PairCursor, PairListener } from '../ordered-store.js';
import { RangeCursor } from '../range-cursor.js';
import { tableOfKey } from '../store-key.js';

/** Iterates over the pairs of a key range in either direction. */
export class BlockCursor extends RangeCursor implements PairListener {
  /** Cursor of the underlying store, at the current block. */
  #blocks: PairCursor | undefined = undefined;
  /** The current block: `[base, blockEnd)` of the bytes, with so many pairs. */
  #bytes: Uint8Array = noBytes;
  #base = 0;
  #blockEnd = 0;
  #count = 0;
  /** Pairs `[index, limit)` of the block are still to be returned, from the end if reversed. */
  #index = 0;
  #limit = 0;
  /** Start of pair `index`, which is the end of the pair before it. Not used if reversed. */
  #nextStart = 0;
  /**
   * True while `blocks` is the descending cursor that found the first block of an ascending scan.
   */
  #onFloorBlock = false;
  /** True when no further block can hold keys of the range. */
  #isLastBlock = false;
  #version = -1;

  readonly #store: Blocks;
  readonly #isPoint: boolean;

  /**
   * Iterates over `start <= key < end`. `isPoint` is true when the range is one key, which
   * only the first block can hold.
   */
  constructor(
    store: Blocks,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
    isPoint: boolean,
  ) {
    super(start, end, reversed);
    this.#store = store;
    this.#isPoint = isPoint;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.#version !== this.#store.version) this.#seek();
    while (this.#index === this.#limit) {
      if (this.#isLastBlock || !this.#nextBlock()) {
        this.release();
        return false;
      }
    }
    if (this.reversed) {
      this.#limit--;
      const start = pairStart(this.#bytes, this.#base, this.#blockEnd, this.#count, this.#limit);
      this.#setPair(start, this.#limit + 1);
    } else {
      this.#index++;
      this.#setPair(this.#nextStart, this.#index);
    }
    return true;
  }

  seek(key: Uint8Array): void {
    if (this.done) return;
    if (this.reversed) this.end = key;
    else this.start = key;
    this.positioned = false;
    // The key may be outside of the current block.
    if (this.#version !== this.#store.version || !this.#seekInBlock(key)) this.#version = -1;
  }

  release(): void {
    this.done = true;
    this.#blocks?.release();
    this.#blocks = undefined;
  }

  onPairMoved(blocks: PairCursor): void {
    this.keyBytes = this.valueBytes = this.#bytes = blocks.valueBytes;
    this.listener?.onPairMoved(this);
  }

  /** `nextIndex` is the index of the following pair. */
  #setPair(start: number, nextIndex: number): void {
    const bytes = this.#bytes;
    this.keyStart = start + keyLengthBytes;
    this.keyEnd = this.valueStart = keyEndOf(bytes, start);
    this.valueEnd = this.#nextStart = pairStart(
      bytes,
      this.#base,
      this.#blockEnd,
      this.#count,
      nextIndex,
    );
    this.positioned = true;
  }

  /**
   * Seeks to the first pair or, after a commit changed blocks, to the one after the current pair.
   */
  #seek(): void {
    this.skipCurrent();
    this.positioned = false;
    this.#version = this.#store.version;
    this.#index = this.#limit = 0;
    this.#isLastBlock = false;
    this.#onFloorBlock = !this.reversed;
    this.#blocks?.release();
    // If reversed, the descending scan goes through all blocks of the range. Otherwise it only
    // finds the block that may hold the start key, and an ascending scan continues after that
    // block.
    this.#blocks = this.#store.blocks.scan(
      tableOfKey(this.start),
      this.reversed ? this.end : nextKey(this.start),
      true,
    );
    this.#blocks.listener = this;
    if (this.#blocks.next()) this.#enterBlock();
    else if (this.reversed || this.#isPoint) this.#isLastBlock = true;
    else this.#seekBlockAfter(this.start);
  }

  /** False if the first pair after skipping is in another block, as far as that is known. */
  #seekInBlock(key: Uint8Array): boolean {
    if (this.#index === this.#limit) return false;
    const bytes = this.#bytes;
    const index = lowerBound(bytes, this.#base, this.#blockEnd, key);
    if (this.reversed) {
      if (index <= this.#index) return false;
      this.#limit = Math.min(this.#limit, index);
      return true;
    }
    if (index >= this.#limit) return false;
    this.#index = Math.max(this.#index, index);
    this.#nextStart = pairStart(bytes, this.#base, this.#blockEnd, this.#count, this.#index);
    return true;
  }

  #nextBlock(): boolean {
    if (this.#blocks === undefined) return false;
    if (this.#onFloorBlock)
      this.#seekBlockAfter(
        copyBytes(this.#blocks.keyBytes, this.#blocks.keyStart, this.#blocks.keyEnd),
      );
    if (!this.#blocks.next()) return false;
    this.#enterBlock();
    return true;
  }

  #seekBlockAfter(key: Uint8Array): void {
    this.#blocks!.release();
    this.#onFloorBlock = false;
    this.#blocks = this.#store.blocks.scan(nextKey(key), this.end, false);
    this.#blocks.listener = this;
  }

  /** Begins the block that `blocks` is at, with its pairs that are in the range. */
  #enterBlock(): void {
    const blocks = this.#blocks!;
    const { valueBytes: bytes, valueStart: base, valueEnd: end } = blocks;
    this.keyBytes = this.valueBytes = this.#bytes = bytes;
    this.#base = base;
    this.#blockEnd = end;
    const count = (this.#count = blockCount(bytes, base));
    const startKey = this.start;
    const { keyBytes, keyStart, keyEnd } = blocks;
    const holdsStart = compareSlices(keyBytes, keyStart, keyEnd, startKey, 0, startKey.length) <= 0;
    this.#index = 0;
    this.#limit = count;
    if (holdsStart) this.#index = lowerBound(bytes, base, end, startKey);
    if (this.#reachesEndKey(count))
      this.#limit = Math.max(this.#index, lowerBound(bytes, base, end, this.end));
    this.#nextStart = pairStart(bytes, base, end, count, this.#index);
    if (this.#isPoint) this.#isLastBlock = true;
    else if (this.reversed) this.#isLastBlock = holdsStart;
    else this.#isLastBlock = this.#limit < count;
  }

  /** True when the last key of the block is not less than the end of the range. */
  #reachesEndKey(count: number): boolean {
    const bytes = this.#bytes;
    const endKey = this.end;
    const start = pairStart(bytes, this.#base, this.#blockEnd, count, count - 1);
    return (
      compareSlices(bytes, keyStartOf(start), keyEndOf(bytes, start), endKey, 0, endKey.length) >= 0
    );
  }
}
