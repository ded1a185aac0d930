/**
 * The rows and cells of response messages as offsets in flat integer arrays, which pages iterate
 * over. A cell takes ten integers and no object.
 */
import { compareSlices, noBytes } from '../../../base/index.js';
import { noLabels, type RowCursor } from '../../../data/store/index.js';

/**
 * Integers per cell, in this order: family, qualifier (buffer, start, end), value (buffer, start,
 * end), timestamp (low, high), labels.
 */
export const cellInts = 10;
/** Integers per row: key (buffer, start, end), cells (start, end). Ends are exclusive. */
export const rowInts = 5;

const initialCells = 64;
const initialRows = 16;
const noInts = new Int32Array(0);

/** Complete rows, followed by the cells of the row that is still being received. */
export class RowIndex {
  cells = noInts;
  rows = noInts;
  cellCount = 0;
  rowCount = 0;
  /** Messages, and values that were assembled from several chunks. */
  readonly buffers: Uint8Array[] = [];
  /** Label lists by number; 0 is the empty list. */
  readonly labels: (readonly string[])[] = [noLabels];

  /** `families` are the family names by number; the list may grow during the read. */
  constructor(readonly families: readonly string[]) {}

  /** Number of cells in complete rows. */
  get completeCells(): number {
    return this.rowCount === 0 ? 0 : this.rows[(this.rowCount - 1) * rowInts + 4];
  }

  /** Doubles the capacity for cells. */
  growCells(): void {
    const longer = new Int32Array(Math.max(initialCells * cellInts, 2 * this.cells.length));
    longer.set(this.cells);
    this.cells = longer;
  }

  /** Doubles the capacity for rows. */
  growRows(): void {
    const longer = new Int32Array(Math.max(initialRows * rowInts, 2 * this.rows.length));
    longer.set(this.rows);
    this.rows = longer;
  }

  /**
   * Sorts the cells from `first` on by family, in the order of `families`, which are numbers. The
   * order inside a family is kept.
   */
  groupFamilies(first: number, families: readonly number[]): void {
    const { cells, cellCount } = this;
    const offsets = Array.from(
      { length: cellCount - first },
      (_, i) => (first + i) * cellInts,
    ).sort((a, b) => families.indexOf(cells[a]) - families.indexOf(cells[b]));
    const ordered = new Int32Array(offsets.length * cellInts);
    offsets.forEach((offset, i) =>
      ordered.set(cells.subarray(offset, offset + cellInts), i * cellInts),
    );
    cells.set(ordered, first * cellInts);
  }

  /**
   * Drops the complete rows and moves the cells of the incomplete one to the front. Buffers are
   * renumbered: returns the new numbers of the buffers in `referenced` (-1 stays -1).
   */
  dropRows(referenced: readonly number[]): number[] {
    const from = this.completeCells;
    this.cells.copyWithin(0, from * cellInts, this.cellCount * cellInts);
    this.cellCount -= from;
    this.rowCount = 0;
    const before = this.buffers.splice(0);
    const numbers = new Map<number, number>();
    const renumber = (old: number): number => {
      let number = numbers.get(old);
      if (number === undefined) {
        number = this.buffers.push(before[old]) - 1;
        numbers.set(old, number);
      }
      return number;
    };
    if (this.cellCount === 0) this.labels.length = 1;
    for (let at = 0; at < this.cellCount * cellInts; at += cellInts) {
      this.cells[at + 1] = renumber(this.cells[at + 1]);
      this.cells[at + 4] = renumber(this.cells[at + 4]);
    }
    return referenced.map((number) => {
      if (number < 0) return number;
      return renumber(number);
    });
  }

  /** A copy of a complete row that stays valid when the index is reused. */
  retain(row: number): RetainedRow {
    const copy = new RowIndex(this.families);
    copy.rows = this.rows.slice(row * rowInts, (row + 1) * rowInts);
    copy.cells = this.cells.slice(copy.rows[3] * cellInts, copy.rows[4] * cellInts);
    copy.rows[4] -= copy.rows[3];
    copy.rows[3] = 0;
    copy.buffers.push(...this.buffers);
    copy.labels.push(...this.labels.slice(1));
    return new RetainedRow(copy);
  }
}

/** One row that stays valid after the next message or page. */
export class RetainedRow {
  readonly #index: RowIndex;

  constructor(index: RowIndex) {
    this.#index = index;
  }

  /** Compares the row's key with `key`: negative if the row's is less. */
  compareKey(key: Uint8Array): number {
    const { rows, buffers } = this.#index;
    return compareSlices(buffers[rows[0]], rows[1], rows[2], key, 0, key.length);
  }

  /** A new page with this row only. */
  cursor(): RowCursor {
    return new RowIndexCursor(this.#index).begin(0, 1);
  }
}

/** A page: a range of the complete rows of an index. */
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
  /** Offsets in `cells`. */
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

  /** Positions the cursor before the rows `[start, end)` of the index. */
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
    // Below 2^53 the sum is exact in a number, which is faster than bigint arithmetic.
    if (high >= 0 && high < 0x20_0000) return BigInt(high * 0x1_0000_0000 + (low >>> 0));
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  }
}
