/** What a write leaves of a row: the cells on which entries and copies depend. */
import { latin1Text } from '../../../base/index.js';
import { type ColumnModel, qualifiersOf } from '../../model/index.js';
import type { Micros, Mutation } from '../../../data/store/index.js';

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
export interface WrittenChange {
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
  /** At least the timestamp of the newest cell of each column; -1 if the storage gives it. */
  readonly times: Map<string, bigint>;
}

/** Names a column. */
export function columnId(family: string, qualifier: Uint8Array): string {
  return `${family}:${latin1Text(qualifier)}`;
}

/** The newest cell of the first qualifier that has one. */
export function newestValue(cells: CellValues, column: ColumnModel): Uint8Array | undefined {
  for (const qualifier of qualifiersOf(column)) {
    const value = cells.get(columnId(column.family, qualifier));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The row after a write. */
export function rowAfter(
  seen: RowBefore,
  { mutations, keepsTimes = false }: WrittenChange,
): RowAfter {
  const cells = new Map(seen.cells);
  const times = new Map(seen.times);
  const orderOf = (id: string): bigint | undefined => (keepsTimes ? times.get(id) : undefined);
  let { exists } = seen;
  const columns = seen.columns && new Set(seen.columns);
  const remove = (id: string): void => {
    cells.delete(id);
    times.delete(id);
    columns?.delete(id);
  };
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') {
      for (const id of [...times.keys(), ...(columns ?? [])]) remove(id);
      exists = false;
    } else if (mutation.kind === 'deleteFromFamily') {
      const prefix = `${mutation.family}:`;
      for (const id of [...times.keys(), ...(columns ?? [])]) if (id.startsWith(prefix)) remove(id);
    } else if (mutation.kind === 'deleteFromColumn') {
      // A write with a condition deletes the cells of all times: see newestWrite.
      const id = columnId(mutation.family, mutation.qualifier);
      if (mutation.start !== undefined) deleteSince(times, id, mutation);
      else if (!isNewer(orderOf(id), mutation.end)) remove(id);
    } else {
      exists = true;
      const id = columnId(mutation.family, mutation.qualifier);
      const isOlder = isNewer(orderOf(id), mutation.timestamp, 1n);
      if (mutation.kind === 'setCell' && !isOlder) cells.set(id, mutation.value);
      setTime(times, id, mutation.timestamp);
    }
  }
  // Of a row from which only columns are deleted, what is left is known.
  if (columns !== undefined) exists = columns.size > 0;
  return { exists, cells, times };
}

/** Older cells may be left. */
function deleteSince(
  times: Map<string, bigint>,
  id: string,
  { start, end }: { readonly start?: Micros; readonly end?: Micros },
): void {
  const time = times.get(id);
  if (end === undefined && time !== undefined && time >= start!) times.set(id, BigInt(start!));
}

function setTime(times: Map<string, bigint>, id: string, timestamp: Micros): void {
  const time = BigInt(timestamp);
  const before = times.get(id);
  if (time < 0 || before === undefined || (before >= 0 && before < time)) times.set(id, time);
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
 * The time of the cells that a write copies: the time of its cells, otherwise of the newest cell of
 * the row in these families.
 */
export function copyTime(
  { times }: RowBefore,
  { mutations }: WrittenChange,
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
