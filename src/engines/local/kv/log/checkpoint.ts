/**
 * Writes buffered pairs to the blocks below, in key order and in steps of one commit, between which
 * other calls are executed. Pairs that are written meanwhile are written too where they are ahead,
 * and remain buffered otherwise. See docs/decisions/031-write-log.md.
 */
import { nextKey, noBytes } from '../../../../base/index.js';
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

/** Removals that are written in one step at most. */
const maxRemovals = 1000;

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
  /** Pairs that are written at once; fewer while there is little space. */
  #maxPairs = Infinity;
  /** Removals before this key were written because there was no space for other pairs. */
  #nextRemoval: Uint8Array = noBytes;

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

  /**
   * Writes pairs of up to `maxBytes` bytes, at least one pair. If there is not enough space, it
   * writes fewer pairs at a time, and then removals, which make space, before the other pairs.
   */
  step(maxBytes: number): void {
    try {
      this.#writeNext(maxBytes);
    } catch (error) {
      if (!this.#writeRemovals()) throw error;
    }
  }

  #writeNext(maxBytes: number): void {
    const { pairs } = this.#parts;
    const position = this.#positionAt(this.#next);
    const refs: PairRef[] = [];
    const walk = { ...position };
    let bytes = 0;
    let ref = pairs.at(walk);
    for (; ref !== noPair && bytes < maxBytes; ref = pairs.at(walk)) {
      refs.push(ref);
      bytes += pairs.arena.sizeOf(ref);
      walk.index++;
    }
    const count = this.#writeSome(refs, ref === noPair ? this.firstSegment : undefined);
    if (count > 0) this.#next = nextKey(pairs.arena.keyOf(refs[count - 1]));
    pairs.remove(position, count);
    this.#done = ref === noPair && count === refs.length;
  }

  /** Writes removals, which remain in the buffer; false if all were written. */
  #writeRemovals(): boolean {
    const { pairs } = this.#parts;
    const walk = this.#positionAt(this.#nextRemoval);
    const refs: PairRef[] = [];
    for (let ref = pairs.at(walk); ref !== noPair; ref = pairs.at(walk)) {
      if (pairs.arena.valueLength(ref) === removedLength) refs.push(ref);
      if (refs.length >= maxRemovals) break;
      walk.index++;
    }
    this.#nextRemoval = noBytes;
    if (refs.length === 0) return false;
    const count = this.#writeSome(refs, undefined);
    this.#nextRemoval = nextKey(pairs.arena.keyOf(refs[count - 1]));
    return true;
  }

  #positionAt(key: Uint8Array): PairPosition {
    const { pairs } = this.#parts;
    const position: PairPosition = { leaf: 0, index: 0 };
    pairs.seek(position, key);
    // Moves on to the next leaf if it is at the end of one.
    pairs.at(position);
    return position;
  }

  /** Writes the pairs, or as many of the first as there is space for; returns their number. */
  #writeSome(refs: readonly PairRef[], firstSegment: number | undefined): number {
    let count = Math.min(refs.length, this.#maxPairs);
    for (;;) {
      try {
        const isAll = count === refs.length;
        writePairs(
          this.#parts,
          isAll ? refs : refs.slice(0, count),
          isAll ? firstSegment : undefined,
        );
        this.#maxPairs *= 2;
        return count;
      } catch (error) {
        if (count <= 1) throw error;
        count >>>= 2;
        this.#maxPairs = count = Math.max(1, count);
      }
    }
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

/** True for pairs of rows, and false for pairs of metadata. */
export function isRow(arena: PairArena, ref: PairRef): boolean {
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
