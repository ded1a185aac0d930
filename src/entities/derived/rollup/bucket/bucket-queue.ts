/**
 * Requests to one bucket, one at a time: what comes meanwhile shares the next one. So many writes
 * into a hot bucket need few requests.
 */

interface Waiting<Q, A> {
  readonly query: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers the queries of each bucket; `send` answers them in order, or throws. */
export class BucketQueue<Q, A> {
  readonly #send: (bucket: string, queries: readonly Q[]) => Promise<readonly A[]>;
  readonly #most: number;
  readonly #waiting = new Map<string, Waiting<Q, A>[]>();

  /** At most `most` queries share a request. */
  constructor(
    most: number,
    send: (bucket: string, queries: readonly Q[]) => Promise<readonly A[]>,
  ) {
    this.#most = most;
    this.#send = send;
  }

  ask(bucket: string, query: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(bucket);
      if (waiting !== undefined) {
        waiting.push({ query, resolve, reject });
        return;
      }
      this.#waiting.set(bucket, [{ query, resolve, reject }]);
      // Requests of this turn of the program come first.
      queueMicrotask(() => void this.#run(bucket));
    });
  }

  async #run(bucket: string): Promise<void> {
    const waiting = this.#waiting.get(bucket)!;
    while (waiting.length > 0) {
      const next = waiting.splice(0, this.#most);
      try {
        const answers = await this.#send(
          bucket,
          next.map(({ query }) => query),
        );
        for (const [i, { resolve }] of next.entries()) resolve(answers[i]);
      } catch (error) {
        for (const { reject } of next) reject(error);
      }
    }
    this.#waiting.delete(bucket);
  }
}
