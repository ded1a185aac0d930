/** The store of blocks, as its cursors and its writer see it. */
import type { OrderedStore } from '../ordered-store.js';

/** The block of the keys `low <= key < high`. */
export interface BlockSlot {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
  /** Undefined where there is no block yet. */
  readonly block: Uint8Array | undefined;
}

export interface Blocks {
  /** Counts commits, so that open cursors notice that blocks changed. */
  readonly version: number;
  readonly blocks: OrderedStore;
  /** A block of more bytes is split. */
  readonly maxBytes: number;
  /** Reads a copy of the block that a row belongs to. */
  readSlot(key: Uint8Array): BlockSlot;
  /** Reads a copy of the block with exactly this key, if it exists. */
  readBlock(key: Uint8Array): BlockSlot | undefined;
}
