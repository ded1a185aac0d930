/**
 * The pairs of the write buffer in key order: a list of leaves, each a sorted list of pairs. The
 * pairs of a commit arrive in key order and are merged leaf by leaf.
 */
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

/** Sorted pairs. */
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

  constructor(readonly arena: PairArena) {}

  /** Number of pairs. */
  get size(): number {
    return this.#size;
  }

  /** Returns the pair with the key in `[start, end)` of a buffer, or `noPair`. */
  find(key: Uint8Array, start: number, end: number): PairRef {
    this.#lastFound = false;
    if (this.#size === 0) return noPair;
    const { arena } = this;
    const leaf = this.#leaves[this.#leafOf(key, start, end)];
    const index = this.#lowerBound(leaf, key, start, end, this.#lastIndex);
    this.#lastIndex = index;
    this.#lastFound =
      index < leaf.length && arena.compareKey(leaf.refs[index], key, start, end) === 0;
    return this.#lastFound ? leaf.refs[index] : noPair;
  }

  /**
   * Like `find`, for a key that is greater than the one that was searched last. Rows that are
   * written again arrive in the order in which they are buffered: the next pair is compared first.
   */
  findNext(key: Uint8Array, start: number, end: number): PairRef {
    const leaf = this.#leaves[this.#lastLeaf];
    if (leaf === undefined) return noPair;
    const { refs, length } = leaf;
    const first = this.#lastFound ? this.#lastIndex + 1 : this.#lastIndex;
    this.#lastFound = false;
    if (first >= length) return this.#findInNextLeaf(key, start, end);
    const order = this.arena.compareKey(refs[first], key, start, end);
    if (order < 0) return this.find(key, start, end);
    this.#lastIndex = first;
    this.#lastFound = order === 0;
    return this.#lastFound ? refs[first] : noPair;
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

  /** Like `findNext`, for a key that is greater than all of the leaf that was searched last. */
  #findInNextLeaf(key: Uint8Array, start: number, end: number): PairRef {
    const next = this.#leaves[this.#lastLeaf + 1];
    let order = 1;
    if (next !== undefined) order = this.arena.compareKey(next.refs[0], key, start, end);
    if (order < 0) return this.find(key, start, end);
    if (order > 0) {
      this.#lastIndex = this.#leaves[this.#lastLeaf].length;
      return noPair;
    }
    this.#lastLeaf++;
    this.#lastIndex = 0;
    this.#lastFound = true;
    return next.refs[0];
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
    this.#lastIndex = 0;
    let lowShared = 0;
    let highShared = 0;
    const { arena } = this;
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
