/**
 * The pairs of the write buffer in key order: a list of leaves, each a sorted list of pairs. The
 * pairs of a commit arrive in key order and are merged leaf by leaf.
 */
import { KeyHashes, mayHave } from '../key-filter.js';
import { noPair, type PairArena, type PairRef } from './pair-arena.js';

/** A larger leaf is split. In small leaves, fewer keys that are not cached are compared. */
const maxLeafPairs = 128;
/** Pairs of a leaf after it was split. */
const splitLeafPairs = 80;

/**
 * Where a key is, or would be inserted: its leaf times `slotsPerLeaf`, plus twice its index, plus 1
 * if it exists; -1 where that is not known.
 */
export type Slot = number;
const slotsPerLeaf = 4 * maxLeafPairs;

/** A position: pair `index` of a leaf. */
export interface PairPosition {
  leaf: number;
  index: number;
}

class Leaf {
  refs: Int32Array;

  constructor(
    refs: Int32Array,
    public length: number,
  ) {
    this.refs = refs;
  }
}

/** Where the new pairs of a leaf are inserted; reused. */
let insertAt = new Int32Array(maxLeafPairs);
let inserted = new Int32Array(maxLeafPairs);

/** Sorted pairs of an arena. */
export class SortedPairs {
  /** None is empty. */
  #leaves: Leaf[] = [];
  #size = 0;
  /** The position that was searched last: keys often arrive in order. */
  #lastLeaf = 0;
  #lastIndex = 0;
  #lastFound = false;
  /** Hashes of the keys, and maybe of some that were removed. */
  #hashes = new KeyHashes();
  /** The filter of the keys, once no more are added. */
  #filter: Uint8Array | undefined = undefined;

  constructor(readonly arena: PairArena) {}

  get size(): number {
    return this.#size;
  }

  /** Makes searches for other keys fast. No more pairs are added. */
  buildFilter(): void {
    this.#filter = this.#hashes.filter();
  }

  /** False if no key has this hash. */
  mayHave(hash: number): boolean {
    const filter = this.#filter;
    return filter === undefined || mayHave(filter, 0, filter.length, hash);
  }

  /** Returns the pair with the key in `[start, end)` of a buffer, or `noPair`. */
  find(key: Uint8Array, start: number, end: number): PairRef {
    this.#lastFound = false;
    if (this.#size === 0) return noPair;
    return this.#findInLeaf(this.#leafOf(key, start, end), key, start, end);
  }

  /**
   * Like `find`, for a key that is greater than the one that was searched last. Rows that are
   * written again arrive in the order in which they are buffered: the next pair is compared first,
   * and then the next leaves.
   */
  findNext(key: Uint8Array, start: number, end: number): PairRef {
    const leaf = this.#leaves[this.#lastLeaf];
    const first = this.#lastFound ? this.#lastIndex + 1 : this.#lastIndex;
    this.#lastFound = false;
    if (leaf === undefined) return noPair;
    if (first < leaf.length) {
      const order = this.arena.compareKey(leaf.refs[first], key, start, end);
      this.#lastIndex = order < 0 ? first + 1 : first;
      this.#lastFound = order === 0;
      if (order >= 0) return order === 0 ? leaf.refs[first] : noPair;
    } else this.#lastIndex = leaf.length;
    return this.#findInLeaf(this.#nextLeafOf(key, start, end), key, start, end);
  }

  /** Moves the position to the first pair with a key of at least `key`. */
  seek(position: PairPosition, key: Uint8Array): void {
    position.leaf = 0;
    position.index = 0;
    if (this.#size === 0) return;
    position.leaf = this.#leafOf(key, 0, key.length);
    position.index = this.#lowerBound(this.#leaves[position.leaf], key, 0, key.length, 0);
  }

  /** Returns the pair at the position, or `noPair` after the last one. */
  at(position: PairPosition): PairRef {
    let leaf = this.#leaves[position.leaf];
    if (leaf !== undefined && position.index >= leaf.length) {
      position.leaf++;
      position.index = 0;
      leaf = this.#leaves[position.leaf];
    }
    return leaf === undefined ? noPair : leaf.refs[position.index];
  }

  /** Moves back by one pair and returns it, or `noPair` before the first one. */
  back(position: PairPosition): PairRef {
    if (position.index === 0) {
      if (position.leaf === 0) return noPair;
      position.leaf--;
      position.index = this.#leaves[position.leaf].length;
    }
    position.index--;
    return this.#leaves[position.leaf].refs[position.index];
  }

  /** Where the key that was last passed to `find` is, or would be inserted: see `Slot`. */
  get lastSlot(): Slot {
    if (this.#size === 0) return 0;
    const index = this.#lastIndex * 2 + Number(this.#lastFound);
    return this.#lastLeaf * slotsPerLeaf + index;
  }

  /**
   * Adds pairs, which are in key order, and releases the pairs that they replace. `slots` holds
   * `lastSlot` of each key, since nothing was added or removed, or -1 where it was not searched.
   */
  merge(refs: readonly PairRef[], slots: readonly Slot[]): void {
    const { arena } = this;
    if (this.#leaves.length === 0 && refs.length > 0)
      this.#leaves.push(new Leaf(new Int32Array(maxLeafPairs), 0));
    /** Leaves that were added by splitting other leaves. */
    let added = 0;
    for (let from = 0; from < refs.length;) {
      const chunk = arena.chunkOf(refs[from]);
      let leaf: number;
      if (slots[from] < 0)
        leaf = this.#leafOf(chunk, arena.keyStart(refs[from]), arena.keyEnd(refs[from]));
      else leaf = Math.floor(slots[from] / slotsPerLeaf) + added;
      let to = refs.length;
      if (leaf + 1 < this.#leaves.length) {
        const next = this.#leaves[leaf + 1].refs[0];
        const last = (leaf + 1 - added) * slotsPerLeaf;
        to = from + 1;
        while (
          to < refs.length &&
          (slots[to] < 0 ? arena.compare(refs[to], next) < 0 : slots[to] < last)
        )
          to++;
      }
      const before = this.#leaves.length;
      this.#mergeLeaf(leaf, refs, slots, from, to);
      added += this.#leaves.length - before;
      from = to;
    }
  }

  /** Removes and releases `count` pairs from the position on. */
  remove(position: PairPosition, count: number): void {
    let rest = count;
    const first = position.leaf;
    let leaf = first;
    let { index } = position;
    while (rest > 0) {
      const { refs, length } = this.#leaves[leaf];
      const end = Math.min(length, index + rest);
      for (let i = index; i < end; i++) this.arena.release(refs[i]);
      rest -= end - index;
      refs.copyWithin(index, end, length);
      this.#leaves[leaf].length -= end - index;
      leaf++;
      index = 0;
    }
    this.#size -= count;
    const changed = this.#leaves.slice(first, leaf);
    this.#leaves.splice(first, leaf - first, ...changed.filter(({ length }) => length > 0));
    this.#lastLeaf = 0;
    if (this.#hashes.count > 2 * this.#size + 1024) this.#hashAgain();
  }

  /** Removes and releases the pairs with `start <= key < end`. */
  removeRange(start: Uint8Array, end: Uint8Array): void {
    const from: PairPosition = { leaf: 0, index: 0 };
    const to: PairPosition = { leaf: 0, index: 0 };
    this.seek(from, start);
    this.seek(to, end);
    // A position at the end of a leaf is the beginning of the next one.
    if (this.at(from) === noPair) return;
    this.at(to);
    let count = to.index - from.index;
    for (let leaf = from.leaf; leaf < to.leaf; leaf++) count += this.#leaves[leaf].length;
    if (count > 0) this.remove(from, count);
  }

  /** An independent copy over a clone of the arena. */
  clone(arena: PairArena): SortedPairs {
    const copy = new SortedPairs(arena);
    copy.#leaves = this.#leaves.map(({ refs, length }) => new Leaf(refs.slice(), length));
    copy.#size = this.#size;
    copy.#hashes = this.#hashes.clone();
    copy.#filter = this.#filter;
    return copy;
  }

  #mergeLeaf(
    index: number,
    added: readonly PairRef[],
    slots: readonly Slot[],
    from: number,
    to: number,
  ): void {
    const { arena } = this;
    const leaf = this.#leaves[index];
    const { refs, length } = leaf;
    if (to - from > inserted.length) {
      insertAt = new Int32Array(to - from);
      inserted = new Int32Array(to - from);
    }
    let count = 0;
    let at = 0;
    for (let i = from; i < to; i++) {
      const ref = added[i];
      if (slots[i] < 0)
        at = this.#lowerBound(leaf, arena.chunkOf(ref), arena.keyStart(ref), arena.keyEnd(ref), at);
      else at = (slots[i] % slotsPerLeaf) >>> 1;
      const exists =
        slots[i] < 0 ? at < length && arena.compare(refs[at], ref) === 0 : slots[i] % 2 === 1;
      if (exists) {
        arena.release(refs[at]);
        refs[at] = ref;
      } else {
        insertAt[count] = at;
        inserted[count++] = ref;
        this.#addHash(ref);
      }
    }
    this.#size += count;
    if (length + count <= maxLeafPairs) {
      insertInto(refs, length, count);
      leaf.length = length + count;
      return;
    }
    const merged = new Int32Array(length + count);
    merged.set(length === refs.length ? refs : refs.subarray(0, length));
    insertInto(merged, length, count);
    this.#leaves.splice(index, 1, ...splitLeaf(merged));
  }

  #addHash(ref: PairRef): void {
    const { arena } = this;
    this.#hashes.add(arena.chunkOf(ref), arena.keyStart(ref), arena.keyEnd(ref));
  }

  /** Forgets the hashes of keys that were removed. */
  #hashAgain(): void {
    this.#hashes.count = 0;
    for (const { refs, length } of this.#leaves)
      for (let i = 0; i < length; i++) this.#addHash(refs[i]);
  }

  /** Looks for a key from the last index on. */
  #findInLeaf(index: number, key: Uint8Array, start: number, end: number): PairRef {
    const leaf = this.#leaves[index];
    const at = this.#lowerBound(leaf, key, start, end, this.#lastIndex);
    this.#lastIndex = at;
    this.#lastFound =
      at < leaf.length && this.arena.compareKey(leaf.refs[at], key, start, end) === 0;
    return this.#lastFound ? leaf.refs[at] : noPair;
  }

  /** Like `#leafOf`, for a key that is not before the last leaf, and probably soon after it. */
  #nextLeafOf(key: Uint8Array, start: number, end: number): number {
    const leaves = this.#leaves;
    let low = this.#lastLeaf;
    let high = low + 1;
    for (let step = 1; high < leaves.length; step *= 2) {
      if (!this.#isAtMost(leaves[high], key, start, end)) break;
      low = high;
      high += 2 * step;
    }
    return this.#leafBetween(low, Math.min(high, leaves.length), key, start, end);
  }

  /** Index of the last leaf with a first key that is not greater; 0 when there is none. */
  #leafOf(key: Uint8Array, start: number, end: number): number {
    const leaves = this.#leaves;
    let low = 0;
    let high = leaves.length;
    const last = this.#lastLeaf;
    if (last < high && this.#isAtMost(leaves[last], key, start, end)) {
      low = last;
      if (last + 1 < high && !this.#isAtMost(leaves[last + 1], key, start, end)) return last;
      if (last + 1 < high) low = last + 1;
    } else if (last < high) high = last;
    return this.#leafBetween(low, high, key, start, end);
  }

  /** Like `#leafOf`, from a leaf with a first key that is not greater to the one before `to`. */
  #leafBetween(from: number, to: number, key: Uint8Array, start: number, end: number): number {
    const leaves = this.#leaves;
    const { arena } = this;
    let [low, high] = [from, to];
    let lowShared = 0;
    let highShared = 0;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const shared = Math.min(lowShared, highShared);
      if (arena.compareFrom(leaves[middle].refs[0], key, start, end, shared) <= 0) {
        low = middle;
        lowShared = arena.shared;
      } else {
        high = middle;
        highShared = arena.shared;
      }
    }
    if (low !== this.#lastLeaf) this.#lastIndex = 0;
    this.#lastLeaf = low;
    return low;
  }

  #isAtMost({ refs, length }: Leaf, key: Uint8Array, start: number, end: number): boolean {
    return length === 0 || this.arena.compareKey(refs[0], key, start, end) <= 0;
  }

  /** Index of the first pair with a key of at least `key`, which is probably near `hint`. */
  #lowerBound(
    { refs, length }: Leaf,
    key: Uint8Array,
    start: number,
    end: number,
    hint: number,
  ): number {
    const { arena } = this;
    let low = 0;
    let high = length;
    let lowShared = 0;
    let highShared = 0;
    if (hint > 0 && hint <= high && arena.compareKey(refs[hint - 1], key, start, end) < 0)
      low = hint;
    if (hint < high && hint === low) {
      if (arena.compareKey(refs[hint], key, start, end) >= 0) return hint;
      low = hint + 1;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      const shared = Math.min(lowShared, highShared);
      if (arena.compareFrom(refs[middle], key, start, end, shared) < 0) {
        low = middle + 1;
        lowShared = arena.shared;
      } else {
        high = middle;
        highShared = arena.shared;
      }
    }
    return low;
  }
}

/** Inserts the `count` pairs of `inserted` into the first `length` ones. */
function insertInto(refs: Int32Array, length: number, count: number): void {
  let end = length;
  for (let i = count - 1; i >= 0; i--) {
    const at = insertAt[i];
    if (end > at) refs.copyWithin(at + i + 1, at, end);
    refs[at + i] = inserted[i];
    end = at;
  }
}

function splitLeaf(refs: Int32Array): Leaf[] {
  const count = Math.ceil(refs.length / splitLeafPairs);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * refs.length) / count);
    const to = Math.floor(((i + 1) * refs.length) / count);
    const leaf = new Leaf(new Int32Array(maxLeafPairs), to - from);
    leaf.refs.set(refs.subarray(from, to));
    return leaf;
  });
}
