/** One call with all of its observers. */
import type { Observer, Operation, OperationObserver } from './operation.js';

/** Measures a call and notifies its observers. */
export class Watch {
  readonly operation: Operation;
  readonly #observers: readonly OperationObserver[];
  #ended = false;

  constructor(operation: Operation, observers: readonly Observer[]) {
    this.operation = operation;
    this.#observers = observers.map((observer) => observer.begin(operation));
  }

  /** Runs work in the contexts of all observers. */
  runInContext<T>(work: () => T): T {
    const nested = this.#observers.reduceRight((inner, observer) => {
      if (observer.runInContext === undefined) return inner;
      return () => observer.runInContext!(inner);
    }, work);
    return nested();
  }

  /** Adds the duration of the work to `engineMillis`. */
  async timed<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.operation.engineMillis += performance.now() - started;
    }
  }

  /** The call sends another request. */
  retry(status: number): void {
    this.operation.attempts++;
    for (const observer of this.#observers) observer.onRetry?.(status);
  }

  /** The call is over. Later calls of this method have no effect. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const observer of this.#observers) observer.onEnd(error);
  }
}
