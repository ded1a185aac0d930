/** Cursors over at most one pair. */
import type { PairCursor } from './ordered-store.js';
import { CurrentPair } from './range-cursor.js';

/** A cursor over at most one pair. */
export class OnePairCursor extends CurrentPair implements PairCursor {
  #hasNext = false;

  /** Makes it a cursor over `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of a buffer. */
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

/** The cursor over no pair. */
export const noPairCursor: PairCursor = Object.freeze(new OnePairCursor());
