/** One call with all of its observers. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Observer, Operation, OperationObserver } from './operation.js';

/**
 * The current call. Lets the retries of the live engine be reported for the call they belong to
 * without passing an observer through every interface.
 */
const currentCall = new AsyncLocalStorage<Watch>();

/** Reports to the observers of the current call that it sends another request. */
export function reportRetry(status: number): void {
  currentCall.getStore()?.retry(status);
}

/** Measures a call and notifies its observers. */
export class Watch {
  readonly operation: Operation;
  readonly #observers: readonly OperationObserver[];
  #ended = false;

  constructor(operation: Operation, observers: readonly Observer[]) {
    this.operation = operation;
    this.#observers = observers.map((observer) => observer.begin(operation));
  }

  /** Runs a part of the call in the contexts of all observers. */
  runInContext<T>(work: () => T): T {
    let nested = work;
    for (const observer of this.#observers.toReversed()) {
      if (observer.runInContext === undefined) continue;
      const inner = nested;
      nested = () => observer.runInContext!(inner);
    }
    return currentCall.run(this, nested);
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
