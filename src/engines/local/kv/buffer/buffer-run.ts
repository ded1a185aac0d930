/** Iterates over buffered pairs. */
import { PairRun } from '../pair-run.js';
import type { CommitPairs } from './commit-pairs.js';
import { noPair, type PairArena, removedLength } from './pair-arena.js';
import { type PairWalk, walkBuffer, walkCommit } from './pair-walk.js';
import type { SortedPairs } from './sorted-pairs.js';

type OpenWalk = (start: Uint8Array, end: Uint8Array) => PairWalk;

/** The pairs of a buffer or a commit in a range. It is invalid once pairs were added or removed. */
export class BufferRun extends PairRun {
  #walk: PairWalk;

  readonly #arena: PairArena;
  readonly #open: OpenWalk;
  #start: Uint8Array;
  #end: Uint8Array;
  readonly #reversed: boolean;

  private constructor(
    arena: PairArena,
    open: OpenWalk,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
  ) {
    super();
    this.#arena = arena;
    this.#open = open;
    this.#start = start;
    this.#end = end;
    this.#reversed = reversed;
    this.#walk = open(start, end);
  }

  static ofBuffer(
    pairs: SortedPairs,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
  ): BufferRun {
    const open: OpenWalk = (from, to) => walkBuffer(pairs, from, to, reversed);
    return new BufferRun(pairs.arena, open, start, end, reversed);
  }

  static ofCommit(
    pairs: CommitPairs,
    arena: PairArena,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
  ): BufferRun {
    const open: OpenWalk = (from, to) => walkCommit(pairs, from, to, reversed);
    return new BufferRun(arena, open, start, end, reversed);
  }

  next(): boolean {
    const ref = this.#walk();
    if (ref === noPair) return false;
    const arena = this.#arena;
    const length = arena.valueLength(ref);
    this.bytes = arena.chunkOf(ref);
    this.keyStart = arena.keyStart(ref);
    this.keyEnd = arena.keyEnd(ref);
    this.isRemoved = length === removedLength;
    this.valueEnd = this.isRemoved ? this.keyEnd : this.keyEnd + length;
    return true;
  }

  seek(key: Uint8Array): void {
    if (this.#reversed) this.#end = key;
    else this.#start = key;
    this.#walk = this.#open(this.#start, this.#end);
  }
}
