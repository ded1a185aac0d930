/** The clock of cell timestamps, shared by the repositories of a database and its engine. */
import type { Micros } from './row.js';

/** Returns milliseconds since 1970, like `Date.now`. Replaceable for tests. */
export type Clock = () => number;

/**
 * Cells later than the clock by more than this were not written by a clock that is worth following.
 */
const maxLeadMicros = 24 * 3600 * 1_000_000;

/**
 * Issues cell timestamps in microseconds: multiples of 1,000 that never decrease, so that a write
 * made after the clock was set back still replaces the one before it.
 */
export class CellClock {
  readonly #clock: Clock;
  #newest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest timestamp so far, in microseconds; 0 if there is none. */
  get newest(): number {
    return this.#newest;
  }

  /** The time of the clock, in milliseconds: it follows neither earlier writes nor storage. */
  time(): number {
    return Math.floor(this.#clock());
  }

  /** The timestamp for a write, in microseconds. */
  next(): number {
    return (this.#newest = Math.max(this.#newest, this.#now()));
  }

  /** Continues from the timestamp that an earlier run, or a snapshot, ended with. */
  startAt(newest: number): void {
    this.#newest = newest;
  }

  /**
   * Moves on to the timestamp of a cell that storage has written with its own clock, so that later
   * writes are not older. A timestamp more than a day ahead is ignored: one wrong cell would put
   * all later ones there.
   */
  advance(timestamp: Micros): void {
    const micros = Number(timestamp);
    if (micros > this.#newest && micros <= this.#now() + maxLeadMicros)
      this.#newest = Math.ceil(micros / 1000) * 1000;
  }

  #now(): number {
    return Math.floor(this.#clock()) * 1000;
  }
}
