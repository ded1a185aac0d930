/**
 * An ordered store that counts the pairs that are read from it and written to it, so that a test
 * can say what a call touched.
 */
import type { OrderedStore, PairCursor } from '../../../src/engines/local/kv/ordered-store.js';

export class CountingStore implements OrderedStore {
  /** Pairs stepped to or looked up since the test last set it to 0. */
  steps = 0;
  /** Pairs put or removed, and bytes put, since the test last set them to 0. */
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

  #counted(pairs: PairCursor): PairCursor {
    const next = pairs.next.bind(pairs);
    pairs.next = () => (this.steps++, next());
    return pairs;
  }
}
