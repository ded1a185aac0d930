/** The input of a filter: a row and its cells. */
import {
  maxFilteredCells,
  maxRowBytes,
  RowsmithError,
  type FaultTexts,
} from '../../../../base/index.js';
import { readUint64BE } from '../../kv/bytes.js';
import type { OrderedStore } from '../../kv/ordered-store.js';
import { loadOverflow } from '../../row/record/overflow-store.js';

/** A reference to a large value. */
export interface OverflowValue {
  readonly store: OrderedStore;
  readonly table: number;
  readonly overflowId: number;
}

/** A cell of the row that is being filtered. Its bytes are valid until the next row. */
export class FilterCell {
  readonly #valueStart: number;
  /** Undefined when the value is in the run. */
  readonly #overflow: OverflowValue | undefined;

  constructor(
    /** Index in the row, by which the results of several filters are sorted. */
    readonly index: number,
    readonly family: string,
    /** The run that holds the cell. */
    readonly bytes: Uint8Array,
    readonly qualifierStart: number,
    readonly qualifierEnd: number,
    readonly timestampStart: number,
    valueStart: number,
    readonly valueLength: number,
    overflow: OverflowValue | undefined,
    readonly labels: readonly string[],
  ) {
    this.#valueStart = valueStart;
    this.#overflow = overflow;
  }

  timestamp(): bigint {
    return readUint64BE(this.bytes, this.timestampStart);
  }

  /**
   * Returns the value, loading it if it is large. Large values are not cached, because the values
   * of a row may together not fit into memory.
   */
  value(): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
    const { bytes, valueLength } = this;
    const overflow = this.#overflow;
    const start = this.#valueStart;
    if (overflow === undefined) return { bytes, start, end: start + valueLength };
    const { store, table, overflowId } = overflow;
    return { bytes: loadOverflow(store, table, overflowId), start: 0, end: valueLength };
  }

  /** Returns the cell without its value. */
  stripped(): FilterCell {
    return this.#with(0, undefined, this.labels);
  }

  /** Returns the cell with an additional label. */
  labelled(label: string): FilterCell {
    return this.#with(this.valueLength, this.#overflow, [...this.labels, label]);
  }

  #with(
    length: number,
    overflow: OverflowValue | undefined,
    labels: readonly string[],
  ): FilterCell {
    return new FilterCell(
      this.index,
      this.family,
      this.bytes,
      this.qualifierStart,
      this.qualifierEnd,
      this.timestampStart,
      this.#valueStart,
      length,
      overflow,
      labels,
    );
  }
}

/** The row that is being filtered. */
export interface FilterRow {
  readonly keyBytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The cells of the row, before the filter. */
  readonly cells: readonly FilterCell[];
  /** Cells that a sink has added to the result. */
  readonly sinkCells: FilterCell[];
  /** Work done so far: about the number of cells that each step of the filter has visited. */
  work: number;
}

/** Sorts cells by their index in the row; copies of a cell keep their order. */
export function sortCells(cells: FilterCell[]): FilterCell[] {
  return cells.sort((a, b) => a.index - b.index);
}

/**
 * Throws LIMIT_EXCEEDED when a filter has copied cells until there are more than
 * `maxFilteredCells`, or their values have more than `maxRowBytes`. A row that is larger itself may
 * be read, but its cells may not be copied.
 */
export function checkMadeCells(made: readonly FilterCell[], { cells }: FilterRow): void {
  if (made.length <= cells.length) return;
  if (made.length > maxFilteredCells)
    throw limitExceeded(`${made.length} cells, the limit is ${maxFilteredCells}`);
  const bytes = valueBytes(made);
  if (bytes > maxRowBytes && bytes > valueBytes(cells))
    throw limitExceeded(`cells with ${bytes} bytes of values, the limit is ${maxRowBytes}`);
}

function limitExceeded(made: string): RowsmithError {
  return new RowsmithError('LIMIT_EXCEEDED', { property: 'filter', ...faults.tooManyCopies(made) });
}

function valueBytes(cells: readonly FilterCell[]): number {
  let bytes = 0;
  for (const { valueLength } of cells) bytes += valueLength;
  return bytes;
}

const faults = {
  tooManyCopies: (made: string) => ({
    problem: `the filter copies the cells of a row to ${made}`,
    fix: 'interleave fewer filters that pass the same cells',
  }),
} satisfies FaultTexts;
