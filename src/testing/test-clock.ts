/** A clock that stands still until the test moves it. */
import { RowsmithError } from '../errors.js';
import type { Duration } from '../model/index.js';
import { cellClock } from '../repository/index.js';

const millisPer = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 } as const;

/** Where a clock stands, and the newest time it gave to a cell. */
export interface ClockState {
  readonly millis: number;
  /** Microseconds. */
  readonly newestCell: number;
}

/**
 * The time of a test database: of its cells, of garbage collection by age, of whatever the test
 * asks.
 */
export class TestClock {
  #millis: number;
  #newestCell = 0;
  #cells: () => number;

  /** @internal testDatabase() makes clocks. */
  constructor(start: Date | number) {
    this.#millis = millisOf('now', start);
    this.#cells = this.#cellClock();
  }

  /** Milliseconds since 1970, as Date.now. */
  now(): number {
    return this.#millis;
  }

  /** The same as a Date: `readings.create({ at: db.clock.date(), ... })`. */
  date(): Date {
    return new Date(this.#millis);
  }

  /**
   * Puts the clock to a moment: a Date, or milliseconds since 1970. Set back, new cells keep the
   * newest time so far, as with a system clock.
   */
  set(moment: Date | number): void {
    this.#millis = millisOf('moment', moment);
  }

  /** Moves the clock on, by `'90s'`, `'1h'`, `'31d'` or milliseconds; 0 or more. */
  advance(by: Duration | number): void {
    this.#millis = millisOf('by', this.#millis + durationMillis(by));
  }

  /** @internal Microseconds for cells, never going back. */
  cellTime(): number {
    return (this.#newestCell = this.#cells());
  }

  /** @internal */
  state(): ClockState {
    return { millis: this.#millis, newestCell: this.#newestCell };
  }

  /** @internal Also lets cells go back to where they were: the rows written since then are gone. */
  restore({ millis, newestCell }: ClockState): void {
    this.#millis = millis;
    this.#newestCell = newestCell;
    this.#cells = this.#cellClock();
  }

  #cellClock(): () => number {
    const from = this.#newestCell / 1000;
    return cellClock(() => Math.max(this.#millis, from));
  }
}

/** Bigtable's timestamps begin in 1970; a Date cannot go past 8.64e15. */
function millisOf(property: string, moment: Date | number): number {
  const millis = moment instanceof Date ? moment.getTime() : moment;
  if (typeof millis === 'number' && Number.isInteger(millis) && millis >= 0 && millis <= 8.64e15)
    return millis;
  throw new RowsmithError('INVALID_ARGUMENT', {
    property,
    problem: `the clock cannot stand at ${String(moment)}`,
    fix: 'give a Date, or whole milliseconds, not before 1970',
  });
}

function durationMillis(by: Duration | number): number {
  const [, digits, unit] =
    /^(\d+)(ms|s|m|h|d)$/.exec(typeof by === 'number' ? `${by}ms` : by) ?? [];
  if (digits !== undefined) return Number(digits) * millisPer[unit as keyof typeof millisPer];
  const problem = `${typeof by === 'string' ? JSON.stringify(by) : String(by)} is not a duration`;
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'by',
    problem,
    fix: "write a whole number and one unit of ms, s, m, h, d ('1h'), or milliseconds; clock.set() goes back",
  });
}
