/** Iterates over the pairs of tables that follow each other in key order. */
import { compareBytes } from '../../../../base/index.js';
import type { TableEntry } from './table-entry.js';
import { PairRun } from '../pair-run.js';
import { lengthBytes, lowerBound, pairAt, pairCount, removedBit } from '../tables/block.js';
import type { Table } from '../tables/table.js';
import { emptyWindow } from '../tables/table-source.js';

/** The first blocks are read one by one, and kept in the cache; then more and more at once. */
const cachedBlocks = 3;
const firstAhead = 32 * 1024;
const maxAhead = 256 * 1024;

/** The pairs `start <= key < end` of entries, which are disjoint and in ascending order. */
export class TableRun extends PairRun {
  #table: Table | undefined = undefined;
  /** The range, within the bounds of the current entry. */
  #low: Uint8Array;
  #high: Uint8Array;
  #entry: number;
  #block = -1;
  /** Where the block is in the buffer, and its pairs in the range: `[from, to)`. */
  #at = 0;
  #pair = 0;
  #from = 0;
  #to = 0;
  #reads = 0;
  #ahead = 0;
  readonly #window = emptyWindow();

  readonly #entries: readonly TableEntry[];
  #start: Uint8Array;
  #end: Uint8Array;
  readonly #reversed: boolean;
  readonly #isWhole: boolean;

  /** `isWhole`: all of it is going to be read, so the cache is not used. */
  constructor(
    entries: readonly TableEntry[],
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
    isWhole = false,
  ) {
    super();
    this.#entries = entries;
    this.#start = this.#low = start;
    this.#end = this.#high = end;
    this.#reversed = reversed;
    this.#isWhole = isWhole;
    this.#entry = reversed ? entries.length : -1;
  }

  next(): boolean {
    if (this.#reversed) {
      while (this.#pair <= this.#from) if (!this.#nextBlock()) return false;
      this.#pair--;
    } else {
      while (this.#pair + 1 >= this.#to) if (!this.#nextBlock()) return false;
      this.#pair++;
    }
    const bytes = this.#window.bytes;
    const at = pairAt(bytes, this.#at, this.#pair);
    const length = (bytes[at] << 8) | bytes[at + 1];
    this.bytes = bytes;
    this.keyStart = at + lengthBytes;
    this.keyEnd = this.keyStart + (length & ~removedBit);
    this.isRemoved = length >= removedBit;
    this.valueEnd = this.#table!.pairEnd(bytes, this.#at, this.#pair, this.#block);
    return true;
  }

  seek(key: Uint8Array): void {
    if (this.#reversed) this.#end = key;
    else this.#start = key;
    if (this.#table !== undefined && this.#seekInBlock(key)) return;
    this.#table = undefined;
    this.#entry = this.#reversed ? this.#entries.length : -1;
    this.#from = this.#to = this.#pair = 0;
    this.#reads = 0;
  }

  /** Moves within the current block; false if the key is not in it. */
  #seekInBlock(key: Uint8Array): boolean {
    const { bytes } = this.#window;
    const pair = lowerBound(bytes, this.#at, key, 0, key.length);
    if (this.#reversed) {
      if (pair === 0) return false;
      // The current pair was not returned yet where another run had the one before.
      this.#pair = Math.max(this.#from, Math.min(pair, this.#pair + 1));
      return true;
    }
    if (pair === pairCount(bytes, this.#at)) return false;
    if (this.#table!.compareBlock(this.#block, key) > 0) return false;
    this.#pair = Math.max(pair, this.#from) - 1;
    return true;
  }

  /** Moves to the next block of the range; false at the end. */
  #nextBlock(): boolean {
    for (;;) {
      const table = this.#table;
      if (table !== undefined) {
        const block = this.#block + (this.#reversed ? -1 : 1);
        if (this.#isInRange(table, block)) {
          this.#openBlock(table, block);
          return true;
        }
      }
      if (!this.#nextEntry()) return false;
    }
  }

  #isInRange(table: Table, block: number): boolean {
    if (this.#reversed) {
      // The block after it begins after the start of the range.
      const isLast = block + 1 === table.blocks;
      return block >= 0 && (isLast || table.compareBlock(block + 1, this.#low) > 0);
    }
    return block < table.blocks && table.compareBlock(block, this.#high) < 0;
  }

  /** Moves to the next entry that overlaps with the range, before its first block. */
  #nextEntry(): boolean {
    this.#table = undefined;
    const entries = this.#entries;
    const step = this.#reversed ? -1 : 1;
    for (
      this.#entry += step;
      this.#entry >= 0 && this.#entry < entries.length;
      this.#entry += step
    ) {
      const { start, end, table } = entries[this.#entry];
      if (compareBytes(end, this.#start) <= 0 || compareBytes(start, this.#end) >= 0) continue;
      this.#low = compareBytes(start, this.#start) > 0 ? start : this.#start;
      this.#high = compareBytes(end, this.#end) < 0 ? end : this.#end;
      this.#table = table;
      const bound = this.#reversed ? this.#high : this.#low;
      const block = table.blockOf(bound, 0, bound.length);
      this.#block = this.#reversed ? block + 1 : block - 1;
      this.#from = this.#to = this.#pair = 0;
      this.#window.start = this.#window.end = 0;
      this.#ahead = this.#isWhole ? maxAhead : 0;
      return true;
    }
    return false;
  }

  #openBlock(table: Table, block: number): void {
    if (this.#ahead === 0 && ++this.#reads > cachedBlocks) this.#ahead = firstAhead;
    else if (this.#ahead > 0) this.#ahead = Math.min(maxAhead, 2 * this.#ahead);
    const window = this.#window;
    // The buffer of the cache must not be read over.
    table.read(window, block, this.#ahead, this.#reversed);
    this.#block = block;
    this.#at = table.blockStart(block) - window.base;
    const { bytes } = window;
    const count = pairCount(bytes, this.#at);
    const low = this.#low;
    const high = this.#high;
    this.#from =
      table.compareBlock(block, low) >= 0 ? 0 : lowerBound(bytes, this.#at, low, 0, low.length);
    const isAll = block + 1 < table.blocks && table.compareBlock(block + 1, high) <= 0;
    this.#to = isAll ? count : lowerBound(bytes, this.#at, high, 0, high.length);
    this.#pair = this.#reversed ? Math.max(this.#from, this.#to) : this.#from - 1;
  }
}
