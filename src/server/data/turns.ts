/**
 * Spreads reads over turns of the event loop, so that responses leave while other reads are served.
 */

/**
 * Reads that begin in one turn. What is sent leaves at the end of a turn: a client with many reads
 * in flight would wait for all of them, and we for the client.
 */
const readsPerTurn = 4;

/** Begins tasks in the order of their arrival. */
export class Turns {
  #begun = 0;
  #scheduled = false;
  readonly #waiting: (() => void)[] = [];
  readonly #onTurn = (): void => this.#turn();

  /** Undefined if a task may begin now; otherwise resolves in its turn. */
  next(): Promise<void> | undefined {
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#onTurn);
    }
    if (this.#begun < readsPerTurn) {
      this.#begun++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #turn(): void {
    const due = this.#waiting.splice(0, readsPerTurn);
    this.#begun = due.length;
    this.#scheduled = due.length > 0;
    if (this.#scheduled) setImmediate(this.#onTurn);
    for (const begin of due) begin();
  }
}
