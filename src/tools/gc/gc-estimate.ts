/**
 * What garbage collection rules would remove from a table, now and later: exactly, or from a
 * random sample of its rows, with a confidence interval.
 */
import { compareBytes, copyBytes, everyKey } from '../../base/index.js';
import { normalGcRule } from '../../entities/model/index.js';
import type { Engine, Filter, GcRule, RowCursor } from '../../data/store/index.js';
import { type Removal, removalAge } from './removal-age.js';

/** When cells are due: already, or within a time from now if nothing is written meanwhile. */
export const horizons = ['now', 'day', 'week', 'month'] as const;
export type Horizon = (typeof horizons)[number];

const dayMicros = 86_400e6;
/** Microseconds from now; a month has 30 days. */
const horizonMicros: Readonly<Record<Horizon, number>> = {
  now: 0,
  day: dayMicros,
  week: 7 * dayMicros,
  month: 30 * dayMicros,
};

/** A number that was counted or estimated. */
export interface Estimate {
  readonly value: number;
  /** The bounds of the 95 % confidence interval; both are `value` if it is exact. */
  readonly low: number;
  readonly high: number;
}

/** Cells, and the bytes of their values, qualifiers and timestamps. */
export interface Amount {
  readonly cells: Estimate;
  readonly bytes: Estimate;
}

const zero: Estimate = { value: 0, low: 0, high: 0 };
const none: Amount = { cells: zero, bytes: zero };

/** A family. */
export interface FamilyEstimate {
  readonly family: string;
  readonly stored: Amount;
  /** Cells that are due by then; each includes those before it. */
  readonly due: Readonly<Record<Horizon, Amount>>;
}

/** A table. */
export interface TableEstimate {
  readonly table: string;
  /** Rows that were read. */
  readonly rows: number;
  /** The share of all rows that were read, chosen at random; 1 if the counts are exact. */
  readonly share: number;
  readonly families: readonly FamilyEstimate[];
}

/** What to read. */
export interface EstimateCall {
  readonly table: string;
  /** Rules by family, of all families to report. */
  readonly rules: ReadonlyMap<string, GcRule | undefined>;
  /** Microseconds since 1970. */
  readonly nowMicros: number;
  /** The share of rows to read, above 0 and at most 1; undefined: by the size of the table. */
  readonly share?: number | undefined;
  readonly onRows?: (rows: number) => void;
}

/** Tables up to this size are read completely. */
const exactBytes = 64 * 2 ** 20;
/** About so much is read of larger ones. */
const sampledBytes = 32 * 2 ** 20;
/** A cell takes its qualifier, its value and a timestamp. */
const timestampBytes = 8;

/** Reads a table, or a sample of its rows, and counts what the rules remove. */
export async function estimateTable(engine: Engine, call: EstimateCall): Promise<TableEstimate> {
  const { table, rules, nowMicros, onRows } = call;
  const share = call.share ?? (await shareOf(engine, table));
  // Not by family: a declared one may not be stored yet, and a filter that names it would fail.
  const filter: Filter | undefined =
    share < 1 ? { kind: 'rowSample', probability: share } : undefined;
  const tally = new Tally(rules, nowMicros);
  const stream = engine.readRows({ table, ranges: [everyKey], reversed: false, filter });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) tally.addRow(page);
      onRows?.(tally.rows);
    }
  } finally {
    await stream.close();
  }
  return { table, rows: tally.rows, share, families: tally.results(share) };
}

async function shareOf(engine: Engine, table: string): Promise<number> {
  const samples = await engine.sampleRowKeys(table);
  const bytes = samples.at(-1)?.offsetBytes ?? 0;
  if (bytes <= exactBytes) return 1;
  return sampledBytes / bytes;
}

/** Sums of one quantity over the rows that were read. */
class Sum {
  #sum = 0;
  #squares = 0;
  /** Rows in which it is not zero. */
  #rows = 0;

  addRow(value: number): void {
    if (value === 0) return;
    this.#sum += value;
    this.#squares += value * value;
    this.#rows++;
  }

  /**
   * The total of the table. Every row is read with the probability `share` on its own, so the sum
   * divided by it is unbiased, and its variance is estimated by (1 - p) / p² of the squares.
   * `perRow` is the mean in rows that have any: a bound where no row of the sample does.
   */
  estimate(share: number, perRow: number): Estimate {
    const value = this.#sum / share;
    if (share >= 1) return { value, low: value, high: value };
    // With 95 % probability fewer than 3 / p rows have what no row of the sample has.
    if (this.#rows === 0) return { value: 0, low: 0, high: Math.ceil((3 / share) * perRow) };
    const deviation = Math.sqrt(((1 - share) / share ** 2) * this.#squares);
    const margin = quantile(this.#rows) * deviation;
    return {
      value: Math.round(value),
      // What was read exists.
      low: Math.max(this.#sum, Math.floor(value - margin)),
      high: Math.ceil(value + margin),
    };
  }

  get perRow(): number {
    return this.#rows === 0 ? 1 : this.#sum / this.#rows;
  }
}

/** Of Student's distribution for 95 %, close enough from two rows on; wide for a few rows. */
function quantile(rows: number): number {
  const freedom = Math.max(1, rows - 1);
  if (freedom === 1) return 12.71;
  if (freedom === 2) return 4.3;
  return 1.96 + 2.4 / freedom + 3 / freedom ** 2;
}

interface Sums {
  readonly cells: Sum;
  readonly bytes: Sum;
}
const newSums = (): Sums => ({ cells: new Sum(), bytes: new Sum() });

/** What one row has of a family. */
interface RowCount {
  cells: number;
  bytes: number;
}

class FamilyTally {
  readonly stored = newSums();
  readonly due: Readonly<Record<Horizon, Sums>> = {
    now: newSums(),
    day: newSums(),
    week: newSums(),
    month: newSums(),
  };
  /** The rule removes nothing, so that nothing is due however few rows were read. */
  readonly isKept: boolean;
  readonly #removal: Removal;
  #inRow: RowCount = { cells: 0, bytes: 0 };
  #dueInRow: Record<Horizon, RowCount> = newRow();

  constructor(rule: GcRule | undefined) {
    this.isKept = normalGcRule(rule) === undefined;
    this.#removal = removalAge(rule);
  }

  /** `newer` is the number of newer cells in the column, `age` in microseconds. */
  add(newer: number, age: number, bytes: number): void {
    count(this.#inRow, bytes);
    const due = this.#removal(newer);
    for (const horizon of horizons)
      if (age + horizonMicros[horizon] > due) count(this.#dueInRow[horizon], bytes);
  }

  endRow(): void {
    if (this.#inRow.cells === 0) return;
    addRow(this.stored, this.#inRow);
    for (const horizon of horizons) addRow(this.due[horizon], this.#dueInRow[horizon]);
    this.#inRow = { cells: 0, bytes: 0 };
    this.#dueInRow = newRow();
  }
}

function newRow(): Record<Horizon, RowCount> {
  const none = (): RowCount => ({ cells: 0, bytes: 0 });
  return { now: none(), day: none(), week: none(), month: none() };
}

function count(row: RowCount, bytes: number): void {
  row.cells++;
  row.bytes += bytes;
}

function addRow(sums: Sums, row: RowCount): void {
  sums.cells.addRow(row.cells);
  sums.bytes.addRow(row.bytes);
}

class Tally {
  rows = 0;
  readonly #families: ReadonlyMap<string, FamilyTally>;
  readonly #nowMicros: number;

  constructor(rules: EstimateCall['rules'], nowMicros: number) {
    this.#families = new Map([...rules].map(([name, rule]) => [name, new FamilyTally(rule)]));
    this.#nowMicros = nowMicros;
  }

  addRow(row: RowCursor): void {
    this.rows++;
    let family = '';
    let qualifier: Uint8Array | undefined;
    let newer = 0;
    while (row.nextCell()) {
      const own = copyBytes(row.qualifierBytes, row.qualifierStart, row.qualifierEnd);
      const isSame =
        row.family === family && qualifier !== undefined && compareBytes(own, qualifier) === 0;
      newer = isSame ? newer + 1 : 0;
      family = row.family;
      qualifier = own;
      const bytes = row.valueEnd - row.valueStart + own.length + timestampBytes;
      const age = this.#nowMicros - Number(row.timestamp());
      this.#families.get(family)?.add(newer, age, bytes);
    }
    for (const each of this.#families.values()) each.endRow();
  }

  results(share: number): FamilyEstimate[] {
    return [...this.#families].map(([family, { stored, due, isKept }]) => {
      const amount = (sums: Sums): Amount => ({
        cells: sums.cells.estimate(share, stored.cells.perRow),
        bytes: sums.bytes.estimate(share, stored.bytes.perRow),
      });
      const dueAmount = (horizon: Horizon): Amount => (isKept ? none : amount(due[horizon]));
      return {
        family,
        stored: amount(stored),
        due: {
          now: dueAmount('now'),
          day: dueAmount('day'),
          week: dueAmount('week'),
          month: dueAmount('month'),
        },
      };
    });
  }
}
