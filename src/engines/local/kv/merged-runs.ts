/** Merges runs into one: of pairs with the same key, the newest remains. */
import { compareSlices } from '../../../base/index.js';
import type { PairRun } from './pair-run.js';

/** The runs, ordered by their current pairs, which have distinct keys. */
export class MergedRuns {
  readonly #runs: PairRun[] = [];
  #count = 0;
  readonly #all: readonly PairRun[];
  readonly #sign: number;

  /** The newest run first. */
  constructor(runs: readonly PairRun[], reversed: boolean) {
    this.#all = runs;
    this.#sign = reversed ? -1 : 1;
    this.restart();
  }

  /** The run with the current pair; undefined at the end. */
  get top(): PairRun | undefined {
    return this.#runs[0];
  }

  advance(): void {
    const runs = this.#runs;
    const top = runs[0];
    if (!top.next()) {
      this.#removeTop();
      return;
    }
    if (this.#count > 1 && this.#compare(top, runs[1]) >= 0) {
      this.#removeTop();
      this.#insert(top);
    }
  }

  /** Makes the next pair the first with a key of at least `key`, or if reversed less than it. */
  seek(key: Uint8Array): void {
    for (const run of this.#all) run.seek(key);
    this.restart();
  }

  /** Orders the runs by their next pairs. */
  restart(): void {
    this.#runs.length = this.#count = 0;
    this.#all.forEach((run, age) => {
      run.age = age;
      if (run.next()) this.#insert(run);
    });
  }

  #removeTop(): void {
    this.#runs.shift();
    this.#count--;
  }

  #insert(added: PairRun): void {
    const runs = this.#runs;
    let run = added;
    for (let i = 0; i < this.#count;) {
      const order = this.#compare(run, runs[i]);
      if (order < 0) {
        this.#insertAt(i, run);
        return;
      }
      if (order > 0) {
        i++;
        continue;
      }
      let older = run;
      if (run.age < runs[i].age) {
        older = runs[i];
        runs[i] = run;
      }
      if (!older.next()) return;
      run = older;
      i++;
    }
    this.#insertAt(this.#count, run);
  }

  #insertAt(index: number, run: PairRun): void {
    const runs = this.#runs;
    for (let i = this.#count; i > index; i--) runs[i] = runs[i - 1];
    runs[index] = run;
    this.#count++;
  }

  #compare(a: PairRun, b: PairRun): number {
    return this.#sign * compareSlices(a.bytes, a.keyStart, a.keyEnd, b.bytes, b.keyStart, b.keyEnd);
  }
}
