/** Half-open ranges of row keys, as bytes. All other kinds of bounds are converted to these. */
import { compareBytes, compareSlices, concatBytes, noBytes } from './bytes.js';

/** The keys `start <= key < end` in unsigned byte order. */
export interface KeyRange {
  /** First key of the range, inclusive; empty for the beginning of the table. */
  readonly start: Uint8Array;
  /** End of the range, exclusive; undefined for no upper bound. Never empty. */
  readonly end?: Uint8Array;
}

/** All possible keys. */
export const everyKey: KeyRange = Object.freeze({ start: noBytes });

/**
 * The smallest key greater than every key that starts with `prefix`; undefined if there is none
 * (the prefix is empty or consists of 0xFF only).
 */
export function nextPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  // Buffer.slice() would return a view, and incrementing would change the caller's bytes.
  const next = new Uint8Array(prefix.subarray(0, length));
  next[length - 1]++;
  return next;
}

/** The smallest key greater than `key`: the key followed by one 0x00. */
export function nextKey(key: Uint8Array): Uint8Array {
  return concatBytes(key, new Uint8Array(1));
}

/** All keys that start with `prefix`. */
export function prefixRange(prefix: Uint8Array): KeyRange {
  return rangeFrom(prefix, nextPrefix(prefix));
}

/** The range that contains exactly one key. */
export function pointRange(key: Uint8Array): KeyRange {
  return { start: key, end: nextKey(key) };
}

/** A range from its bounds; an undefined end means no upper bound. */
export function rangeFrom(start: Uint8Array, end: Uint8Array | undefined): KeyRange {
  if (end === undefined) return { start };
  return { start, end };
}

/** True if the range contains exactly one key, as a range of pointRange does. */
export function isPoint({ start, end }: KeyRange): boolean {
  return (
    end !== undefined &&
    end.length === start.length + 1 &&
    end[start.length] === 0 &&
    compareSlices(end, 0, start.length, start, 0, start.length) === 0
  );
}

/** True if the range contains no key. */
export function isEmptyRange({ start, end }: KeyRange): boolean {
  return end !== undefined && compareBytes(start, end) >= 0;
}

/** True if the range contains the key. */
export function rangeContains({ start, end }: KeyRange, key: Uint8Array): boolean {
  return compareBytes(start, key) <= 0 && (end === undefined || compareBytes(key, end) < 0);
}

/** The keys in both ranges; undefined if there are none. */
export function intersectRanges(a: KeyRange, b: KeyRange): KeyRange | undefined {
  const start = larger(a.start, b.start);
  const common = rangeFrom(start, smallerEnd(a.end, b.end));
  if (isEmptyRange(common)) return undefined;
  return common;
}

/** The same keys as sorted, disjoint, non-empty ranges. Adjacent ranges are merged. */
export function unionRanges(ranges: readonly KeyRange[]): KeyRange[] {
  const sorted = ranges
    .filter((range) => !isEmptyRange(range))
    .sort((a, b) => compareBytes(a.start, b.start));
  const union: KeyRange[] = [];
  for (const range of sorted) {
    const last = union.at(-1);
    if (
      last !== undefined &&
      (last.end === undefined || compareBytes(range.start, last.end) <= 0)
    ) {
      union[union.length - 1] = rangeFrom(last.start, largerEnd(last.end, range.end));
    } else {
      union.push(range);
    }
  }
  return union;
}

/**
 * The part of sorted ranges that comes after `last` in reading order, excluding `last` itself. Used
 * for paging, and to resume a read that ended early.
 */
export function rangesAfter(
  ranges: readonly KeyRange[],
  last: Uint8Array,
  reversed: boolean,
): readonly KeyRange[] {
  if (reversed && last.length === 0) return [];
  const rest = reversed ? { start: noBytes, end: last } : { start: nextKey(last) };
  return ranges.flatMap((range) => intersectRanges(range, rest) ?? []);
}

function smallerEnd(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareBytes(a, b) <= 0 ? a : b;
}

function largerEnd(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return undefined;
  return larger(a, b);
}

function larger(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareBytes(a, b) >= 0 ? a : b;
}
