/**
 * What random histories are made of: few keys, columns and timestamps, so that what is done meets
 * what was done.
 */
import type { FamilySchema, GcRule, Micros } from '../../src/store/index.js';
import type { Random } from '../engines/history.js';
import { far, ownClock, type TableOfHistory } from './operation.js';

/** Bytes by their values. */
export const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
/** In microseconds. */
export const second = 1_000_000;
/** Rules for histories with a clock. */
export const rules: readonly GcRule[] = [
  { kind: 'maxVersions', versions: 1 },
  { kind: 'maxVersions', versions: 2 },
  { kind: 'maxAge', micros: 3 * second },
  {
    kind: 'union',
    rules: [
      { kind: 'maxVersions', versions: 3 },
      { kind: 'maxAge', micros: 5 * second },
    ],
  },
  {
    kind: 'intersection',
    rules: [
      { kind: 'maxVersions', versions: 1 },
      { kind: 'maxAge', micros: 3 * second },
    ],
  },
  {
    kind: 'union',
    rules: [
      { kind: 'maxAge', micros: 20 * second },
      {
        kind: 'intersection',
        rules: [
          { kind: 'maxVersions', versions: 2 },
          { kind: 'maxAge', micros: second },
        ],
      },
    ],
  },
  {
    kind: 'intersection',
    rules: [
      { kind: 'union', rules: [] },
      { kind: 'maxVersions', versions: 1 },
    ],
  },
];

/** Draws from a seed, for one table. */
export class Draw {
  readonly names: readonly string[];
  readonly #unit: number;

  readonly #table: TableOfHistory & { readonly clock?: true };

  constructor(
    readonly next: Random,
    table: TableOfHistory & { readonly clock?: true },
  ) {
    this.#table = table;
    this.names = Object.keys(table.families);
    this.#unit = table.granularity === 'micros' ? 1 : 1000;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.next(values.length)];
  }

  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.next(most + 1) }, make);
  }

  rare(): boolean {
    return this.next(60) === 0;
  }

  key(): Uint8Array {
    if (this.next(150) === 0)
      return this.pick([bytes(), new Uint8Array(4096).fill(0x61), new Uint8Array(4097).fill(0x61)]);
    return bytes(
      this.pick([0, 0x61, 0x61, 0x62, 0x7f, 0xff]),
      ...this.some(2, () => this.pick([0, 0x61, 0x0a, 0xff])),
    );
  }

  qualifier(): Uint8Array {
    return this.next(600) === 0
      ? new Uint8Array(this.pick([16_384, 16_385])).fill(0x71)
      : bytes(...this.some(2, () => this.pick([0, 0x71, 0x71, 0x3a, 0xff])));
  }

  value(): Uint8Array {
    const size = this.pick([0, 1, 2, 8, 8, 8, 20]);
    return new Uint8Array(this.next(1000) === 0 ? this.pick([4096, 70_000]) : size).fill(
      this.pick([0, 0, 1, 0x61, 0xff]),
    );
  }

  /**
   * Five in all where Google's emulator is asked, so that two branches of an interleave give a
   * column at most ten cells (rules.ts, ties).
   */
  cellTime(): Micros {
    if (this.rare()) return this.pick([-2, 1001]);
    const clock = ownClock * 1000;
    const time = this.pick(
      this.#table.clock === true
        ? [0, clock, clock + second, clock + 2 * second, clock + 5 * second, far]
        : [0, this.#unit, 2 * this.#unit, 3 * this.#unit, far],
    );
    return this.next(12) === 0 ? BigInt(time) : time;
  }

  family(): string {
    return this.rare() ? 'missing' : this.pick(this.names);
  }

  schema(family: string): FamilySchema | undefined {
    return this.#table.families[family];
  }
}
