/** The pairs that a commit has written so far. */
import { noPair, type PairArena, type PairRef, type Piece } from './pair-arena.js';

/** Collects the pairs of one commit, in key order. */
export class CommitPairs {
  /** Bytes of the keys and values. */
  bytes = 0;
  /** Changes with every write, so that open cursors notice. */
  version = 0;
  /** In key order. Rows that arrive in key order, as those of a large request do, are appended. */
  readonly #refs: PairRef[] = [];

  /** The key that was searched last, and the index that was found. */
  #soughtKey: Uint8Array | undefined = undefined;
  #soughtIndex = 0;

  readonly #arena: PairArena;

  constructor(arena: PairArena) {
    this.#arena = arena;
    arena.begin();
  }

  get size(): number {
    return this.#refs.length;
  }

  get refs(): readonly PairRef[] {
    return this.#refs;
  }

  /** `value` is undefined where the key is removed. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    const arena = this.#arena;
    // Rows are read before they are written.
    const index = key === this.#soughtKey ? this.#soughtIndex : this.lowerBound(key);
    this.#soughtKey = undefined;
    const refs = this.#refs;
    const ref = arena.append(key, value);
    this.bytes += arena.sizeOf(ref);
    this.version++;
    if (index === refs.length) refs.push(ref);
    else if (arena.compareKey(refs[index], key, 0, key.length) === 0) {
      arena.release(refs[index]);
      refs[index] = ref;
    } else refs.splice(index, 0, ref);
  }

  /** Returns the pair with the key, or `noPair`. */
  find(key: Uint8Array): PairRef {
    const index = this.lowerBound(key);
    this.#soughtKey = key;
    this.#soughtIndex = index;
    if (index === this.#refs.length) return noPair;
    const ref = this.#refs[index];
    return this.#arena.compareKey(ref, key, 0, key.length) === 0 ? ref : noPair;
  }

  /** Index of the first pair whose key is at least `key`. */
  lowerBound(key: Uint8Array): number {
    const refs = this.#refs;
    const arena = this.#arena;
    let high = refs.length;
    if (high === 0 || arena.compareKey(refs[high - 1], key, 0, key.length) < 0) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (arena.compareKey(refs[middle], key, 0, key.length) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
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
