/**
 * Allocates overflow IDs, which are never reused. Reserving many at once saves a write for each.
 */
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import type { OverflowIds } from './record/overflow-store.js';
import { number64Bytes, readNumber64 } from '../kv/bytes.js';
import { metaKey } from '../kv/store-key.js';

/** Key of the record that holds the first ID that is not reserved, a u64. */
const overflowIdsKey = metaKey('parts');
/** Number of IDs reserved at a time. */
const reservedIds = 4096;

/** Allocates ascending IDs. The commit that uses them must also call `save`. */
export class OverflowIdAllocator implements OverflowIds {
  #nextId: number;
  #reservedUntil: number;

  constructor(store: OrderedStore) {
    const stored = store.get(overflowIdsKey);
    this.#nextId = stored === undefined ? 1 : readNumber64(stored, 0);
    this.#reservedUntil = this.#nextId;
  }

  next(): number {
    return this.#nextId++;
  }

  /** Reserves more IDs when those reserved are used up. */
  save(writer: PairWriter): void {
    if (this.#nextId <= this.#reservedUntil) return;
    this.#reservedUntil = this.#nextId + reservedIds;
    writer.put(overflowIdsKey, number64Bytes(this.#reservedUntil));
  }

  /** Forgets the last reservation, because its commit may have failed: `save` makes a new one. */
  discardReservation(): void {
    this.#reservedUntil = 0;
  }
}
