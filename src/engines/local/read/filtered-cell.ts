/** What a filter sees of a row: its cells in order, and the row itself. */
import type { OrderedStore } from '../kv/ordered-store.js';
import { loadOverflow } from '../row/overflow-store.js';
import { readUint32 } from '../kv/record.js';

/** Where a cell's large value lies. */
export interface ValuePart {
  readonly store: OrderedStore;
  readonly table: number;
  readonly part: number;
}

/** One cell of the row that is being filtered; its bytes are stable until the next row. */
export class FilterCell {
  readonly #valueStart: number;
  /** Undefined when the value lies in the run. */
  readonly #part: ValuePart | undefined;

  constructor(
    /** Place in the row, so that what several filters give can be put in order. */
    readonly place: number,
    readonly family: string,
    /** Bytes of the run that holds the cell. */
    readonly bytes: Uint8Array,
    readonly qualifierStart: number,
    readonly qualifierEnd: number,
    readonly timestampStart: number,
    valueStart: number,
    readonly valueLength: number,

    part: ValuePart | undefined,
    readonly labels: readonly string[],
  ) {
    this.#valueStart = valueStart;
    this.#part = part;
  }

  timestamp(): bigint {
    return (
      (BigInt(readUint32(this.bytes, this.timestampStart)) << 32n) |
      BigInt(readUint32(this.bytes, this.timestampStart + 4))
    );
  }

  /**
   * Where the value lies, read from its part where it has one. Not kept: a row's large values
   * together need not fit into memory.
   */
  value(): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
    const { bytes, valueLength } = this;
    const part = this.#part;
    const start = this.#valueStart;
    if (part === undefined) return { bytes, start, end: start + valueLength };
    return { bytes: loadOverflow(part.store, part.table, part.part), start: 0, end: valueLength };
  }

  /** The same cell without its value. */
  stripped(): FilterCell {
    return new FilterCell(
      this.place,
      this.family,
      this.bytes,
      this.qualifierStart,
      this.qualifierEnd,
      this.timestampStart,
      0,
      0,
      undefined,
      this.labels,
    );
  }

  /** The same cell with a label more. */
  labelled(label: string): FilterCell {
    const {
      place,
      family,
      bytes,
      qualifierStart,
      qualifierEnd,
      timestampStart,
      valueLength,
      labels,
    } = this;
    const valueStart = this.#valueStart;
    const part = this.#part;
    return new FilterCell(
      place,
      family,
      bytes,
      qualifierStart,
      qualifierEnd,
      timestampStart,
      valueStart,
      valueLength,
      part,
      [...labels, label],
    );
  }
}

/** The row whose cells are being filtered. */
export interface FilterRow {
  readonly keyBytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Cells that a sink put into the answer. */
  readonly sunk: FilterCell[];
}

/** The cells in the order of their places; those of one place stay in the order they come in. */
export function inOrder(cells: FilterCell[]): FilterCell[] {
  return cells.sort((a, b) => a.place - b.place);
}
