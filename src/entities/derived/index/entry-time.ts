/**
 * The timestamps of entries: with them garbage collection takes an entry when its row leaves the
 * index.
 */
import {
  type ColumnModel,
  type EntryExpiry,
  type IndexModel,
  qualifiersOf,
} from '../../model/index.js';
import type { Micros } from '../../../data/store/index.js';
import { columnId } from '../row/row-after.js';

/** Timestamps by column. */
export type CellTimes = ReadonlyMap<string, bigint>;

type Ages = EntryExpiry['ages'];

/** The time of a cell that takes the clock of the storage. */
export const givenByStorage = -1n;

/** Later than the end of all cells. */
const never = 1n << 64n;
/** The end of the year 9999 in milliseconds: the entry does not expire. */
const latestTime = 253_402_300_799_999;

/**
 * The timestamp of an entry in milliseconds, for a row with cells of these times: never so early
 * that the entry expires before the row leaves the index. 0 if entries do not expire.
 */
export function entryTime({ expiry }: IndexModel, times: CellTimes): number {
  if (expiry === undefined) return 0;
  const time = Number((endOfEntry(expiry, times) - BigInt(expiry.age) + 999n) / 1000n);
  return Math.min(latestTime, Math.max(0, time));
}

/**
 * The timestamp of a covered cell in milliseconds, in an entry of this time: it expires with the
 * cell of the row, which has the timestamp `cell`.
 */
export function coveredTime(
  { expiry }: IndexModel,
  { family, cell }: { readonly family: string; readonly cell: bigint },
  time: number,
): number {
  if (expiry?.ages.has(family) !== true) return time;
  const own = endOf(expiry.ages, family, cell) - BigInt(expiry.age);
  return Math.max(0, Math.min(time, Number((own + 999n) / 1000n)));
}

/** When the row leaves the entry. */
function endOfEntry({ ages, needed, lasts }: EntryExpiry, times: CellTimes): bigint {
  const ends = needed.map((column) => endOfColumn(ages, column, times) ?? 0n);
  if (lasts) ends.push(endOfRow(ages, times));
  return ends.reduce((first, end) => (end < first ? end : first), never);
}

/** When the last cell is collected. */
function endOfRow(ages: Ages, times: CellTimes): bigint {
  let end = 0n;
  for (const [id, time] of times) {
    const own = endOf(ages, id.slice(0, id.indexOf(':')), time);
    if (own > end) end = own;
  }
  return end;
}

/** When the value of a column is collected; undefined if it has none. */
function endOfColumn(ages: Ages, column: ColumnModel, times: CellTimes): bigint | undefined {
  for (const qualifier of qualifiersOf(column)) {
    const time = times.get(columnId(column.family, qualifier));
    if (time !== undefined) return endOf(ages, column.family, time);
  }
  return undefined;
}

/** When a cell is collected; 0 if it does not matter. */
function endOf(ages: Ages, family: string, time: bigint): bigint {
  const age = ages.get(family);
  if (age === undefined) return 0n;
  return time === givenByStorage || age === Infinity ? never : time + BigInt(age);
}

/** Whether storage may have collected an entry that has this time; both are in milliseconds. */
export function isExpired({ expiry }: IndexModel, time: number, now: number): boolean {
  return expiry !== undefined && time + expiry.age / 1000 < now;
}

/** A time in milliseconds as a timestamp. */
export function timestampOf(time: number): Micros {
  return time === 0 ? 0 : BigInt(time) * 1000n;
}
