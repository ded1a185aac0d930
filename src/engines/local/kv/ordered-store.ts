/**
 * The one interface the row layer stands on: an ordered map of byte strings with atomic commits.
 * memory-store.ts and disk-store.ts are such maps, and block-store.ts is one that packs the rows of
 * another into blocks. Everything is synchronous; the row layer decides when to give the event loop
 * a turn.
 */

/** Told when the bytes of the current pair were moved to other buffers at the same offsets. */
export interface PairOwner {
  /** Called before the old buffers are overwritten. */
  pairMoved(pairs: PairCursor): void;
}

/**
 * A walk over pairs that points at bytes where they lie. They stay until the next call of `next`,
 * whatever else is read from the store meanwhile (the owner is told when they move). It may be left
 * behind at any time: it holds no snapshot past the event loop's turn.
 */
export interface PairCursor {
  /** Moves to the next pair. */
  next(): boolean;
  /** Buffer that holds the store key in `[keyStart, keyEnd)`. */
  keyBytes: Uint8Array;
  keyStart: number;
  keyEnd: number;
  /** Buffer that holds the value in `[valueStart, valueEnd)`. */
  valueBytes: Uint8Array;
  valueStart: number;
  valueEnd: number;
  owner: PairOwner | undefined;
  /** Lets go of what the walk holds; `next` answers false from then on. */
  close(): void;
}

/** What can be done inside a commit. Reads see what the commit has written so far. */
export interface PairWriter {
  put(key: Uint8Array, value: Uint8Array): void;
  /** Removing what is not there does nothing. */
  remove(key: Uint8Array): void;
}

/**
 * An ordered map of byte strings; keys have 1 to 4,026 bytes and sort unsigned, values up to 4 GiB.
 */
export interface OrderedStore {
  /** A copy of the value, or undefined. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** The one pair with this key, if it is there. */
  lookup(key: Uint8Array): PairCursor;
  /** The pairs with `start <= key < end`, by ascending key or, reversed, by descending key. */
  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor;
  /**
   * Runs the work and makes all it wrote visible together, and durable when this returns; when it
   * throws, nothing was written.
   */
  commit(work: (writer: PairWriter) => void): void;
  /** Ends every walk and closes the files. */
  close(): Promise<void>;
}
