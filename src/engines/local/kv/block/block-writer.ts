/**
 * Writes sorted changes to blocks: each block that they belong to is merged with its changes, split
 * where the result is too large, joined with the next one where both are small, and written once.
 */
import { compareSlices, copyBytes } from '../../../../base/index.js';
import { readUint32, writeUint32 } from '../bytes.js';
import type { PairWriter } from '../ordered-store.js';
import {
  blockCount,
  countBytes,
  keyEndOf,
  keyLengthBytes,
  keyStartOf,
  offsetBytes,
  pairStart,
} from './block.js';
import type { Blocks, BlockSlot } from './blocks.js';

/** Changes of rows, in key order, each key once. */
export interface RowChanges {
  readonly count: number;
  /** The buffer that holds change `index`. */
  bytesOf(index: number): Uint8Array;
  /** Start of the key. */
  keyStart(index: number): number;
  /** End of the key, and start of the value. */
  keyEnd(index: number): number;
  /** End of the value; -1 where the key is removed. */
  valueEnd(index: number): number;
}

/** The blocks to write in place of one that was read. */
interface BlockChange {
  readonly removed: readonly Uint8Array[];
  readonly written: readonly (readonly [key: Uint8Array, block: Uint8Array])[];
}

/** Applies the changes; `writer` writes to the store of the blocks. */
export function writeRows(store: Blocks, changes: RowChanges, writer: PairWriter): void {
  // All blocks are read before the first is written, because writing invalidates cursors.
  const written: BlockChange[] = [];
  const merger = new BlockMerger(changes, store.maxBytes);
  for (let from = 0; from < changes.count;) {
    let slot = store.readSlot(keyOf(changes, from));
    let to = changesBefore(changes, from + 1, slot.high);
    const removed: Uint8Array[] = [];
    merger.merge(slot, from, to);
    while (merger.lastBytes <= store.maxBytes / 2 && slot.block !== undefined) {
      const next = store.readBlock(slot.high);
      if (next === undefined || next.block!.length + merger.lastBytes > store.maxBytes) break;
      removed.push(next.low);
      slot = { low: slot.low, high: next.high, block: joinBlocks(slot.block, next.block!) };
      to = changesBefore(changes, to, slot.high);
      merger.merge(slot, from, to);
    }
    written.push(merger.finish(slot, removed));
    from = to;
  }
  for (const { removed } of written) for (const key of removed) writer.remove(key);
  for (const change of written) for (const [key, block] of change.written) writer.put(key, block);
}

/** Merges the changes of one block at a time. */
class BlockMerger {
  /** Index of a change, or the complement of the index of an old pair, in key order. */
  #items = new Int32Array(256);
  /** Bytes that each takes in a block. */
  #sizes = new Int32Array(256);
  #count = 0;
  /** Index of the first item after each new block. */
  #ends: number[] = [];
  #old: Uint8Array | undefined = undefined;
  /** Bytes of the last of the new blocks. */
  lastBytes = 0;

  readonly #changes: RowChanges;
  readonly #maxBytes: number;

  constructor(changes: RowChanges, maxBytes: number) {
    this.#changes = changes;
    this.#maxBytes = maxBytes;
  }

  /** Merges the changes `[from, to)` into a block. */
  merge({ block }: BlockSlot, from: number, to: number): void {
    const changes = this.#changes;
    this.#old = block;
    const count = block === undefined ? 0 : blockCount(block, 0);
    this.#reserve(count + to - from);
    this.#count = 0;
    let old = 0;
    /** Runs of old pairs, to know where rows arrived. */
    let oldRuns = 0;
    for (let i = from; i < to; i++) {
      const at = old < count ? this.#lowerBound(block!, count, old, i) : old;
      if (at > old) oldRuns++;
      while (old < at) this.#addOld(block!, count, old++);
      if (old < count && this.#compareOld(block!, count, old, i) === 0) old++;
      const valueEnd = changes.valueEnd(i);
      if (valueEnd < 0) continue;
      this.#items[this.#count] = i;
      this.#sizes[this.#count++] = offsetBytes + keyLengthBytes + valueEnd - changes.keyStart(i);
    }
    if (old < count) oldRuns++;
    while (old < count) this.#addOld(block!, count, old++);
    this.#split(oldRuns <= 1);
  }

  /** Builds the new blocks. */
  finish(slot: BlockSlot, joined: readonly Uint8Array[]): BlockChange {
    const removed = [...joined];
    if (this.#count === 0) {
      if (slot.block !== undefined) removed.push(slot.low);
      return { removed, written: [] };
    }
    let from = 0;
    const written = this.#ends.map((to): readonly [Uint8Array, Uint8Array] => {
      const key = from === 0 ? slot.low : this.#separatorBefore(from);
      const block = this.#build(from, to);
      from = to;
      return [key, block];
    });
    return { removed, written };
  }

  /**
   * Rows that arrive in ascending or descending key order leave full blocks behind. Otherwise
   * blocks are split near the middle, where neighbouring keys differ earliest: this is where one
   * device or user ends, and later rows of either find space.
   */
  #split(hasOneOldRun: boolean): void {
    const sizes = this.#sizes;
    const count = this.#count;
    const maxBytes = this.#maxBytes;
    let total = countBytes;
    for (let i = 0; i < count; i++) total += sizes[i];
    this.lastBytes = total;
    this.#ends = [count];
    if (total <= maxBytes || count <= 1) return;
    if (hasOneOldRun && this.#items[count - 1] >= 0) this.#fill();
    else if (hasOneOldRun && this.#items[0] >= 0) this.#fillFromEnd();
    else this.#ends = this.#halve(0, count);
    this.lastBytes = countBytes;
    for (let i = this.#ends.at(-2) ?? 0; i < count; i++) this.lastBytes += sizes[i];
  }

  #fill(): void {
    const ends: number[] = [];
    let bytes = countBytes;
    for (let i = 0; i < this.#count; i++) {
      if (bytes + this.#sizes[i] > this.#maxBytes && bytes > countBytes) {
        ends.push(i);
        bytes = countBytes;
      }
      bytes += this.#sizes[i];
    }
    ends.push(this.#count);
    this.#ends = ends;
  }

  #fillFromEnd(): void {
    const ends: number[] = [this.#count];
    let bytes = countBytes;
    for (let i = this.#count - 1; i >= 0; i--) {
      if (bytes + this.#sizes[i] > this.#maxBytes && bytes > countBytes) {
        ends.push(i + 1);
        bytes = countBytes;
      }
      bytes += this.#sizes[i];
    }
    this.#ends = ends.reverse();
  }

  /** Splits items in two until each part is small enough, within the middle half of its bytes. */
  #halve(from: number, to: number): number[] {
    const sizes = this.#sizes;
    let total = countBytes;
    for (let i = from; i < to; i++) total += sizes[i];
    if (total <= this.#maxBytes || to - from === 1) return [to];
    let best = from + 1;
    let lowestRank = Infinity;
    let before = countBytes;
    for (let i = from; i < to - 1; i++) {
      before += sizes[i];
      const share = Math.min(before, total - before) / total;
      // Outside of the middle half only when a pair is so large that no split point is inside.
      const rank = share < 0.25 ? 10_000 - share : this.#sharedBefore(i + 1) + 1 - share;
      if (rank < lowestRank) [best, lowestRank] = [i + 1, rank];
    }
    return [...this.#halve(from, best), ...this.#halve(best, to)];
  }

  /** Number of bytes that the keys of an item and of the one before it share. */
  #sharedBefore(index: number): number {
    const [left, leftStart, leftEnd] = this.#keyOfItem(index - 1);
    const [right, rightStart] = this.#keyOfItem(index);
    let shared = 0;
    while (leftStart + shared < leftEnd && left[leftStart + shared] === right[rightStart + shared])
      shared++;
    return shared;
  }

  /**
   * The shortest key that is greater than the key before an item and not greater than the key of
   * the item, so that pairs between the two later go to the block on the right.
   */
  #separatorBefore(index: number): Uint8Array {
    const [right, start] = this.#keyOfItem(index);
    return copyBytes(right, start, start + this.#sharedBefore(index) + 1);
  }

  #keyOfItem(index: number): [bytes: Uint8Array, start: number, end: number] {
    const item = this.#items[index];
    const changes = this.#changes;
    if (item >= 0) return [changes.bytesOf(item), changes.keyStart(item), changes.keyEnd(item)];
    const old = this.#old!;
    const start = pairStart(old, 0, old.length, blockCount(old, 0), ~item);
    return [old, keyStartOf(start), keyEndOf(old, start)];
  }

  #build(from: number, to: number): Uint8Array {
    const changes = this.#changes;
    const old = this.#old;
    const oldCount = old === undefined ? 0 : blockCount(old, 0);
    let bytes = countBytes;
    for (let i = from; i < to; i++) bytes += this.#sizes[i];
    const block = new Uint8Array(bytes);
    writeUint32(block, 0, to - from);
    let offsetAt = countBytes;
    let pairAt = countBytes + offsetBytes * (to - from);
    for (let i = from; i < to;) {
      const item = this.#items[i];
      if (item >= 0) {
        writeUint32(block, offsetAt, pairAt);
        offsetAt += offsetBytes;
        const source = changes.bytesOf(item);
        const start = changes.keyStart(item);
        const keyLength = changes.keyEnd(item) - start;
        block[pairAt] = keyLength >>> 8;
        block[pairAt + 1] = keyLength;
        block.set(source.subarray(start, changes.valueEnd(item)), pairAt + keyLengthBytes);
        pairAt += this.#sizes[i] - offsetBytes;
        i++;
        continue;
      }
      // A run of old pairs is copied at once.
      let end = i + 1;
      while (end < to && this.#items[end] === item - (end - i)) end++;
      const start = pairStart(old!, 0, old!.length, oldCount, ~item);
      const stop = pairStart(old!, 0, old!.length, oldCount, ~item + end - i);
      block.set(old!.subarray(start, stop), pairAt);
      for (; i < end; i++) {
        writeUint32(block, offsetAt, pairAt);
        offsetAt += offsetBytes;
        pairAt += this.#sizes[i] - offsetBytes;
      }
    }
    return block;
  }

  #addOld(block: Uint8Array, count: number, index: number): void {
    const { length } = block;
    this.#items[this.#count] = ~index;
    this.#sizes[this.#count++] =
      offsetBytes +
      pairStart(block, 0, length, count, index + 1) -
      pairStart(block, 0, length, count, index);
  }

  /**
   * Index of the first old pair from `low` on with a key at least as great as the key of a change.
   */
  #lowerBound(block: Uint8Array, count: number, low: number, change: number): number {
    // When rows are written again, the next one is usually the neighbour of the last.
    if (this.#compareOld(block, count, low, change) >= 0) return low;
    let first = low + 1;
    let high = count;
    while (first < high) {
      const middle = (first + high) >>> 1;
      if (this.#compareOld(block, count, middle, change) < 0) first = middle + 1;
      else high = middle;
    }
    return first;
  }

  #compareOld(block: Uint8Array, count: number, index: number, change: number): number {
    const changes = this.#changes;
    const start = pairStart(block, 0, block.length, count, index);
    return compareSlices(
      block,
      keyStartOf(start),
      keyEndOf(block, start),
      changes.bytesOf(change),
      changes.keyStart(change),
      changes.keyEnd(change),
    );
  }

  #reserve(items: number): void {
    if (items <= this.#items.length) return;
    this.#items = new Int32Array(items * 2);
    this.#sizes = new Int32Array(items * 2);
  }
}

/** Joins two blocks; all keys of `left` are less than the keys of `right`. */
function joinBlocks(left: Uint8Array, right: Uint8Array): Uint8Array {
  const leftCount = blockCount(left, 0);
  const rightCount = blockCount(right, 0);
  const leftPairs = countBytes + offsetBytes * leftCount;
  const rightPairs = countBytes + offsetBytes * rightCount;
  const joined = new Uint8Array(left.length + right.length - countBytes);
  writeUint32(joined, 0, leftCount + rightCount);
  let offsetAt = countBytes;
  for (let i = 0; i < leftCount; i++, offsetAt += offsetBytes)
    writeUint32(
      joined,
      offsetAt,
      readUint32(left, countBytes + offsetBytes * i) + offsetBytes * rightCount,
    );
  const shift = left.length - countBytes;
  for (let i = 0; i < rightCount; i++, offsetAt += offsetBytes)
    writeUint32(joined, offsetAt, readUint32(right, countBytes + offsetBytes * i) + shift);
  joined.set(left.subarray(leftPairs), offsetAt);
  joined.set(right.subarray(rightPairs), offsetAt + left.length - leftPairs);
  return joined;
}

function keyOf(changes: RowChanges, index: number): Uint8Array {
  return copyBytes(changes.bytesOf(index), changes.keyStart(index), changes.keyEnd(index));
}

/** Index of the first change from `from` on with a key that is not less than `high`. */
function changesBefore(changes: RowChanges, from: number, high: Uint8Array): number {
  let to = from;
  while (
    to < changes.count &&
    compareSlices(
      changes.bytesOf(to),
      changes.keyStart(to),
      changes.keyEnd(to),
      high,
      0,
      high.length,
    ) < 0
  )
    to++;
  return to;
}
