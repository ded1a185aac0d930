/** Keeps the overflow values of one row, of a store that another process writes to. */
import { toHex } from '../../../base/index.js';
import type { OrderedStore, PairCursor } from '../kv/ordered-store.js';

/** Bytes of values that are kept. */
const maxBytes = 32 * 1024 * 1024;

/** A store that returns single pairs again as they were when they were read first. */
export class HeldValues implements OrderedStore {
  readonly #values = new Map<string, Uint8Array>();
  #bytes = 0;

  readonly #store: OrderedStore;

  constructor(store: OrderedStore) {
    this.#store = store;
  }

  /** True when no more values are kept. */
  get isFull(): boolean {
    return this.#bytes >= maxBytes;
  }

  clear(): void {
    this.#values.clear();
    this.#bytes = 0;
  }

  isStale(): boolean {
    return this.#store.isStale!();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const name = toHex(key);
    const held = this.#values.get(name);
    if (held !== undefined) return held;
    const value = this.#store.get(key);
    if (value === undefined || this.isFull) return value;
    this.#values.set(name, value);
    this.#bytes += value.length;
    return value;
  }

  lookup(key: Uint8Array): PairCursor {
    return this.#store.lookup(key);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return this.#store.scan(start, end, reversed);
  }

  commit(): void {
    throw new TypeError('cursors do not write');
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
