/** What the cursors of stores have in common. */
import { copyBytes, nextKey, noBytes } from '../../../base/index.js';
import type { PairCursor } from './ordered-store.js';

/** The current pair of a cursor. */
export abstract class CurrentPair {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
}

/** A cursor over a range, which can continue after its current pair when the store has changed. */
export abstract class RangeCursor extends CurrentPair implements PairCursor {
  /** True when there is a current pair. */
  protected positioned = false;
  protected done = false;

  /** The rest of the range: `start <= key < end`. */
  protected start: Uint8Array;
  protected end: Uint8Array;
  protected readonly reversed: boolean;

  constructor(start: Uint8Array, end: Uint8Array, reversed: boolean) {
    super();
    this.start = start;
    this.end = end;
    this.reversed = reversed;
  }

  abstract next(): boolean;
  abstract release(): void;

  /** Removes the current pair, and those before it, from the rest of the range. */
  protected skipCurrent(): void {
    if (!this.positioned) return;
    const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
    if (this.reversed) this.end = key;
    else this.start = nextKey(key);
  }
}
