/**
 * Keeps the newest cell timestamp with the database, so that timestamps do not go back when the
 * system clock was set back between two runs.
 */
import type { CellClock } from '../../../data/store/index.js';
import { number64Bytes, readNumber64 } from '../kv/bytes.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { metaKey } from '../kv/store-key.js';

/** Key of the record: a u64 in microseconds that no timestamp of the database exceeds. */
const newestKey = metaKey('newest');
/**
 * How far the record runs ahead while the database is open, which saves a write for each commit.
 */
const reserveMicros = 1_000_000;

/** The record of the newest timestamp, and the clock that continues from it. */
export class NewestTimestamp {
  readonly #clock: CellClock;
  #stored: number;

  /** Lets the clock continue from the stored timestamp. */
  constructor(store: OrderedStore, clock: CellClock) {
    const stored = store.get(newestKey);
    this.#clock = clock;
    this.#stored = stored === undefined ? 0 : readNumber64(stored, 0);
    clock.startAt(Math.max(clock.newest, this.#stored));
  }

  /** Reserves more timestamps when those reserved are used up; called in every commit. */
  reserve(writer: PairWriter): void {
    if (this.#clock.newest > this.#stored) this.#put(this.#clock.newest + reserveMicros, writer);
  }

  /** True when the record is not exact. */
  get isAhead(): boolean {
    return this.#stored > this.#clock.newest;
  }

  /** Stores the exact timestamp, before the database is closed. */
  settle(writer: PairWriter): void {
    this.#put(this.#clock.newest, writer);
  }

  /** Forgets the last reservation, because its commit has failed: `reserve` makes a new one. */
  discardReservation(): void {
    this.#stored = 0;
  }

  #put(micros: number, writer: PairWriter): void {
    this.#stored = micros;
    writer.put(newestKey, number64Bytes(micros));
  }
}
