/**
 * The overflow values of a row that is being changed: chunks of large families and large cell
 * values, each a pair of the store. Nothing is written before `apply`, so a rejected mutation
 * changes nothing.
 */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { CellEntry } from './cell-entry.js';
import type { OrderedStore, PairWriter } from '../../kv/ordered-store.js';
import { maxInlineValueBytes } from './record-limits.js';
import { overflowKey } from '../../kv/store-key.js';

/** Allocates overflow IDs. */
export interface OverflowIds {
  next(): number;
}

/** Reads overflow values, and collects those to write and to remove. */
export class OverflowStore {
  readonly #written = new Map<number, Uint8Array>();
  readonly #removed = new Set<number>();
  /** Total bytes of the cells that were deleted. */
  droppedBytes = 0;

  readonly #store: OrderedStore;
  readonly #table: number;
  readonly #ids: OverflowIds;

  constructor(store: OrderedStore, table: number, numbers: OverflowIds) {
    this.#store = store;
    this.#table = table;
    this.#ids = numbers;
  }

  /** Returns the bytes of an overflow value. */
  load(id: number): Uint8Array {
    return this.#written.get(id) ?? loadOverflow(this.#store, this.#table, id);
  }

  /** Writes an overflow value and returns its ID. An ID of 0 allocates a new one. */
  write(id: number, bytes: Uint8Array): number {
    const writtenId = id === 0 ? this.#ids.next() : id;
    this.#written.set(writtenId, bytes);
    return writtenId;
  }

  /** Removes an overflow value. Does nothing for an ID of 0. */
  remove(id: number): void {
    if (id === 0) return;
    this.#written.delete(id);
    this.#removed.add(id);
  }

  /** Writes the value of a cell as an overflow value if it is large and not stored yet. */
  storeValue(cell: CellEntry): void {
    if (cell.length > maxInlineValueBytes && cell.overflowId === 0)
      cell.overflowId = this.write(0, cell.value!);
  }

  /** Removes the overflow value, if any, of a deleted cell. */
  discardCell(cell: CellEntry): void {
    this.droppedBytes += cell.qualifier.length + 8 + cell.length;
    this.remove(cell.overflowId);
  }

  /** Returns the value of a cell, loading it if necessary. */
  loadValue(cell: CellEntry): Uint8Array {
    return (cell.value ??= this.load(cell.overflowId));
  }

  /** Writes the collected changes. */
  apply(writer: PairWriter): void {
    for (const [id, bytes] of this.#written) writer.put(overflowKey(this.#table, id), bytes);
    for (const id of this.#removed) writer.remove(overflowKey(this.#table, id));
  }
}

/** Returns the bytes of an overflow value; CORRUPT_DATA when it does not exist. */
export function loadOverflow(store: OrderedStore, table: number, id: number): Uint8Array {
  const bytes = store.get(overflowKey(table, id));
  if (bytes !== undefined) return bytes;
  throw new RowsmithError('CORRUPT_DATA', {
    table,
    overflowId: id,
    ...faults.missingOverflowValue,
  });
}

const faults = {
  missingOverflowValue: {
    problem: 'a row refers to an overflow value that does not exist',
    fix: 'restore the directory from a backup',
  },
} satisfies FaultTexts;
