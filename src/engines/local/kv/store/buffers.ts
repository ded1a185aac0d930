/** The pairs in memory: the buffer that is written to, and full buffers that wait for a table. */
import { BufferRun } from '../buffer/buffer-run.js';
import { noPair, type PairArena, PairArena as Arena, type PairRef } from '../buffer/pair-arena.js';
import { SortedPairs } from '../buffer/sorted-pairs.js';
import type { KeySpan } from '../levels/table-entry.js';
import type { SegmentId } from '../log/log-record.js';
import type { PairRun } from '../pair-run.js';

/** A buffer that is full. Only range removals change it. */
export interface FrozenBuffer {
  readonly pairs: SortedPairs;
  /** The last commit in it, and the segment of the log with the next one. */
  readonly commit: number;
  readonly segment: SegmentId | undefined;
}

export class Buffers {
  #active: SortedPairs;
  /** The newest first. */
  #frozen: readonly FrozenBuffer[] = [];

  constructor(active = new SortedPairs(new Arena())) {
    this.#active = active;
  }

  get active(): SortedPairs {
    return this.#active;
  }

  get frozen(): readonly FrozenBuffer[] {
    return this.#frozen;
  }

  /** The oldest buffer that waits to be written. */
  get oldest(): FrozenBuffer | undefined {
    return this.#frozen.at(-1);
  }

  /** The buffer with the newest pair for a key in a frozen buffer; its reference is `foundRef`. */
  findFrozen(key: Uint8Array, start: number, end: number, hash: number): PairArena | undefined {
    for (const { pairs } of this.#frozen) {
      if (!pairs.mayHave(hash)) continue;
      this.foundRef = pairs.find(key, start, end);
      if (this.foundRef !== noPair) return pairs.arena;
    }
    return undefined;
  }

  foundRef: PairRef = noPair;

  runs(start: Uint8Array, end: Uint8Array, reversed: boolean): PairRun[] {
    const all = [this.#active, ...this.#frozen.map(({ pairs }) => pairs)];
    return all
      .filter(({ size }) => size > 0)
      .map((pairs) => BufferRun.ofBuffer(pairs, start, end, reversed));
  }

  /** Begins a new buffer. */
  freeze(commit: number, segment: SegmentId | undefined): void {
    this.#active.buildFilter();
    this.#frozen = [{ pairs: this.#active, commit, segment }, ...this.#frozen];
    this.#active = new SortedPairs(new Arena());
  }

  /** These, the oldest, are in a table now. */
  removeWritten(written: readonly FrozenBuffer[]): void {
    this.#frozen = this.#frozen.filter((buffer) => !written.includes(buffer));
  }

  removeRange(span: KeySpan): void {
    for (const pairs of [this.#active, ...this.#frozen.map((frozen) => frozen.pairs)])
      pairs.removeRange(span.start, span.end);
  }

  /** An independent copy. */
  clone(): Buffers {
    const copy = new Buffers(cloned(this.#active));
    copy.#frozen = this.#frozen.map((frozen) => ({ ...frozen, pairs: cloned(frozen.pairs) }));
    return copy;
  }
}

function cloned(pairs: SortedPairs): SortedPairs {
  return pairs.clone(pairs.arena.clone());
}
