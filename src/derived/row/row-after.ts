/** What a write leaves of a row: the cells on which entries and copies depend. */
import { latin1Text } from '../../bytes/index.js';
import { type ColumnModel, qualifiersOf } from '../../model/index.js';
import type { Micros, Mutation } from '../../store/index.js';

/** The newest value of each column, by family and qualifier. */
export type CellValues = ReadonlyMap<string, Uint8Array>;

/** A row before a write, as far as it was read. */
export interface RowBefore {
  readonly exists: boolean;
  readonly cells: CellValues;
  /** The timestamp of the newest cell of each column. */
  readonly times: ReadonlyMap<string, bigint>;
  /** All columns of the entity that have a cell; undefined if they were not read. */
  readonly columns: ReadonlySet<string> | undefined;
}

/** What is written to a row. */
export interface RowChange {
  readonly mutations: readonly Mutation[];
  /**
   * Whether cells keep their timestamps, so that the write is not always the newest: then each
   * column has the cell with the newest timestamp.
   */
  readonly keepsTimes?: boolean | undefined;
}

/** A row after a write. */
export interface RowAfter {
  readonly exists: boolean;
  readonly cells: Map<string, Uint8Array>;
}

/** Names a column. */
export function columnId(family: string, qualifier: Uint8Array): string {
  return `${family}:${latin1Text(qualifier)}`;
}

/** The newest cell of the first qualifier that has one. */
export function valueOf(cells: CellValues, column: ColumnModel): Uint8Array | undefined {
  for (const qualifier of qualifiersOf(column)) {
    const value = cells.get(columnId(column.family, qualifier));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The row after a write. */
export function rowAfter(seen: RowBefore, { mutations, keepsTimes = false }: RowChange): RowAfter {
  const cells = new Map(seen.cells);
  const times = keepsTimes ? new Map(seen.times) : undefined;
  let { exists } = seen;
  const columns = seen.columns && new Set(seen.columns);
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') {
      cells.clear();
      columns?.clear();
      times?.clear();
      exists = false;
    } else if (mutation.kind === 'deleteFromFamily') {
      const prefix = `${mutation.family}:`;
      for (const id of cells.keys()) if (id.startsWith(prefix)) cells.delete(id);
      for (const id of columns ?? []) if (id.startsWith(prefix)) columns!.delete(id);
    } else if (mutation.kind === 'deleteFromColumn') {
      // A write with a condition deletes the cells of all times: see newestWrite.
      const id = columnId(mutation.family, mutation.qualifier);
      if (mutation.start !== undefined || isNewer(times?.get(id), mutation.end)) continue;
      cells.delete(id);
      columns?.delete(id);
    } else {
      exists = true;
      if (mutation.kind !== 'setCell') continue;
      const id = columnId(mutation.family, mutation.qualifier);
      if (isNewer(times?.get(id), mutation.timestamp, 1n)) continue;
      cells.set(id, mutation.value);
      times?.set(id, BigInt(mutation.timestamp));
    }
  }
  // Of a row from which only columns are deleted, what is left is known.
  if (columns !== undefined) exists = columns.size > 0;
  return { exists, cells };
}

/**
 * Whether a stored cell is at least `by` newer than a time. Times that the storage gives, and none,
 * are newer than all.
 */
function isNewer(stored: bigint | undefined, time: Micros | undefined, by = 0n): boolean {
  if (stored === undefined || time === undefined || time < 0) return false;
  return stored >= BigInt(time) + by;
}

/**
 * The time of the cells that a write copies: that of its own cells, or of those of the row, which
 * are in these families.
 */
export function copyTime(
  { times }: RowBefore,
  { mutations }: RowChange,
  families: readonly string[],
): Micros {
  const written = mutations.find((mutation) => mutation.kind === 'setCell');
  if (written !== undefined) return written.timestamp;
  let newest: bigint | undefined;
  for (const [id, time] of times)
    if (families.includes(id.slice(0, id.indexOf(':'))) && (newest === undefined || time > newest))
      newest = time;
  return newest ?? -1;
}
