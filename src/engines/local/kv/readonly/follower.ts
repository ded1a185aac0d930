/**
 * An ordered store that another process writes to. All reads in one turn of the event loop see the
 * same state. Files that the state names never change; if the other process has removed one, reads
 * go on in the newest state, after the last pair that was read.
 */
import { copyBytes, nextKey, RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { BufferRun } from '../buffer/buffer-run.js';
import type { FoundDatabase } from '../directory/database-directory.js';
import { storageError } from '../directory/storage-error.js';
import type { OrderedStore, PairCursor } from '../ordered-store.js';
import type { PairRun } from '../pair-run.js';
import { type CursorSource, StoreCursor } from '../store/store-cursor.js';
import type { StoreSnapshot } from '../store/snapshot.js';
import { isOverflowKey } from '../store-key.js';
import { FollowedState, OpenTables } from './followed-state.js';
import { readOnlyError } from './read-only-error.js';

/** Attempts to read files that another process removes. */
const maxAttempts = 20;

export class Follower implements OrderedStore, CursorSource {
  /** Changes with the state. */
  version = 0;
  #state: FollowedState;
  #isFresh = false;
  readonly #tables: OpenTables;
  readonly #database: FoundDatabase;

  constructor(database: FoundDatabase, cacheBytes: number) {
    this.#database = database;
    this.#tables = new OpenTables(database, cacheBytes);
    this.#state = this.#load();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    // A row that refers to it was read before, and must not be of another state.
    const isOverflow = isOverflowKey(key);
    if (!isOverflow) this.beginTurn();
    for (let attempts = 1; ; attempts++) {
      try {
        const cursor = new StoreCursor(this, key, nextKey(key), false);
        if (!cursor.next()) return undefined;
        return copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
      } catch (error) {
        this.recover(error, attempts);
        if (isOverflow) throw new RowsmithError('UNAVAILABLE', faults.rowChanged);
      }
    }
  }

  lookup(key: Uint8Array): PairCursor {
    return this.scan(key, nextKey(key), false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new FollowerCursor(this, start, end, reversed);
  }

  runs(start: Uint8Array, end: Uint8Array, reversed: boolean): PairRun[] {
    const { pairs, levels } = this.#state;
    const runs = levels.runs(start, end, reversed);
    return pairs.size === 0 ? runs : [BufferRun.ofBuffer(pairs, start, end, reversed), ...runs];
  }

  commit(): void {
    throw readOnlyError();
  }

  close(): Promise<void> {
    this.#tables.handles.closeAll();
    return Promise.resolve();
  }

  /** The owner that has written the state, and what it holds. */
  snapshot(): StoreSnapshot & { readonly owner: number } {
    this.isStale();
    const { levels, pairs, manifest } = this.#state;
    const tables = levels.tables();
    for (const table of tables) table.pins++;
    return {
      owner: manifest.owner,
      levels,
      buffers: [pairs.clone(pairs.arena.clone())],
      release: () => {
        for (const table of tables) table.pins--;
        this.#tables.release(tables);
      },
    };
  }

  /** Moves to the newest state if there is one; true if what was read before may have changed. */
  isStale(): boolean {
    for (let attempts = 1; ; attempts++) {
      try {
        if (!this.#state.isOld) return false;
        this.#follow();
        this.version++;
        return true;
      } catch (error) {
        if (attempts >= maxAttempts) throw storageError(error, this.#database.path);
      }
    }
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

  #follow(): void {
    try {
      this.#state.follow();
    } catch {
      this.#state = this.#load();
    }
  }

  #load(): FollowedState {
    for (let attempts = 1; ; attempts++) {
      try {
        return new FollowedState(this.#database, this.#tables);
      } catch (error) {
        // The other process has removed a file since it was listed, or was writing to it.
        if (attempts >= maxAttempts) throw storageError(error, this.#database.path);
      }
    }
  }
}

class FollowerCursor extends StoreCursor {
  readonly #follower: Follower;

  constructor(follower: Follower, start: Uint8Array, end: Uint8Array, reversed: boolean) {
    super(follower, start, end, reversed);
    this.#follower = follower;
  }

  override next(): boolean {
    this.#follower.beginTurn();
    for (let attempts = 1; ; attempts++) {
      try {
        return super.next();
      } catch (error) {
        this.#follower.recover(error, attempts);
      }
    }
  }
}

const faults = {
  rowChanged: {
    problem: 'another process changed the row while it was read',
    fix: 'read it again',
  },
} satisfies FaultTexts;
