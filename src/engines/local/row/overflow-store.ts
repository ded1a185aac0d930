/**
 * The parts of one table inside one commit: chunks of large families and large values, each a pair
 * of its own under a number. Nothing is written before `apply`, so a refused mutation leaves no
 * trace.
 */
import { RowsmithError } from '../../../errors.js';
import type { CellEntry } from './cell-entry.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { maxInlineValueBytes } from '../kv/record.js';
import { overflowKey } from '../kv/store-key.js';

/** Gives out part numbers, each once in the life of the database. */
export interface OverflowIds {
  next(): number;
}

/** Reads parts, and gathers what is to be written and removed. */
export class OverflowStore {
  readonly #written = new Map<number, Uint8Array>();
  readonly #removed = new Set<number>();
  /** Bytes of the cells that were deleted. */
  droppedBytes = 0;

  readonly #store: OrderedStore;
  readonly #table: number;
  readonly #numbers: OverflowIds;

  constructor(store: OrderedStore, table: number, numbers: OverflowIds) {
    this.#store = store;
    this.#table = table;
    this.#numbers = numbers;
  }

  /** The bytes of a part. */
  load(part: number): Uint8Array {
    return this.#written.get(part) ?? loadOverflow(this.#store, this.#table, part);
  }

  /** Writes a part, under the number it has or a new one. */
  write(part: number, bytes: Uint8Array): number {
    const number = part === 0 ? this.#numbers.next() : part;
    this.#written.set(number, bytes);
    return number;
  }

  /** Forgets a part; 0 is none. */
  remove(part: number): void {
    if (part === 0) return;
    this.#written.delete(part);
    this.#removed.add(part);
  }

  /** Gives a large value its part. */
  keep(cell: CellEntry): void {
    if (cell.length > maxInlineValueBytes && cell.part === 0)
      cell.part = this.write(0, cell.value!);
  }

  /** Forgets the value of a deleted cell. */
  drop(cell: CellEntry): void {
    this.droppedBytes += cell.qualifier.length + 8 + cell.length;
    this.remove(cell.part);
  }

  /** The value of a cell, loaded when it lies in a part. */
  value(cell: CellEntry): Uint8Array {
    return (cell.value ??= this.load(cell.part));
  }

  /** Writes and removes what was gathered. */
  apply(writer: PairWriter): void {
    for (const [part, bytes] of this.#written) writer.put(overflowKey(this.#table, part), bytes);
    for (const part of this.#removed) writer.remove(overflowKey(this.#table, part));
  }
}

/** The bytes of a part that a record names. */
export function loadOverflow(store: OrderedStore, table: number, part: number): Uint8Array {
  const bytes = store.get(overflowKey(table, part));
  if (bytes !== undefined) return bytes;
  throw new RowsmithError('CORRUPT_DATA', {
    table,
    part,
    problem: 'a row names a part that is not there',
    fix: 'restore the directory from a backup',
  });
}
