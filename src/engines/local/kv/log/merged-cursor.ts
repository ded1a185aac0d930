/** The cursor over buffered pairs and the pairs below them, which they replace. */
import { compareSlices, noBytes } from '../../../../base/index.js';
import type { PairCursor, PairListener } from '../ordered-store.js';
import { CurrentPair, RangeCursor } from '../range-cursor.js';
import { noPair, type PairArena, type PairRef, removedLength } from './pair-arena.js';
import type { PairWalk } from './pair-walk.js';

/** What a cursor reads: buffered pairs, and those below. */
export interface MergedSource {
  readonly arena: PairArena;
  /** Changes when pairs were added to either, or removed. */
  readonly version: number;
  /** The buffered pairs with `start <= key < end`. */
  walk(start: Uint8Array, end: Uint8Array, reversed: boolean): PairWalk;
  /** The pairs below. */
  scanBelow(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor;
}

/** Iterates over the pairs of a key range in either direction. */
export class MergedCursor extends RangeCursor implements PairListener {
  #below: PairCursor | undefined = undefined;
  /** True when `below` is at a pair that was not returned yet. */
  #hasBelow = false;
  /** True when the current pair is the pair of `below`. */
  #isBelow = false;
  #walk: PairWalk | undefined = undefined;
  /** The next buffered pair. */
  #next: PairRef = noPair;
  #version = -1;

  readonly #source: MergedSource;

  constructor(source: MergedSource, start: Uint8Array, end: Uint8Array, reversed: boolean) {
    super(start, end, reversed);
    this.#source = source;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.#version !== this.#source.version) this.#seek();
    else if (this.#isBelow) this.#hasBelow = this.#below!.next();
    for (;;) {
      if (this.#next === noPair) return this.#takeBelow();
      const order = this.#hasBelow ? this.#compare() : 1;
      if (order < 0) return this.#takeBelow();
      const ref = this.#next;
      this.#next = this.#walk!.next();
      if (order === 0) this.#hasBelow = this.#below!.next();
      if (this.#takeBuffered(ref)) return true;
    }
  }

  seek(key: Uint8Array): void {
    if (this.done) return;
    if (this.reversed) this.end = key;
    else this.start = key;
    this.positioned = false;
    const source = this.#source;
    if (this.#version !== source.version) return;
    if (this.#next !== noPair && this.#isBefore(this.#next, key)) {
      this.#walk = source.walk(this.start, this.end, this.reversed);
      this.#next = this.#walk.next();
    }
    // Otherwise the pair below is the next one, or there is none.
    if (this.#isBelow || (this.#hasBelow && this.#isBelowBefore(key))) this.#seekBelow(key);
    this.#isBelow = false;
  }

  release(): void {
    this.done = true;
    this.#below?.release();
    this.#below = undefined;
    this.#walk = undefined;
  }

  onPairMoved(below: PairCursor): void {
    if (!this.#isBelow) return;
    this.keyBytes = below.keyBytes;
    this.valueBytes = below.valueBytes;
    this.listener?.onPairMoved(this);
  }

  /** Order of the pair below and the next buffered one, in the direction of the scan. */
  #compare(): number {
    const { keyBytes, keyStart, keyEnd } = this.#below!;
    const order = this.#source.arena.compareKey(this.#next, keyBytes, keyStart, keyEnd);
    return this.reversed ? order : -order;
  }

  /** True if a seek to the key skips the pair. */
  #isBefore(ref: PairRef, key: Uint8Array): boolean {
    const order = this.#source.arena.compareKey(ref, key, 0, key.length);
    return this.reversed ? order >= 0 : order < 0;
  }

  /** True if a seek to the key skips the pair below. */
  #isBelowBefore(key: Uint8Array): boolean {
    const { keyBytes, keyStart, keyEnd } = this.#below!;
    const order = compareSlices(keyBytes, keyStart, keyEnd, key, 0, key.length);
    return this.reversed ? order >= 0 : order < 0;
  }

  #seekBelow(key: Uint8Array): void {
    const below = this.#below!;
    if (below.seek === undefined) {
      below.release();
      this.#openBelow();
    } else below.seek(key);
    this.#hasBelow = this.#below!.next();
  }

  #openBelow(): void {
    this.#below = this.#source.scanBelow(this.start, this.end, this.reversed);
    this.#below.listener = this;
  }

  #takeBelow(): boolean {
    const below = this.#below!;
    if (!this.#hasBelow) {
      this.release();
      return false;
    }
    this.takePair(below);
    this.#isBelow = true;
    return true;
  }

  /** False when the key is removed. */
  #takeBuffered(ref: PairRef): boolean {
    const { arena } = this.#source;
    const length = arena.valueLength(ref);
    if (length === removedLength) return false;
    this.keyBytes = this.valueBytes = arena.chunkOf(ref);
    this.keyStart = arena.keyStart(ref);
    this.keyEnd = this.valueStart = arena.keyEnd(ref);
    this.valueEnd = this.valueStart + length;
    this.#isBelow = false;
    this.positioned = true;
    return true;
  }

  /** Positions before the first pair or, after pairs have changed, after the current one. */
  #seek(): void {
    this.skipCurrent();
    const source = this.#source;
    this.#version = source.version;
    this.positioned = false;
    this.#isBelow = false;
    this.#below?.release();
    this.#walk = source.walk(this.start, this.end, this.reversed);
    this.#next = this.#walk.next();
    this.#openBelow();
    this.#hasBelow = this.#below!.next();
  }
}

/** A cursor over at most one pair, with bytes that never move. */
export class OnePairCursor extends CurrentPair implements PairCursor {
  #hasNext = false;

  /** The pair in `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of a buffer. */
  static of(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): OnePairCursor {
    return new OnePairCursor().reset(bytes, keyStart, keyEnd, valueEnd);
  }

  /** Makes it a cursor over another pair. */
  reset(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): this {
    this.keyBytes = this.valueBytes = bytes;
    this.keyStart = keyStart;
    this.keyEnd = this.valueStart = keyEnd;
    this.valueEnd = valueEnd;
    this.#hasNext = true;
    return this;
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

/** True when `[start, end)` of the buffer is the key. */
export function isKey(bytes: Uint8Array, start: number, end: number, key: Uint8Array): boolean {
  return compareSlices(bytes, start, end, key, 0, key.length) === 0;
}

/** The cursor over no pair. */
export const noPairCursor: PairCursor = Object.freeze({
  keyBytes: noBytes,
  keyStart: 0,
  keyEnd: 0,
  valueBytes: noBytes,
  valueStart: 0,
  valueEnd: 0,
  get listener(): undefined {
    return undefined;
  },
  set listener(_: PairListener | undefined) {
    // Nothing moves.
  },
  next: () => false,
  release() {
    // Holds nothing.
  },
});
