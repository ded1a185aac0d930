/**
 * The timestamps of entries: with them garbage collection takes an entry when its row leaves the
 * index.
 */
import { type EntryExpiry, type IndexModel, qualifiersOf } from '../../model/index.js';
import type { Micros } from '../../store/index.js';
import { columnId } from '../row/row-after.js';

/** Timestamps by column. */
export type CellTimes = ReadonlyMap<string, bigint>;

/** The time of a cell that takes the clock of the storage. */
export const givenByStorage = -1n;

/** Later than the end of all cells. */
const never = 1n << 64n;
/** The latest time of a Date, in milliseconds: the entry does not expire. */
const latestTime = 8_640_000_000_000_000;

/**
 * The timestamp of an entry in milliseconds, for a row with cells of these times: never so early
 * that the entry expires before the row leaves the index. 0 if entries do not expire.
 */
export function entryTime({ expiry }: IndexModel, times: CellTimes): number {
  if (expiry === undefined) return 0;
  const end = expiry.columns === undefined ? endOfRow(expiry, times) : firstEnd(expiry, times);
  const time = Number((end - BigInt(expiry.age) + 999n) / 1000n);
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

/** When the last cell is collected. */
function endOfRow({ ages }: EntryExpiry, times: CellTimes): bigint {
  let end = 0n;
  for (const [id, time] of times)
    end = latest(end, endOf(ages, id.slice(0, id.indexOf(':')), time));
  return end;
}

/** When the first of the columns has no cell any more. */
function firstEnd({ ages, columns }: EntryExpiry, times: CellTimes): bigint {
  let first = never;
  for (const column of columns!) {
    let end = 0n;
    for (const qualifier of qualifiersOf(column)) {
      const time = times.get(columnId(column.family, qualifier));
      end = latest(end, endOf(ages, column.family, time));
    }
    if (end < first) first = end;
  }
  return first;
}

/** When a cell is collected; 0 if there is none. */
function endOf(ages: EntryExpiry['ages'], family: string, time: bigint | undefined): bigint {
  const age = ages.get(family);
  if (time === undefined || age === undefined) return 0n;
  return time === givenByStorage ? never : time + BigInt(age);
}

function latest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Whether storage may have collected an entry that has this time; both are in milliseconds. */
export function isExpired({ expiry }: IndexModel, time: number, now: number): boolean {
  return expiry !== undefined && time + expiry.age / 1000 < now;
}

/** A time in milliseconds as a timestamp. */
export function timestampOf(time: number): Micros {
  return time === 0 ? 0 : BigInt(time) * 1000n;
}
