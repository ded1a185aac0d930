/**
 * An ordered store that another process writes to. All reads in one turn of the event loop see the
 * same state, unless that process has overwritten a part of it meanwhile: they then go on in the
 * newest state, after the last pair that was read.
 */
import { nextKey, RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { OrderedStore, PairCursor, PairListener } from '../ordered-store.js';
import { RangeCursor } from '../range-cursor.js';
import { isOverflowKey } from '../store-key.js';
import { readOnlyError } from './read-only-error.js';

/** Attempts to read a pair while the other process writes. */
const maxAttempts = 20;

/** Reads a store while its state changes. */
export class SnapshotStore implements OrderedStore {
  /** Changes with the state. */
  version = 0;
  #isFresh = false;

  readonly #base: OrderedStore;
  readonly #renew: () => boolean;

  /** `renew` moves to the newest state; false when that is the current one. */
  constructor(base: OrderedStore, renew: () => boolean) {
    this.#base = base;
    this.#renew = renew;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    // A row that refers to it was read before, and must not be of another state.
    if (isOverflowKey(key)) return this.#getNow(key);
    this.beginTurn();
    for (let attempts = 1; ; attempts++) {
      try {
        return this.#base.get(key);
      } catch (error) {
        this.recover(error, attempts);
      }
    }
  }

  lookup(key: Uint8Array): PairCursor {
    const seek = (from: Uint8Array, to: Uint8Array): PairCursor =>
      from === key ? this.#base.lookup(key) : this.#base.scan(from, to, false);
    return new SnapshotCursor(this, seek, key, nextKey(key), false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    const seek = (from: Uint8Array, to: Uint8Array): PairCursor =>
      this.#base.scan(from, to, reversed);
    return new SnapshotCursor(this, seek, start, end, reversed);
  }

  commit(): void {
    throw readOnlyError();
  }

  close(): Promise<void> {
    return this.#base.close();
  }

  /** Moves to the newest state if there is one; true if what was read before may have changed. */
  isStale(): boolean {
    if (!this.#renew()) return false;
    this.version++;
    return true;
  }

  /** Moves to the newest state, once in a turn of the event loop. */
  beginTurn(): void {
    if (this.#isFresh) return;
    this.#isFresh = true;
    setImmediate(() => void (this.#isFresh = false));
    this.isStale();
  }

  /** After an error: moves to a newer state, or throws the error if there is none. */
  recover(error: unknown, attempts: number): void {
    const isCorrupt = error instanceof RowsmithError && error.code === 'CORRUPT_DATA';
    if (!isCorrupt || attempts >= maxAttempts || !this.isStale()) throw error;
  }

  #getNow(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#base.get(key);
    } catch (error) {
      this.recover(error, 1);
      throw new RowsmithError('UNAVAILABLE', faults.rowChanged);
    }
  }
}

class SnapshotCursor extends RangeCursor implements PairListener {
  #cursor: PairCursor | undefined = undefined;

  readonly #store: SnapshotStore;
  readonly #seek: (start: Uint8Array, end: Uint8Array) => PairCursor;

  constructor(
    store: SnapshotStore,
    seek: (start: Uint8Array, end: Uint8Array) => PairCursor,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
  ) {
    super(start, end, reversed);
    this.#store = store;
    this.#seek = seek;
  }

  next(): boolean {
    if (this.done) return false;
    this.#store.beginTurn();
    for (let attempts = 1; ; attempts++) {
      try {
        return this.#advance();
      } catch (error) {
        this.#cursor = undefined;
        this.#store.recover(error, attempts);
        this.skipCurrent();
      }
    }
  }

  release(): void {
    this.done = true;
    this.#cursor?.release();
    this.#cursor = undefined;
  }

  onPairMoved(cursor: PairCursor): void {
    this.keyBytes = cursor.keyBytes;
    this.valueBytes = cursor.valueBytes;
    this.listener?.onPairMoved(this);
  }

  #advance(): boolean {
    if (this.#cursor === undefined) {
      this.#cursor = this.#seek(this.start, this.end);
      this.#cursor.listener = this;
    }
    const cursor = this.#cursor;
    if (!cursor.next()) {
      this.release();
      return false;
    }
    this.takePair(cursor);
    return true;
  }
}

const faults = {
  rowChanged: {
    problem: 'another process changed the row while it was read',
    fix: 'read it again',
  },
} satisfies FaultTexts;
