/** An ordered store that counts the pairs that are read and written. */
import type { OrderedStore, PairCursor } from '../../../src/engines/local/kv/ordered-store.js';
import { CurrentPair } from '../../../src/engines/local/kv/range-cursor.js';

export class CountingStore implements OrderedStore {
  /** Pairs that cursors moved to, or that were looked up, since it was last set to 0. */
  steps = 0;
  /** Pairs written or removed, and bytes written, since they were last set to 0. */
  writes = 0;
  writtenBytes = 0;

  readonly #inner: OrderedStore;

  constructor(inner: OrderedStore) {
    this.#inner = inner;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.steps++;
    return this.#inner.get(key);
  }
  lookup(key: Uint8Array): PairCursor {
    return this.#counted(this.#inner.lookup(key));
  }
  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return this.#counted(this.#inner.scan(start, end, reversed));
  }
  commit(work: Parameters<OrderedStore['commit']>[0]): void {
    this.#inner.commit((writer) =>
      work({
        put: (key, value) => {
          this.writes++;
          this.writtenBytes += key.length + value.length;
          writer.put(key, value);
        },
        removeRange: (start, end) => {
          this.writes++;
          writer.removeRange(start, end);
        },
        remove: (key) => {
          this.writes++;
          writer.remove(key);
        },
      }),
    );
  }
  close(): Promise<void> {
    return this.#inner.close();
  }

  #counted(cursor: PairCursor): PairCursor {
    return new CountingCursor(cursor, () => void this.steps++);
  }
}

class CountingCursor extends CurrentPair implements PairCursor {
  readonly #inner: PairCursor;
  readonly #count: () => void;

  constructor(inner: PairCursor, count: () => void) {
    super();
    this.#inner = inner;
    this.#count = count;
  }

  next(): boolean {
    this.#count();
    const inner = this.#inner;
    const hasNext = inner.next();
    this.keyBytes = inner.keyBytes;
    this.keyStart = inner.keyStart;
    this.keyEnd = inner.keyEnd;
    this.valueBytes = inner.valueBytes;
    this.valueStart = inner.valueStart;
    this.valueEnd = inner.valueEnd;
    return hasNext;
  }

  release(): void {
    this.#inner.release();
  }
}
