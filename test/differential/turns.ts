/**
 * Steps of many histories go side by side, but for those that change the world under all of them.
 */
/** One for each world. */
export class Turns {
  /** What has the world to itself, while something has. */
  #alone: Promise<unknown> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  /** Runs beside others. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await this.#alone;
    const mine = work();
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(ended);
    try {
      return await mine;
    } finally {
      this.#running.delete(ended);
    }
  }

  /** Runs when everything else has ended, and before anything else begins. */
  async byItself<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await this.#alone;
    const mine = Promise.all(this.#running).then(work);
    this.#alone = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      this.#alone = undefined;
    }
  }
}
