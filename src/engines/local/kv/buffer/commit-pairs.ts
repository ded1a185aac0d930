/** The pairs that a commit has written so far. */
import { compareSlices } from '../../../../base/index.js';
import { noPair, type PairArena, type PairRef, type Piece } from './pair-arena.js';
import type { Slot } from './sorted-pairs.js';

/** Collects the pairs of one commit, in key order. */
export class CommitPairs {
  /** Bytes of the keys and values. */
  bytes = 0;
  /** In key order. Rows that arrive in key order, as in a large request, are appended. */
  readonly #refs: PairRef[] = [];
  /** Where the buffer has each key; -1 where that is not known. */
  readonly #slots: Slot[] = [];

  /** The ranges that were removed. */
  readonly ranges: { readonly start: Uint8Array; readonly end: Uint8Array }[] = [];

  /** The key that was searched last, and the index that was found. */
  #soughtKey: Uint8Array | undefined = undefined;
  #soughtStart = 0;
  #soughtIndex = 0;
  #soughtSlot: Slot = -1;

  readonly #arena: PairArena;

  constructor(arena: PairArena) {
    this.#arena = arena;
    arena.begin();
  }

  get size(): number {
    return this.#refs.length;
  }

  get isEmpty(): boolean {
    return this.#refs.length === 0 && this.ranges.length === 0;
  }

  get refs(): readonly PairRef[] {
    return this.#refs;
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** `value` is undefined where the key is removed. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    const index = this.#indexToWrite(key, 0, key.length);
    this.#insert(index, this.#arena.append(key, value));
  }

  /** Sets the pair in `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of a buffer. */
  setSlice(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    const index = this.#indexToWrite(bytes, keyStart, keyEnd);
    this.#insert(index, this.#arena.appendSlice(bytes, keyStart, keyEnd, valueEnd));
  }

  /** Removes the pairs of a range that were written before, here and in the store. */
  removeRange(start: Uint8Array, end: Uint8Array): void {
    const from = this.lowerBound(start, 0, start.length);
    const to = Math.max(from, this.lowerBound(end, 0, end.length));
    for (const ref of this.#refs.splice(from, to - from)) this.#arena.release(ref);
    this.#slots.splice(from, to - from);
    this.#soughtKey = undefined;
    this.#arena.appendRange(start, end);
    this.bytes += start.length + end.length;
    this.ranges.push({ start: start.slice(), end: end.slice() });
    // The buffer will have changed.
    this.#slots.fill(-1);
  }

  /** True if the key in `[start, end)` of a buffer was removed with a range. */
  isInRange(key: Uint8Array, start: number, end: number): boolean {
    return this.ranges.some(
      (range) =>
        compareSlices(range.start, 0, range.start.length, key, start, end) <= 0 &&
        compareSlices(range.end, 0, range.end.length, key, start, end) > 0,
    );
  }

  /** Returns the pair with the key in `[start, end)` of a buffer, or `noPair`. */
  find(key: Uint8Array, start: number, end: number): PairRef {
    const index = this.lowerBound(key, start, end);
    this.#soughtKey = key;
    this.#soughtStart = start;
    this.#soughtIndex = index;
    this.#soughtSlot = -1;
    if (index === this.#refs.length) return noPair;
    const ref = this.#refs[index];
    return this.#arena.compareKey(ref, key, start, end) === 0 ? ref : noPair;
  }

  /** True when the key that was passed to `find` is greater than all other keys. */
  get isAppending(): boolean {
    return this.#soughtIndex === this.#refs.length && this.#soughtIndex > 0;
  }

  /** Where the buffer has the greatest key; -1 where that is not known. */
  get lastSlot(): Slot {
    return this.#slots[this.#slots.length - 1];
  }

  /** Where the buffer has the key that was passed to `find`, which returned `noPair`. */
  setSlot(slot: Slot): void {
    this.#soughtSlot = this.ranges.length > 0 ? -1 : slot;
  }

  /** Index of the first pair with a key of at least `[start, end)` of a buffer. */
  lowerBound(key: Uint8Array, start: number, end: number): number {
    const refs = this.#refs;
    const arena = this.#arena;
    let high = refs.length;
    if (high === 0 || arena.compareKey(refs[high - 1], key, start, end) < 0) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (arena.compareKey(refs[middle], key, start, end) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The index for a pair that is written. Rows are read before. */
  #indexToWrite(key: Uint8Array, start: number, end: number): number {
    const isSought = key === this.#soughtKey && start === this.#soughtStart;
    this.#soughtKey = undefined;
    if (isSought) return this.#soughtIndex;
    this.#soughtSlot = -1;
    return this.lowerBound(key, start, end);
  }

  #insert(index: number, ref: PairRef): void {
    const arena = this.#arena;
    const refs = this.#refs;
    this.bytes += arena.sizeOf(ref);
    if (index === refs.length) {
      refs.push(ref);
      this.#slots.push(this.#soughtSlot);
    } else if (arena.compare(refs[index], ref) === 0) {
      arena.release(refs[index]);
      refs[index] = ref;
    } else {
      refs.splice(index, 0, ref);
      this.#slots.splice(index, 0, this.#soughtSlot);
    }
  }

  /** Ends the commit; its pairs in the order in which they were written. */
  finish(): readonly Piece[] {
    return this.#arena.finish();
  }

  /** Forgets the pairs of a commit that failed. */
  discard(): void {
    this.#arena.finish();
    for (const ref of this.#refs) this.#arena.release(ref);
  }
}
