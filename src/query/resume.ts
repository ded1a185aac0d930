/** What is left of a read after a row: for pages, and for going on where a read ended early. */
import { intersectRanges, type KeyRange, nextKey, rangeFrom } from '../bytes/key-range.js';

/** The part of sorted ranges that comes after `last` in reading order, `last` itself left out. */
export function rangesAfter(ranges: readonly KeyRange[], last: Uint8Array, reversed: boolean): readonly KeyRange[] {
  const rest = reversed ? rangeFrom(new Uint8Array(0), last) : rangeFrom(nextKey(last), undefined);
  if (reversed && last.length === 0) return [];
  return ranges.flatMap((range) => intersectRanges(range, rest) ?? []);
}
