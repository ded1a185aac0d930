/**
 * The parts of one table inside one commit: chunks of large families and large values, each a pair
 * of its own under a number. Nothing is written before `apply`, so a refused mutation leaves no
 * trace.
 */
import { RowsmithError } from '../../../errors.js';
import type { DraftCell } from './cell-entry.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { largestInlineValue } from '../kv/record.js';
import { partKey } from '../kv/store-key.js';

/** Gives out part numbers, each once in the life of the database. */
export interface PartNumbers {
  next(): number;
}

/** Reads parts, and gathers what is to be written and removed. */
export class PartStore {
  readonly #written = new Map<number, Uint8Array>();
  readonly #removed = new Set<number>();
  /** Bytes of the cells that were deleted. */
  droppedBytes = 0;

  readonly #store: OrderedStore;
  readonly #table: number;
  readonly #numbers: PartNumbers;

  constructor(store: OrderedStore, table: number, numbers: PartNumbers) {
    this.#store = store;
    this.#table = table;
    this.#numbers = numbers;
  }

  /** The bytes of a part. */
  load(part: number): Uint8Array {
    return this.#written.get(part) ?? loadPart(this.#store, this.#table, part);
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
  keep(cell: DraftCell): void {
    if (cell.length > largestInlineValue && cell.part === 0) cell.part = this.write(0, cell.value!);
  }

  /** Forgets the value of a deleted cell. */
  drop(cell: DraftCell): void {
    this.droppedBytes += cell.qualifier.length + 8 + cell.length;
    this.remove(cell.part);
  }

  /** The value of a cell, loaded when it lies in a part. */
  value(cell: DraftCell): Uint8Array {
    return (cell.value ??= this.load(cell.part));
  }

  /** Writes and removes what was gathered. */
  apply(writer: PairWriter): void {
    for (const [part, bytes] of this.#written) writer.put(partKey(this.#table, part), bytes);
    for (const part of this.#removed) writer.remove(partKey(this.#table, part));
  }
}

/** The bytes of a part that a record names. */
export function loadPart(store: OrderedStore, table: number, part: number): Uint8Array {
  const bytes = store.get(partKey(table, part));
  if (bytes !== undefined) return bytes;
  throw new RowsmithError('CORRUPT_DATA', {
    table,
    part,
    problem: 'a row names a part that is not there',
    fix: 'restore the directory from a backup',
  });
}
