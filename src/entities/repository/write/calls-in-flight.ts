/** A limited number of calls in flight. */
export class CallsInFlight {
  readonly #limit: number;
  #count = 0;
  #onSettled: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a call that never rejects. */
  start(call: () => Promise<void>): void {
    this.#count++;
    void call().finally(() => {
      this.#count--;
      this.#onSettled?.();
    });
  }

  /** Undefined if another call may be started; else settles when one may. For one caller. */
  ready(): Promise<void> | undefined {
    if (this.#count < this.#limit) return undefined;
    return this.#until(() => this.#count < this.#limit);
  }

  /** Settles when no call is in flight. */
  async idle(): Promise<void> {
    if (this.#count > 0) await this.#until(() => this.#count === 0);
  }

  // Not Promise.race over the calls: that would add a handler to each of them for every call.
  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onSettled = () => {
        if (!holds()) return;
        this.#onSettled = undefined;
        resolve();
      };
    });
  }
}
