/**
 * Where the rows and cells of response messages lie, as numbers in flat arrays: what a page is
 * walked over. A cell costs ten integers and no object.
 */
import { compareSlices, noBytes } from '../../bytes/index.js';
import { noLabels, type RowCursor } from '../../store/index.js';

/**
 * Integers of a cell, in this order: family, qualifier (buffer, start, end), value (buffer, start,
 * end), timestamp (low, high), labels.
 */
export const cellInts = 10;
/** Integers of a row: key (buffer, start, end), cells (first, behind the last). */
export const rowInts = 5;

const firstCells = 64;
const firstRows = 16;
const noInts = new Int32Array(0);

/** Rows that are whole, and behind them the cells of one that is not yet. */
export class RowIndex {
  cells = noInts;
  rows = noInts;
  cellCount = 0;
  rowCount = 0;
  /** Messages, and values that were put together from pieces. */
  readonly buffers: Uint8Array[] = [];
  /** Label lists by number; 0 is none. */
  readonly labels: (readonly string[])[] = [noLabels];

  /** `families` are the names by number, the same list for the whole read. */
  constructor(readonly families: readonly string[]) {}

  /** Cells of the whole rows. */
  get wholeCells(): number {
    return this.rowCount === 0 ? 0 : this.rows[(this.rowCount - 1) * rowInts + 4];
  }

  /** Twice the room for cells. */
  growCells(): void {
    const longer = new Int32Array(Math.max(firstCells * cellInts, 2 * this.cells.length));
    longer.set(this.cells);
    this.cells = longer;
  }

  /** Twice the room for rows. */
  growRows(): void {
    const longer = new Int32Array(Math.max(firstRows * rowInts, 2 * this.rows.length));
    longer.set(this.rows);
    this.rows = longer;
  }

  /**
   * Puts the cells from `first` on in the order of their families; `compare` takes two families'
   * numbers. Inside a family they stay as they are.
   */
  orderFamilies(first: number, compare: (a: number, b: number) => number): void {
    const { cells, cellCount } = this;
    const places = Array.from({ length: cellCount - first }, (_, i) => (first + i) * cellInts).sort(
      (a, b) => compare(cells[a], cells[b]),
    );
    const ordered = new Int32Array(places.length * cellInts);
    places.forEach((place, i) =>
      ordered.set(cells.subarray(place, place + cellInts), i * cellInts),
    );
    cells.set(ordered, first * cellInts);
  }

  /**
   * Forgets the whole rows and moves the cells of the last one, which is not whole, to the front.
   * `kept` are the numbers of buffers that are still pointed at from elsewhere; the answer says
   * what they are now.
   */
  dropRows(kept: readonly number[]): number[] {
    const from = this.wholeCells;
    this.cells.copyWithin(0, from * cellInts, this.cellCount * cellInts);
    this.cellCount -= from;
    this.rowCount = 0;
    const before = this.buffers.splice(0);
    const numbers = new Map<number, number>();
    const renumber = (old: number): number => {
      let number = numbers.get(old);
      if (number === undefined) numbers.set(old, (number = this.buffers.push(before[old]) - 1));
      return number;
    };
    if (this.cellCount === 0) this.labels.length = 1;
    for (let at = 0; at < this.cellCount * cellInts; at += cellInts) {
      this.cells[at + 1] = renumber(this.cells[at + 1]);
      this.cells[at + 4] = renumber(this.cells[at + 4]);
    }
    return kept.map((number) => (number < 0 ? number : renumber(number)));
  }

  /** A copy of one whole row, which stays when this index is filled anew. */
  keep(row: number): RetainedRow {
    const kept = new RowIndex(this.families);
    kept.rows = this.rows.slice(row * rowInts, (row + 1) * rowInts);
    kept.cells = this.cells.slice(kept.rows[3] * cellInts, kept.rows[4] * cellInts);
    kept.rows[4] -= kept.rows[3];
    kept.rows[3] = 0;
    kept.buffers.push(...this.buffers);
    kept.labels.push(...this.labels.slice(1));
    return new RetainedRow(kept);
  }
}

/** One row that stays. */
export class RetainedRow {
  readonly #index: RowIndex;

  constructor(index: RowIndex) {
    this.#index = index;
  }

  /** The order of a key and the row's: negative when the row comes before it. */
  compareKey(key: Uint8Array): number {
    const { rows, buffers } = this.#index;
    return compareSlices(buffers[rows[0]], rows[1], rows[2], key, 0, key.length);
  }

  /** A page that is this row; a new one each time. */
  cursor(): RowCursor {
    return new RowIndexCursor(this.#index).begin(0, 1);
  }
}

/** A page: some of the whole rows of an index. */
export class RowIndexCursor implements RowCursor {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  family = '';
  qualifierBytes: Uint8Array = noBytes;
  qualifierStart = 0;
  qualifierEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  labels: readonly string[] = noLabels;

  #row = 0;
  #rowEnd = 0;
  /** Places in `cells`. */
  #cell = 0;
  #cellEnd = 0;
  #cells: Int32Array;
  #rows: Int32Array;
  readonly #buffers: readonly Uint8Array[];
  #timestampLow = 0;
  #timestampHigh = 0;

  readonly #index: RowIndex;

  constructor(index: RowIndex) {
    this.#index = index;
    this.#cells = index.cells;
    this.#rows = index.rows;
    this.#buffers = index.buffers;
  }

  /** Stands before the rows `[start, end)` of the index. */
  begin(start: number, end: number): this {
    this.#cells = this.#index.cells;
    this.#rows = this.#index.rows;
    this.#row = start * rowInts;
    this.#rowEnd = end * rowInts;
    this.#cell = this.#cellEnd = 0;
    return this;
  }

  nextRow(): boolean {
    const row = this.#row;
    const rows = this.#rows;
    if (row >= this.#rowEnd) return false;
    this.keyBytes = this.#buffers[rows[row]];
    this.keyStart = rows[row + 1];
    this.keyEnd = rows[row + 2];
    this.#cell = rows[row + 3] * cellInts;
    this.#cellEnd = rows[row + 4] * cellInts;
    this.#row = row + rowInts;
    return true;
  }

  nextCell(): boolean {
    const cell = this.#cell;
    const cells = this.#cells;
    const buffers = this.#buffers;
    if (cell >= this.#cellEnd) return false;
    this.family = this.#index.families[cells[cell]];
    this.qualifierBytes = buffers[cells[cell + 1]];
    this.qualifierStart = cells[cell + 2];
    this.qualifierEnd = cells[cell + 3];
    this.valueBytes = buffers[cells[cell + 4]];
    this.valueStart = cells[cell + 5];
    this.valueEnd = cells[cell + 6];
    this.#timestampLow = cells[cell + 7];
    this.#timestampHigh = cells[cell + 8];
    this.labels = this.#index.labels[cells[cell + 9]];
    this.#cell = cell + cellInts;
    return true;
  }

  timestamp(): bigint {
    const low = this.#timestampLow;
    const high = this.#timestampHigh;
    // Today's microseconds are exact in a number, which is quicker made.
    if (high >= 0 && high < 0x20_0000) return BigInt(high * 0x1_0000_0000 + (low >>> 0));
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  }
}
