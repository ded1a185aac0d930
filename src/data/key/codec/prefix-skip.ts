/**
 * Where the keys end that begin with the same segments as a given key, found in its bytes: a scan
 * that reads one row of each group would otherwise encode the segments of each of these rows.
 */
import { copyBytes, type KeyRange, noBytes } from '../../../base/index.js';
import type { PrefixSkip } from './key-codec.js';
import type { KeyLayout } from './key-layout.js';
import { shardWidth } from './shard.js';

/** Returns the index at which the part that starts at `at` stops. */
type PartStop = (bytes: Uint8Array, at: number, end: number) => number;

/**
 * Creates the function for keys that begin with the same `count` parts, at least one. `rangesOf`
 * returns the ranges of the keys with these parts; the first part is the shard if there is one.
 */
export function prefixSkip(
  layout: KeyLayout,
  count: number,
  rangesOf: (parts: readonly Uint8Array[]) => readonly KeyRange[],
): PrefixSkip {
  const { separator, after } = layout.framing;
  const { ordered } = layout;
  const stopOf = ordered ? orderedStop : delimitedStop(separator[0]);
  const isWhole = count === layout.parts.length;
  // In the ordered format, the first key of a prefix is the prefix: empty parts are omitted.
  const startTail = isWhole || ordered ? noBytes : separator;
  const endTail = isWhole ? new Uint8Array(1) : after;
  let shardLength = 0;
  if (layout.shards !== undefined) shardLength = shardWidth(layout.shards.count) + separator.length;
  const partsOf = (bytes: Uint8Array, start: number, end: number): Uint8Array[] => {
    const parts: Uint8Array[] = [];
    if (shardLength > 0)
      parts.push(copyBytes(bytes, start, start + shardLength - separator.length));
    let from = start + shardLength;
    for (let i = 0; i < count; i++) {
      const stop = from < end ? stopOf(bytes, from, end) : from;
      parts.push(isEmptyPart(bytes, from, stop) ? noBytes : copyBytes(bytes, from, stop));
      from = stop + separator.length;
    }
    return parts;
  };
  return (bytes, start, end, reversed) => {
    let from = start + shardLength;
    let stop = from;
    for (let i = 0; i < count; i++) {
      if (i > 0) from = stop + separator.length;
      stop = from < end ? stopOf(bytes, from, end) : from;
    }
    // The ordered format omits empty parts at the end.
    if (ordered && (from >= end || isEmptyPart(bytes, from, stop))) {
      const ranges = rangesOf(partsOf(bytes, start, end));
      return reversed ? ranges[0].start : ranges[ranges.length - 1].end!;
    }
    return withTail(bytes, start, stop, reversed ? startTail : endTail);
  };
}

/** In the text and delimited formats, no part contains the delimiter. */
function delimitedStop(delimiter: number): PartStop {
  return (bytes, at, end) => {
    let stop = at;
    while (stop < end && bytes[stop] !== delimiter) stop++;
    return stop;
  };
}

/** In the ordered format, 00 is followed by FF within a part, and 00 00 is an empty part. */
function orderedStop(bytes: Uint8Array, at: number, end: number): number {
  let stop = at;
  while (stop < end) {
    if (bytes[stop] !== 0x00) stop++;
    else if (bytes[stop + 1] === 0x01) break;
    else stop += 2;
  }
  return stop;
}

function isEmptyPart(bytes: Uint8Array, start: number, stop: number): boolean {
  return stop - start === 2 && bytes[start] === 0x00 && bytes[start + 1] === 0x00;
}

function withTail(bytes: Uint8Array, start: number, stop: number, tail: Uint8Array): Uint8Array {
  const length = stop - start;
  const key = new Uint8Array(length + tail.length);
  for (let i = 0; i < length; i++) key[i] = bytes[start + i];
  for (let i = 0; i < tail.length; i++) key[length + i] = tail[i];
  return key;
}
