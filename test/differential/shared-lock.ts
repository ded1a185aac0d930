/**
 * A lock for steps of concurrent histories: shared, or exclusive for steps that affect all of them.
 */
export class SharedLock {
  #exclusive: Promise<unknown> | undefined;
  readonly #shared = new Set<Promise<unknown>>();

  /** Runs concurrently with other shared work. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    const outcome = work();
    const settled = settlement(outcome);
    this.#shared.add(settled);
    try {
      return await outcome;
    } finally {
      this.#shared.delete(settled);
    }
  }

  /** Runs when all other work has ended, and before any other begins. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    while (this.#exclusive !== undefined) await this.#exclusive;
    const outcome = Promise.all(this.#shared).then(work);
    this.#exclusive = settlement(outcome);
    try {
      return await outcome;
    } finally {
      this.#exclusive = undefined;
    }
  }
}

function settlement(outcome: Promise<unknown>): Promise<void> {
  return outcome.then(
    () => undefined,
    () => undefined,
  );
}
