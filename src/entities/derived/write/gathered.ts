/** Requests that are made at the same time go to the storage as one. */

interface Waiting<Q, A> {
  readonly query: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers the requests of one turn of the program; `send` answers them in order, or throws. */
export class Gathered<Q, A> {
  readonly #send: (queries: readonly Q[]) => Promise<readonly A[]>;
  #waiting: Waiting<Q, A>[] = [];

  constructor(send: (queries: readonly Q[]) => Promise<readonly A[]>) {
    this.#send = send;
  }

  ask(query: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#send(waiting.map(({ query }) => query));
      for (const [i, { resolve }] of waiting.entries()) resolve(answers[i]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
