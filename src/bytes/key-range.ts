/**
 * The one range type: half-open, bytes only. Every way to state a bound becomes it here.
 */
import { noBytes } from './bytes.js';
import { compareBytes, concatBytes, equalBytes } from './bytes.js';

/** The keys `start <= key < end` in unsigned byte order; without `end` there is no upper bound. */
export interface KeyRange {
  /** First key of the range, inclusive; empty for the beginning of the table. */
  readonly start: Uint8Array;
  /**
   * First key past the range, exclusive; undefined when the range has no upper bound. Never empty.
   */
  readonly end?: Uint8Array;
}

/** Every key there can be. */
export const everyKey: KeyRange = Object.freeze({ start: noBytes });

/**
 * The smallest key greater than every key that starts with `prefix`; undefined when there is none
 * (empty or all 0xFF).
 */
export function nextPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  // Not slice(): on a Buffer it would be a view, and the caller's bytes would change.
  const next = new Uint8Array(prefix.subarray(0, length));
  next[length - 1]++;
  return next;
}

/** The smallest key greater than `key`: the key and one 0x00. */
export function nextKey(key: Uint8Array): Uint8Array {
  return concatBytes(key, new Uint8Array(1));
}

/** Every key that starts with `prefix`. */
export function prefixRange(prefix: Uint8Array): KeyRange {
  return rangeFrom(prefix, nextPrefix(prefix));
}

/** The one key, as a range. */
export function pointRange(key: Uint8Array): KeyRange {
  return { start: key, end: nextKey(key) };
}

/** A range from its bounds; an undefined end means no upper bound. */
export function rangeFrom(start: Uint8Array, end: Uint8Array | undefined): KeyRange {
  return end === undefined ? { start } : { start, end };
}

/** True when the range is exactly one key, as pointRange makes it. */
export function isPoint({ start, end }: KeyRange): boolean {
  return (
    end !== undefined &&
    end.length === start.length + 1 &&
    end[start.length] === 0 &&
    equalBytes(end.subarray(0, start.length), start)
  );
}

/** True when no key can be in the range. */
export function isEmptyRange({ start, end }: KeyRange): boolean {
  return end !== undefined && compareBytes(start, end) >= 0;
}

/** True when the range holds the key. */
export function rangeContains({ start, end }: KeyRange, key: Uint8Array): boolean {
  return compareBytes(start, key) <= 0 && (end === undefined || compareBytes(key, end) < 0);
}

/** The keys in both ranges; undefined when there are none. */
export function intersectRanges(a: KeyRange, b: KeyRange): KeyRange | undefined {
  const start = compareBytes(a.start, b.start) >= 0 ? a.start : b.start;
  const end = smallerEnd(a.end, b.end);
  const both = rangeFrom(start, end);
  return isEmptyRange(both) ? undefined : both;
}

/**
 * The same keys as ranges that are sorted, disjoint and not empty; ranges that touch become one.
 */
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
 * The part of sorted ranges that comes after `last` in reading order, `last` itself left out: for
 * pages, and for going on where a read ended early.
 */
export function rangesAfter(
  ranges: readonly KeyRange[],
  last: Uint8Array,
  reversed: boolean,
): readonly KeyRange[] {
  if (reversed && last.length === 0) return [];
  const rest = reversed ? rangeFrom(noBytes, last) : rangeFrom(nextKey(last), undefined);
  return ranges.flatMap((range) => intersectRanges(range, rest) ?? []);
}

function smallerEnd(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareBytes(a, b) <= 0 ? a : b;
}

function largerEnd(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareBytes(a, b) >= 0 ? a : b;
}
