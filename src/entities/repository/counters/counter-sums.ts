/** Sums in memory, by row and cell. */
import type { RowsmithError } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Aggregate } from '../../../data/store/index.js';
import type { CounterSum } from './counter-types.js';

type Values = Readonly<Record<string, unknown>>;

/** A cell that can be added to. */
export interface CounterCell {
  readonly property: string;
  /** The key of an entry of a column map. */
  readonly entry?: unknown;
  /** Distinguishes the cells of a row. */
  readonly id: string;
  readonly family: string;
  readonly qualifier: Uint8Array;
  /** Set for aggregate families: how amounts are combined. Elsewhere they are summed. */
  readonly aggregate?: Aggregate | undefined;
}

/** An amount for one cell. */
export interface CounterStep {
  readonly cell: CounterCell;
  readonly amount: bigint;
}

/** A row that is added to. */
export interface CounterRow {
  readonly bytes: Uint8Array;
  /** The bytes as text. */
  readonly id: string;
}

/** What was added to one cell of one row. */
export interface Sum {
  readonly row: CounterRow;
  readonly cell: CounterCell;
  amount: bigint;
  /** Why the last flush did not write it. */
  error?: RowsmithError | undefined;
}

/** The outcome of a sum that was sent; without an error it was written. */
export interface SumOutcome {
  readonly sum: Sum;
  readonly error?: RowsmithError;
  /** Whether the sum may have been written in spite of the error. */
  readonly mayBeWritten: boolean;
}

/** The key of a row for reports: canonical, and in a scope without its segments. */
export type KeyOfRow = (row: CounterRow) => Values;

/** Decodes keys for reports. */
export function keyReader({ key }: EntityModel): KeyOfRow {
  const decode = key.decoder();
  return ({ bytes }) => {
    const whole: Record<string, unknown> = {};
    decode(bytes, 0, bytes.length, whole);
    return Object.fromEntries(key.names.map((name) => [name, whole[name]]));
  };
}

/** A sum as it is reported. */
export function reported({ row, cell, amount }: Sum, keyOf: KeyOfRow): CounterSum {
  const { property, entry } = cell;
  const key = keyOf(row);
  if (entry === undefined) return { key, property, amount };
  return { key, property, entry, amount };
}

/** The sums of rows, one for each cell. */
export class CounterSums {
  readonly #rows = new Map<string, Map<string, Sum>>();
  #size = 0;

  /** The number of sums. */
  get size(): number {
    return this.#size;
  }

  /** How many of the cells have no sum yet. */
  missing(row: CounterRow, steps: readonly CounterStep[]): number {
    const sums = this.#rows.get(row.id);
    if (sums === undefined) return steps.length;
    let missing = 0;
    for (const { cell } of steps) if (!sums.has(cell.id)) missing++;
    return missing;
  }

  /**
   * Combines an amount with the amount of its cell. Exact, whatever the number of amounts. `error`
   * is the error of a sum that was not written.
   */
  add(row: CounterRow, { cell, amount }: CounterStep, error?: RowsmithError): void {
    let sums = this.#rows.get(row.id);
    if (sums === undefined) this.#rows.set(row.id, (sums = new Map<string, Sum>()));
    const sum = sums.get(cell.id);
    if (sum !== undefined) {
      sum.amount = combined(cell.aggregate, sum.amount, amount);
      sum.error ??= error;
      return;
    }
    sums.set(cell.id, { row, cell, amount, error });
    this.#size++;
  }

  /** The sums of each row. */
  rows(): Iterable<ReadonlyMap<string, Sum>> {
    return this.#rows.values();
  }

  /** All sums, row by row. */
  *[Symbol.iterator](): Generator<Sum> {
    for (const sums of this.#rows.values()) yield* sums.values();
  }
}

function combined(aggregate: Aggregate | undefined, a: bigint, b: bigint): bigint {
  if (aggregate === 'min') return a < b ? a : b;
  if (aggregate === 'max') return a > b ? a : b;
  return a + b;
}
