/** Walks over the buffered pairs of a key range, in either direction. */
import type { CommitPairs } from './commit-pairs.js';
import { noPair, type PairRef } from './pair-arena.js';
import type { PairPosition, SortedPairs } from './sorted-pairs.js';

/** Returns the next pair, or `noPair` at the end. Invalid once pairs were added or removed. */
export type PairWalk = () => PairRef;

/** The pairs of the buffer with `start <= key < end`. */
export function walkBuffer(
  pairs: SortedPairs,
  start: Uint8Array,
  end: Uint8Array,
  reversed: boolean,
): PairWalk {
  const { arena } = pairs;
  const position: PairPosition = { leaf: 0, index: 0 };
  pairs.seek(position, reversed ? end : start);
  return () => {
    let ref: PairRef;
    if (reversed) ref = pairs.back(position);
    else {
      ref = pairs.at(position);
      position.index++;
    }
    if (ref === noPair) return noPair;
    if (reversed) return arena.compareKey(ref, start, 0, start.length) < 0 ? noPair : ref;
    return arena.compareKey(ref, end, 0, end.length) >= 0 ? noPair : ref;
  };
}

/** The pairs of a commit with `start <= key < end`. */
export function walkCommit(
  pairs: CommitPairs,
  start: Uint8Array,
  end: Uint8Array,
  reversed: boolean,
): PairWalk {
  let low = pairs.lowerBound(start, 0, start.length);
  let high = Math.max(low, pairs.lowerBound(end, 0, end.length));
  return () => {
    if (low === high) return noPair;
    return reversed ? pairs.refs[--high] : pairs.refs[low++];
  };
}
