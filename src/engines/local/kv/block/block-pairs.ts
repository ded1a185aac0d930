/** A walk over the pairs of blocks, which points at them where they lie. */
import { compareSlices, nextKey, noBytes, copyBytes } from '../../../../bytes/index.js';
import {
  blockCount,
  keyEndOf,
  keyLengthBytes,
  keyStartOf,
  lowerBound,
  pairStart,
} from './block.js';
import type { BlockStore } from './block-store.js';
import type { PairCursor, PairOwner } from '../ordered-store.js';
import { tableOfKey } from '../store-key.js';

/** The pairs with `start <= key < until`, in either direction. */
export class BlockPairs implements PairCursor, PairOwner {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  owner: PairOwner | undefined = undefined;

  /** The walk below; it stands on the block in hand. */
  #below: PairCursor | undefined = undefined;
  #bytes: Uint8Array = noBytes;
  #base = 0;
  #end = 0;
  #count = 0;
  /** Pairs `[at, stop)` of the block are still to come; reversed, from `stop - 1` down to `at`. */
  #at = 0;
  #stop = 0;
  /** Forwards, where pair `at` begins: the end of the pair before it. */
  #nextStart = 0;
  /** True while `below` is the walk downwards that found the first block of a walk upwards. */
  #finding = false;
  /** True when no further block can hold any of the range. */
  #last = false;
  #started = false;
  #done = false;
  #version = -1;

  readonly #store: BlockStore;
  #start: Uint8Array;
  #until: Uint8Array;
  readonly #reversed: boolean;
  readonly #single: boolean;

  /** `single`: the range is one key, so that no block but the first can hold it. */
  constructor(
    store: BlockStore,
    start: Uint8Array,
    until: Uint8Array,
    reversed: boolean,
    single: boolean,
  ) {
    this.#store = store;
    this.#start = start;
    this.#until = until;
    this.#reversed = reversed;
    this.#single = single;
  }

  next(): boolean {
    if (this.#done) return false;
    if (this.#version !== this.#store.version) this.#begin();
    while (this.#at === this.#stop) {
      if (this.#last || !this.#nextBlock()) {
        this.close();
        return false;
      }
    }
    if (this.#reversed)
      this.#stand(
        pairStart(this.#bytes, this.#base, this.#end, this.#count, --this.#stop),
        this.#stop + 1,
      );
    else this.#stand(this.#nextStart, ++this.#at);
    return true;
  }

  close(): void {
    this.#done = true;
    this.#below?.close();
    this.#below = undefined;
  }

  pairMoved(pairs: PairCursor): void {
    this.keyBytes = this.valueBytes = this.#bytes = pairs.valueBytes;
    this.owner?.pairMoved(this);
  }

  /** `next` is the index of the pair behind. */
  #stand(start: number, next: number): void {
    const bytes = this.#bytes;
    this.keyStart = start + keyLengthBytes;
    this.keyEnd = this.valueStart = keyEndOf(bytes, start);
    this.valueEnd = this.#nextStart = pairStart(bytes, this.#base, this.#end, this.#count, next);
    this.#started = true;
  }

  /** Finds the first block, or, after a commit, the one behind the current pair. */
  #begin(): void {
    if (this.#started) {
      const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
      if (this.#reversed) this.#until = key;
      else this.#start = nextKey(key);
    }
    this.#started = false;
    this.#version = this.#store.version;
    this.#at = this.#stop = 0;
    this.#last = false;
    this.#finding = !this.#reversed;
    this.#below?.close();
    // Reversed, the walk below goes on downwards; forwards it only finds the block that the start
    // may lie in.
    this.#below = this.#store.blocks.scan(
      tableOfKey(this.#start),
      this.#reversed ? this.#until : nextKey(this.#start),
      true,
    );
    this.#below.owner = this;
    if (this.#below.next()) this.#enter();
    else if (this.#reversed || this.#single) this.#last = true;
    else this.#goOnBehind(this.#start);
  }

  #nextBlock(): boolean {
    if (this.#below === undefined) return false;
    if (this.#finding)
      this.#goOnBehind(copyBytes(this.#below.keyBytes, this.#below.keyStart, this.#below.keyEnd));
    if (!this.#below.next()) return false;
    this.#enter();
    return true;
  }

  #goOnBehind(key: Uint8Array): void {
    this.#below!.close();
    this.#finding = false;
    this.#below = this.#store.blocks.scan(nextKey(key), this.#until, false);
    this.#below.owner = this;
  }

  /**
   * Takes the block that the walk below stands on, and those of its pairs that are in the range.
   */
  #enter(): void {
    const below = this.#below!;
    const { valueBytes: bytes, valueStart: base, valueEnd: end } = below;
    this.keyBytes = this.valueBytes = this.#bytes = bytes;
    this.#base = base;
    this.#end = end;
    const count = (this.#count = blockCount(bytes, base));
    const holdsStart =
      compareSlices(
        below.keyBytes,
        below.keyStart,
        below.keyEnd,
        this.#start,
        0,
        this.#start.length,
      ) <= 0;
    this.#at = holdsStart ? lowerBound(bytes, base, end, this.#start) : 0;
    this.#stop = this.#reaches(count)
      ? Math.max(this.#at, lowerBound(bytes, base, end, this.#until))
      : count;
    this.#nextStart = pairStart(bytes, base, end, count, this.#at);
    this.#last = this.#single || (this.#reversed ? holdsStart : this.#stop < count);
  }

  /** Whether the last pair of the block is at or past the end of the range. */
  #reaches(count: number): boolean {
    const bytes = this.#bytes;
    const until = this.#until;
    const start = pairStart(bytes, this.#base, this.#end, count, count - 1);
    return (
      compareSlices(bytes, keyStartOf(start), keyEndOf(bytes, start), until, 0, until.length) >= 0
    );
  }
}
