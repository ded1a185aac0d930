/**
 * Writes buffered pairs to the blocks below, in key order and in steps of one commit, between which
 * other calls are executed. Pairs that are written meanwhile are written too where they are ahead,
 * and remain buffered otherwise. See docs/decisions/031-write-log.md.
 */
import { nextKey, noBytes } from '../../../../bytes/index.js';
import type { BlockStore } from '../block/block-store.js';
import type { RowChanges } from '../block/block-writer.js';
import { number64Bytes } from '../bytes.js';
import type { PairWriter } from '../ordered-store.js';
import { metaKey } from '../store-key.js';
import type { BaseReader } from './base-reader.js';
import { noPair, type PairArena, type PairRef, removedLength } from './pair-arena.js';
import type { PairPosition, SortedPairs } from './sorted-pairs.js';

/** Key of the record with the number of the first log segment that is needed. */
export const firstSegmentKey = metaKey('log');

/** What a checkpoint works on. */
export interface CheckpointParts {
  readonly pairs: SortedPairs;
  readonly base: BlockStore;
  readonly reader: BaseReader;
}

/** One pass over the buffer. */
export class Checkpoint {
  /** Pairs before this key have been written. */
  #next: Uint8Array = noBytes;
  #done = false;

  readonly #parts: CheckpointParts;

  /** After the pass, the log is needed from segment `firstSegment` on, if there is a log. */
  constructor(
    parts: CheckpointParts,
    readonly firstSegment: number | undefined,
  ) {
    this.#parts = parts;
  }

  get done(): boolean {
    return this.#done;
  }

  /** Writes pairs of up to `maxBytes` bytes, at least one pair. */
  step(maxBytes: number): void {
    const { pairs } = this.#parts;
    const position: PairPosition = { leaf: 0, index: 0 };
    pairs.seek(position, this.#next);
    // Moves on to the next leaf if it is at the end of one.
    pairs.at(position);
    const refs: PairRef[] = [];
    const walk = { ...position };
    let bytes = 0;
    let ref = pairs.at(walk);
    for (; ref !== noPair && bytes < maxBytes; ref = pairs.at(walk)) {
      refs.push(ref);
      bytes += pairs.arena.sizeOf(ref);
      walk.index++;
    }
    const isLast = ref === noPair;
    writePairs(this.#parts, refs, isLast ? this.firstSegment : undefined);
    if (refs.length > 0) this.#next = nextKey(pairs.arena.keyOf(refs[refs.length - 1]));
    pairs.remove(position, refs.length);
    this.#done = isLast;
  }
}

/**
 * Writes pairs, which are in key order, in one commit, and that the log is needed from segment
 * `firstSegment` on.
 */
export function writePairs(
  { pairs: { arena }, base, reader }: CheckpointParts,
  refs: readonly PairRef[],
  firstSegment: number | undefined,
): void {
  if (refs.length === 0 && firstSegment === undefined) return;
  if (refs.length > 0) reader.onChange(arena.keyOf(refs[0]), arena.keyOf(refs[refs.length - 1]));
  const rows = refs.filter((ref) => isRow(arena, ref));
  base.commitRows(changesOf(arena, rows), (writer) => {
    if (rows.length < refs.length)
      for (const ref of refs) if (!isRow(arena, ref)) writePair(arena, ref, writer);
    if (firstSegment !== undefined) writer.put(firstSegmentKey, number64Bytes(firstSegment));
  });
}

function changesOf(arena: PairArena, refs: readonly PairRef[]): RowChanges {
  return {
    count: refs.length,
    bytesOf: (index) => arena.chunkOf(refs[index]),
    keyStart: (index) => arena.keyStart(refs[index]),
    keyEnd: (index) => arena.keyEnd(refs[index]),
    valueEnd(index) {
      const length = arena.valueLength(refs[index]);
      return length === removedLength ? -1 : arena.keyEnd(refs[index]) + length;
    },
  };
}

function isRow(arena: PairArena, ref: PairRef): boolean {
  const chunk = arena.chunkOf(ref);
  const at = arena.keyStart(ref);
  return chunk[at] < 0x80 && (chunk[at] | chunk[at + 1] | chunk[at + 2] | chunk[at + 3]) !== 0;
}

function writePair(arena: PairArena, ref: PairRef, writer: PairWriter): void {
  const key = arena.keyOf(ref);
  const value = arena.valueOf(ref);
  if (value === undefined) writer.remove(key);
  // A store in memory keeps what it is given, and would keep the whole chunk.
  else writer.put(key.slice(), value.slice());
}
