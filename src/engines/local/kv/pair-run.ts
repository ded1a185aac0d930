/** Pairs in key order from one place: the buffer, a table, or a level of tables. */
import { noBytes } from '../../../base/index.js';

/** A run of pairs with distinct keys, ascending or descending. */
export abstract class PairRun {
  /** The current pair: `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of `bytes`. */
  bytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  valueEnd = 0;
  /** True when the pair says that its key is removed from older runs. */
  isRemoved = false;
  /** Pairs of a run with a smaller age replace pairs of one with a greater age. */
  age = 0;

  /** Moves to the next pair; false at the end. */
  abstract next(): boolean;
  /** Makes the next pair the first with a key of at least `key`, or if reversed less than it. */
  abstract seek(key: Uint8Array): void;
}
