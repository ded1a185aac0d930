/** Leaves the ranges out of runs that the current commit has removed. */
import { compareSlices } from '../../../base/index.js';
import { PairRun } from './pair-run.js';

interface Range {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/** The pairs of a run that are outside of ranges. */
export class RunOutside extends PairRun {
  readonly #run: PairRun;
  readonly #ranges: readonly Range[];
  readonly #reversed: boolean;

  constructor(run: PairRun, ranges: readonly Range[], reversed: boolean) {
    super();
    this.#run = run;
    this.#ranges = ranges;
    this.#reversed = reversed;
  }

  next(): boolean {
    const run = this.#run;
    while (run.next()) {
      const range = this.#rangeWith(run);
      if (range === undefined) {
        this.bytes = run.bytes;
        this.keyStart = run.keyStart;
        this.keyEnd = run.keyEnd;
        this.valueEnd = run.valueEnd;
        this.isRemoved = run.isRemoved;
        return true;
      }
      run.seek(this.#reversed ? range.start : range.end);
    }
    return false;
  }

  seek(key: Uint8Array): void {
    this.#run.seek(key);
  }

  #rangeWith({ bytes, keyStart, keyEnd }: PairRun): Range | undefined {
    return this.#ranges.find(
      ({ start, end }) =>
        compareSlices(start, 0, start.length, bytes, keyStart, keyEnd) <= 0 &&
        compareSlices(end, 0, end.length, bytes, keyStart, keyEnd) > 0,
    );
  }
}
