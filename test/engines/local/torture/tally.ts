/** Figures of a scenario: trials, faults with an example of each kind, and other counts. */
export class Tally {
  readonly scenario: string;
  trials = 0;
  /** Added to the kinds of the faults that follow. */
  group = '';
  /** Faults by kind; all have to be 0. */
  readonly faults = new Map<string, { count: number; first: string }>();
  /** Counts that are no faults. */
  readonly notes = new Map<string, number>();

  readonly #started = performance.now();
  readonly #onProgress: Progress;

  constructor(scenario: string, onProgress: Progress) {
    this.scenario = scenario;
    this.#onProgress = onProgress;
  }

  /** Counts a finished trial. */
  trial(): void {
    this.trials++;
    this.#onProgress(this);
  }

  /** Counts a fault; `example` says how to repeat it and what was seen. */
  fault(kind: string, example: string): void {
    const name = this.group === '' ? kind : `${kind}: ${this.group}`;
    const known = this.faults.get(name);
    if (known === undefined) this.faults.set(name, { count: 1, first: example });
    else known.count++;
  }

  note(kind: string, count = 1): void {
    this.notes.set(kind, (this.notes.get(kind) ?? 0) + count);
  }

  /** Descriptions of the faults; a test expects none. */
  faultTexts(): string[] {
    return [...this.faults].map(([kind, { count, first }]) => `${count} ${kind}, first: ${first}`);
  }

  get seconds(): number {
    return Math.round((performance.now() - this.#started) / 1000);
  }
}

/** Called after every trial. */
export type Progress = (tally: Tally) => void;

/** Settings that all scenarios have. */
export interface ScenarioOptions {
  readonly rounds: number;
  /** Seed of the first trial; later trials have the next seeds. */
  readonly seed: number;
  /** Part of the descriptions of the trials to run, in full-disk and corruption; default all. */
  readonly only?: string;
  readonly onProgress: Progress;
  /** Keeps a copy of a directory with a fault; tests keep none. */
  readonly keep: (directory: string, name: string) => void;
}
