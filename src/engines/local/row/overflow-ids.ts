/**
 * Numbers for parts: reserved in blocks, so that they need not be stored for each part, and never
 * given twice.
 */
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import type { OverflowIds } from './overflow-store.js';
import { ByteReader, ByteWriter } from '../kv/record.js';
import { metaKey } from '../kv/store-key.js';

/** Key of the record that holds the first number that may be free: 8 bytes, big-endian. */
const numbersKey = metaKey('parts');
const block = 4096;

/** Counts up; `save` must follow in the commit that uses the numbers. */
export class OverflowIdAllocator implements OverflowIds {
  #following: number;
  #reserved: number;

  constructor(store: OrderedStore) {
    const stored = store.get(numbersKey);
    this.#following = this.#reserved =
      stored === undefined ? 1 : new ByteReader(stored, 0, stored.length).number64();
  }

  next(): number {
    return this.#following++;
  }

  /** Reserves another block when the last is used up. */
  save(writer: PairWriter): void {
    if (this.#following <= this.#reserved) return;
    this.#reserved = this.#following + block;
    const bytes = new ByteWriter(8);
    bytes.number64(this.#reserved);
    writer.put(numbersKey, bytes.bytes);
  }

  /** The last reservation may have been undone: make another before the next use. */
  forget(): void {
    this.#reserved = 0;
  }
}
