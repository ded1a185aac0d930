/**
 * The time that a read may wait for the server. The clock runs only while somebody waits for rows:
 * a consumer may take as long as it likes between two pages.
 */
import type { TimeLimit } from '../call/retry.js';

export class ReadClock implements TimeLimit {
  readonly attemptMs: number;
  readonly #totalMs: number;
  readonly #restarts: boolean;
  #spentMs = 0;
  #runningSince: number | undefined;

  /**
   * `restarts` is whether the total bounds only the time between two rows: it starts again with
   * each `progress`.
   */
  constructor(totalMs: number, attemptMs: number, restarts: boolean) {
    this.#totalMs = totalMs;
    this.attemptMs = attemptMs;
    this.#restarts = restarts;
  }

  get leftMs(): number {
    return this.#totalMs - this.#spentMs - this.#currentMs;
  }

  /** Runs the clock until `run` settles. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.#runningSince = performance.now();
    try {
      return await run();
    } finally {
      this.#spentMs += this.#currentMs;
      this.#runningSince = undefined;
    }
  }

  progress(): void {
    if (!this.#restarts) return;
    this.#spentMs = 0;
    if (this.#runningSince !== undefined) this.#runningSince = performance.now();
  }

  get #currentMs(): number {
    if (this.#runningSince === undefined) return 0;
    return performance.now() - this.#runningSince;
  }
}
