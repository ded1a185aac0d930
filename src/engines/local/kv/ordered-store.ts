/**
 * The interface that the row layer is built on: an ordered map of byte strings with atomic commits.
 * Implemented by memory-store.ts and disk-store.ts, and by logged-store.ts, which buffers the
 * writes of block-store.ts, which packs the rows of another store into blocks. All calls are
 * synchronous; the row layer decides when to yield to the event loop.
 */

/** Notified when the bytes of a cursor's current pair are moved. */
export interface PairListener {
  /**
   * The current pair's bytes were copied to other buffers, at the same offsets. Called before the
   * old buffers are overwritten.
   */
  onPairMoved(cursor: PairCursor): void;
}

/**
 * Iterates over pairs without copying them. The current pair stays valid until the next call of
 * `next`, whatever else is read from the store meanwhile; the listener is notified when its bytes
 * move. A cursor may be left unreleased: it holds no snapshot beyond the current turn of the event
 * loop.
 */
export interface PairCursor {
  /** Moves to the next pair; false at the end. */
  next(): boolean;
  /** Buffer that holds the store key in `[keyStart, keyEnd)`. */
  keyBytes: Uint8Array;
  keyStart: number;
  keyEnd: number;
  /** Buffer that holds the value in `[valueStart, valueEnd)`. */
  valueBytes: Uint8Array;
  valueStart: number;
  valueEnd: number;
  listener: PairListener | undefined;
  /**
   * Skips the pairs before `key`, or if reversed the pairs at and after it; `key` is not before the
   * current pair in the direction of the cursor. The current pair is no longer valid. Where it
   * exists, it saves opening another cursor.
   */
  seek?(key: Uint8Array): void;
  /** Releases the cursor's resources. Afterwards `next` returns false. */
  release(): void;
}

/** Writes of one commit. Reads of the store see what the commit has written so far. */
export interface PairWriter {
  put(key: Uint8Array, value: Uint8Array): void;
  /**
   * Puts the pair with the key in `[keyStart, keyEnd)` of a buffer, followed by the value up to
   * `valueEnd`. Where it exists, it saves creating views of the buffer.
   */
  putSlice?(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void;
  /** Does nothing when there is no such pair. */
  remove(key: Uint8Array): void;
}

/** The reads of an ordered store with pairs that are written in another way. */
export type PairReader = Omit<OrderedStore, 'commit' | 'settle'>;

/**
 * An ordered map of byte strings. Keys have 1 to 4,026 bytes and sort in unsigned order; values
 * have up to 4 GiB.
 */
export interface OrderedStore {
  /** Returns a copy of the value. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** A cursor over the one pair with this key, if it exists. */
  lookup(key: Uint8Array): PairCursor;
  /**
   * The same for the key in `[start, end)` of a buffer. The cursor is valid until the next call.
   * Where it exists, it saves a view and a cursor.
   */
  lookupSlice?(bytes: Uint8Array, start: number, end: number): PairCursor;
  /** The pairs with `start <= key < end` in ascending or, if `reversed`, descending key order. */
  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor;
  /**
   * Runs `work` and makes all its writes visible together, and durable when this returns. If `work`
   * throws, nothing is written.
   */
  commit(work: (writer: PairWriter) => void): void;
  /**
   * Writes buffered pairs to their places; absent where nothing is buffered. Until then scans step
   * over each removal.
   */
  settle?(): Promise<void>;
  /** Releases all cursors and closes the files. */
  close(): Promise<void>;
  /**
   * Only where another process writes: moves to the newest state, and returns true if the pairs
   * read before may have changed.
   */
  isStale?(): boolean;
}
