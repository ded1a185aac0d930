/** One call with everybody who watches it. */
import type { Observer, Operation, Witness } from './operation.js';

/** Counts a call and tells its witnesses. */
export class Watch {
  readonly operation: Operation;
  readonly #witnesses: readonly Witness[];
  #ended = false;

  constructor(operation: Operation, observers: readonly Observer[]) {
    this.operation = operation;
    this.#witnesses = observers.map((observer) => observer.begin(operation));
  }

  /** Runs work inside every witness's context. */
  within<T>(work: () => T): T {
    const nested = this.#witnesses.reduceRight(
      (inner, witness) => (witness.within === undefined ? inner : () => witness.within!(inner)),
      work,
    );
    return nested();
  }

  /** Adds the time of the work to the engine's. */
  async timed<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.operation.engineMillis += performance.now() - started;
    }
  }

  /** Another request is needed. */
  retried(status: number): void {
    this.operation.attempts++;
    for (const witness of this.#witnesses) witness.retried?.(status);
  }

  /** The call is over. Only the first time counts. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const witness of this.#witnesses) witness.end(error);
  }
}
