/** A clock that does not run: the test sets and advances it. */
import {
  invalidArgument,
  isDate,
  type Timers,
  valueText,
  type FaultTexts,
} from '../../base/index.js';
import type { Duration } from '../../entities/model/index.js';
import { CellClock } from '../../data/store/index.js';

const millisPer = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 } as const;

/** The state of a clock. */
export interface ClockState {
  /** Milliseconds since 1970. */
  readonly millis: number;
  /** The newest timestamp given to a cell, in microseconds. */
  readonly newestCell: number;
}

/** A call that is due when the clock reaches a time. */
interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** The clock of a test database: cell timestamps, garbage collection by age, timers. */
export class TestClock {
  #millis: number;
  readonly #alarms = new Set<Alarm>();
  /** @internal Issues the timestamps of cells. */
  readonly cells = new CellClock(() => this.#millis);

  /** @internal Calls that are made while the clock is set or advanced. */
  readonly timers: Timers = {
    after: (millis, run) => {
      const alarm = { at: this.#millis + millis, run };
      this.#alarms.add(alarm);
      return () => void this.#alarms.delete(alarm);
    },
  };

  /** @internal Use testDatabase(). */
  constructor(start: Date | number) {
    this.#millis = millisOf('now', start);
  }

  /** Milliseconds since 1970, like Date.now(). */
  now(): number {
    return this.#millis;
  }

  /** The time as a Date: `readings.create({ at: db.clock.date(), ... })`. */
  date(): Date {
    return new Date(this.#millis);
  }

  /**
   * Sets the clock to a Date, or to milliseconds since 1970. If it is set back, new cells keep the
   * newest timestamp so far, as with a system clock.
   */
  set(time: Date | number): void {
    this.#runTo(millisOf('time', time));
  }

  /**
   * Advances the clock by `'90s'`, `'1h'`, `'31d'` or milliseconds; 0 or more. Flushes of buffered
   * counters that become due begin during the call.
   */
  advance(by: Duration | number): void {
    this.#runTo(millisOf('by', this.#millis + durationMillis(by)));
  }

  /** Each alarm is called at its time, also an alarm that another one sets. */
  #runTo(millis: number): void {
    for (;;) {
      let next: Alarm | undefined;
      for (const alarm of this.#alarms)
        if (alarm.at <= millis && (next === undefined || alarm.at < next.at)) next = alarm;
      if (next === undefined) break;
      this.#alarms.delete(next);
      this.#millis = Math.max(this.#millis, next.at);
      next.run();
    }
    this.#millis = millis;
  }

  /** @internal */
  state(): ClockState {
    return { millis: this.#millis, newestCell: this.cells.newest };
  }

  /** @internal Cell timestamps are set back too, since the cells written since then are gone. */
  restore({ millis, newestCell }: ClockState): void {
    this.#millis = millis;
    this.cells.startAt(newestCell);
  }
}

/** Timestamps of Bigtable begin in 1970; the largest Date is 8.64e15. */
function millisOf(property: string, time: Date | number): number {
  const millis = isDate(time) ? time.getTime() : time;
  if (typeof millis === 'number' && Number.isInteger(millis) && millis >= 0 && millis <= 8.64e15)
    return millis;
  throw invalidArgument(property, faults.wrongTime(String(time)));
}

function durationMillis(by: Duration | number): number {
  const text = typeof by === 'number' ? `${by}ms` : by;
  const [, digits, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * millisPer[unit as keyof typeof millisPer];
  throw invalidArgument('by', faults.notADuration(by));
}

const faults = {
  wrongTime: (given: string) => ({
    problem: `the clock cannot be set to ${given}`,
    fix: 'give a Date, or whole milliseconds, not before 1970',
  }),
  notADuration: (by: number | string) => ({
    problem: `${valueText(by)} is not a duration`,
    fix: "give '90s', '1h' or '31d' (a whole number and ms, s, m, h or d), or milliseconds; clock.set() goes back",
  }),
} satisfies FaultTexts;
