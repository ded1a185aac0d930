/**
 * Random keys, columns, timestamps and values. There are few different ones, so that operations
 * affect the results of earlier operations.
 */
import type { FamilySchema, GcRule, Micros } from '../../src/data/store/index.js';
import type { Random } from '../engines/history.js';
import { farFuture, historyClockStart, type TableDefinition } from './operation.js';

export const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
/** One second in microseconds. */
export const second = 1_000_000;
/** Garbage collection rules for histories with a clock. */
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

/** Generates values for one table. */
export class ValueGenerator {
  readonly familyNames: readonly string[];
  readonly #timestamps: readonly number[];
  readonly #table: TableDefinition & { readonly clock?: true };

  constructor(
    readonly next: Random,
    table: TableDefinition & { readonly clock?: true },
  ) {
    this.#table = table;
    this.familyNames = Object.keys(table.families);
    this.#timestamps = timestampsOf(table);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.next(values.length)];
  }

  /** A list of up to `maxLength` elements. */
  list<T>(maxLength: number, element: () => T): T[] {
    return Array.from({ length: this.next(maxLength + 1) }, element);
  }

  /** True in one of n cases. */
  oneIn(n: number): boolean {
    return this.next(n) === 0;
  }

  /** An element in one of n cases, otherwise undefined. */
  inOneOf<T>(n: number, element: () => T): T | undefined {
    if (!this.oneIn(n)) return undefined;
    return element();
  }

  /** Undefined in one of n cases, otherwise an element. */
  exceptOneIn<T>(n: number, element: () => T): T | undefined {
    if (this.oneIn(n)) return undefined;
    return element();
  }

  rarely(): boolean {
    return this.oneIn(60);
  }

  key(): Uint8Array {
    if (this.oneIn(150))
      return this.pick([bytes(), new Uint8Array(4096).fill(0x61), new Uint8Array(4097).fill(0x61)]);
    return bytes(
      this.pick([0, 0x61, 0x61, 0x62, 0x7f, 0xff]),
      ...this.list(2, () => this.pick([0, 0x61, 0x0a, 0xff])),
    );
  }

  qualifier(): Uint8Array {
    if (this.oneIn(600)) return new Uint8Array(this.pick([16_384, 16_385])).fill(0x71);
    return bytes(...this.list(2, () => this.pick([0, 0x71, 0x71, 0x3a, 0xff])));
  }

  value(): Uint8Array {
    let size = this.pick([0, 1, 2, 8, 8, 8, 20]);
    if (this.oneIn(1000)) size = this.pick([4096, 70_000]);
    return new Uint8Array(size).fill(this.pick([0, 0, 1, 0x61, 0xff]));
  }

  /**
   * For tables that Google's emulator runs as well there are five timestamps, so that an interleave
   * of two branches returns at most ten cells of a column (filter-analysis.ts, breaksTies).
   */
  timestamp(): Micros {
    if (this.rarely()) return this.pick([-2, 1001]);
    const time = this.pick(this.#timestamps);
    if (this.oneIn(12)) return BigInt(time);
    return time;
  }

  family(): string {
    if (this.rarely()) return 'missing';
    return this.pick(this.familyNames);
  }

  schema(family: string): FamilySchema | undefined {
    return this.#table.families[family];
  }
}

function timestampsOf({
  clock,
  granularity,
}: TableDefinition & { readonly clock?: true }): readonly number[] {
  if (clock === true) {
    const start = historyClockStart * 1000;
    return [0, start, start + second, start + 2 * second, start + 5 * second, farFuture];
  }
  const unit = granularity === 'micros' ? 1 : 1000;
  return [0, unit, 2 * unit, 3 * unit, farFuture];
}
