/** The cursor over the pairs of all buffers and tables. */
import { copyBytes } from '../../../../base/index.js';
import { MergedRuns } from '../merged-runs.js';
import type { PairRun } from '../pair-run.js';
import { RangeCursor } from '../range-cursor.js';

export interface CursorSource {
  /** Changes with the pairs. */
  readonly version: number;
  /** The runs with the pairs of a range, the newest first. */
  runs(start: Uint8Array, end: Uint8Array, reversed: boolean): PairRun[];
}

/** Iterates over a key range in either direction. When pairs change, it goes on after its pair. */
export class StoreCursor extends RangeCursor {
  maxSkips = Infinity;
  skippedTo: Uint8Array | undefined = undefined;
  #merged: MergedRuns | undefined = undefined;
  #version = -1;

  readonly #source: CursorSource;

  constructor(source: CursorSource, start: Uint8Array, end: Uint8Array, reversed: boolean) {
    super(start, end, reversed);
    this.#source = source;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.#version !== this.#source.version) this.#open();
    else if (this.positioned) this.#merged!.advance();
    const merged = this.#merged!;
    this.skippedTo = undefined;
    let { top } = merged;
    for (let skips = 1; top?.isRemoved === true; skips++) {
      if (skips > this.maxSkips) {
        this.skippedTo = copyBytes(top.bytes, top.keyStart, top.keyEnd);
        this.positioned = false;
        return false;
      }
      merged.advance();
      ({ top } = merged);
    }
    if (top === undefined) {
      this.release();
      return false;
    }
    this.keyBytes = this.valueBytes = top.bytes;
    this.keyStart = top.keyStart;
    this.keyEnd = this.valueStart = top.keyEnd;
    this.valueEnd = top.valueEnd;
    this.positioned = true;
    return true;
  }

  seek(key: Uint8Array): void {
    if (this.done) return;
    if (this.reversed) this.end = key;
    else this.start = key;
    this.positioned = false;
    if (this.#version === this.#source.version) this.#merged!.seek(key);
  }

  release(): void {
    this.done = true;
    this.#merged = undefined;
  }

  #open(): void {
    this.skipCurrent();
    this.positioned = false;
    this.#version = this.#source.version;
    this.#merged = new MergedRuns(
      this.#source.runs(this.start, this.end, this.reversed),
      this.reversed,
    );
  }
}
