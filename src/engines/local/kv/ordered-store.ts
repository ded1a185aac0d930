/**
 * The interface that the row layer is built on: an ordered map of byte strings with atomic commits.
 * Implemented by store/table-store.ts, and for readers beside an owner by readonly/follower.ts. All
 * calls but those that return a promise are synchronous; the row layer decides when to yield to the
 * event loop.
 */
import type { CollectPair } from './store/write-table.js';

/**
 * Iterates over pairs without copying them. The current pair stays valid until the next call of
 * `next`, whatever else is read from the store or written to it meanwhile. A cursor is not a
 * snapshot: it goes on with the pairs that are stored when `next` is called.
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
  /**
   * Skips the pairs before `key`, or if reversed the pairs at and after it; `key` is not before the
   * current pair in the direction of the cursor. The current pair is no longer valid. Where it
   * exists, it saves opening another cursor.
   */
  seek?(key: Uint8Array): void;
  /** Where it exists: `next` also returns false after it has stepped over so many removed pairs. */
  maxSkips?: number;
  /** The key of the last pair that it has stepped over then; undefined at the end. */
  skippedTo?: Uint8Array | undefined;
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
  /**
   * Removes the pairs with `start <= key < end`, in about the same time however many they are.
   * Scans of the commit do not see it yet.
   */
  removeRange(start: Uint8Array, end: Uint8Array): void;
}

/**
 * An ordered map of byte strings. Keys have 1 to 32,767 bytes and sort in unsigned order; values
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
  /** Defined while writes should wait, because merges are behind; resolves when they need not. */
  ready?(): Promise<void> | undefined;
  /** Ends the merges that make scans shorter: until then they step over each removal. */
  settle?(): Promise<void>;
  /** What merges leave of pairs; they leave all of them until it is set. */
  collect?: CollectPair;
  /** Releases all cursors and closes the files. */
  close(): Promise<void>;
  /**
   * Only where another process writes: moves to the newest state, and returns true if the pairs
   * read before may have changed.
   */
  isStale?(): boolean;
}
