/** Splits a range of keys into prefixes and single keys, as storage drops rows by prefix. */
import { concatBytes } from './bytes.js';
import { type KeyRange, pointRange, prefixRange } from './key-range.js';

/** A part of a range: all keys with a prefix, or one key. */
export interface CoverPart {
  readonly kind: 'prefix' | 'key';
  /** The prefix or the key. */
  readonly bytes: Uint8Array;
  readonly range: KeyRange;
}

/**
 * The parts that together are a non-empty range, in key order. Undefined if the range has no end,
 * or if there would be more than `maxParts` of them.
 */
export function coverOf(range: KeyRange, maxParts: number): readonly CoverPart[] | undefined {
  if (range.end === undefined) return undefined;
  const parts: CoverPart[] = [];
  for (const part of partsOf(range.start, range.end)) {
    if (parts.length === maxParts) return undefined;
    parts.push(part);
  }
  return parts;
}

function* partsOf(start: Uint8Array, end: Uint8Array): Generator<CoverPart> {
  let common = 0;
  while (common < start.length && common < end.length && start[common] === end[common]) common++;
  if (common < start.length) {
    yield prefix(start);
    for (let at = start.length - 1; at > common; at--) yield* siblings(start, at, start[at] + 1);
    // Also the keys between the bytes of `start` and `end`.
    yield* siblings(end, common, start[common] + 1, end[common]);
  } else if (start.length < end.length) {
    // All keys of the range begin with `start`.
    yield key(start);
    yield* siblings(end, common, 0, end[common]);
  }
  for (let at = common + 1; at < end.length; at++) {
    yield key(end.subarray(0, at));
    yield* siblings(end, at, 0, end[at]);
  }
}

/** Prefixes that equal the first `at` bytes and go on with a byte from `low` below `high`. */
function* siblings(bytes: Uint8Array, at: number, low: number, high = 0x100): Generator<CoverPart> {
  for (let byte = low; byte < high; byte++)
    yield prefix(concatBytes(bytes.subarray(0, at), Uint8Array.of(byte)));
}

function prefix(bytes: Uint8Array): CoverPart {
  return { kind: 'prefix', bytes, range: prefixRange(bytes) };
}

function key(bytes: Uint8Array): CoverPart {
  return { kind: 'key', bytes: bytes.slice(), range: pointRange(bytes) };
}
