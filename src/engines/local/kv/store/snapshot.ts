/** The pairs of a store at one moment. */
import type { SortedPairs } from '../buffer/sorted-pairs.js';
import type { Levels } from '../levels/levels.js';

export interface StoreSnapshot {
  /** Tables, which are not removed before `release`. */
  readonly levels: Levels;
  /** Buffers, the newest first; later writes do not change them. */
  readonly buffers: readonly SortedPairs[];
  release(): void;
}
