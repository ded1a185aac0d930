/**
 * The read of many single rows as requests of about 16 keys, several in flight, their rows in the
 * order of one read.
 */
import type { ReadOptions, ReadPlan, RowCursor, RowStream } from '../../../store/index.js';
import { evenParts, keysPerRequest } from './point-reads.js';
import { type ReadContext, ReadStream } from './read-stream.js';

/**
 * Requests in flight: enough to keep a server of several nodes busy, few enough to leave
 * connections to others.
 */
const mostInFlight = 8;

/** A request that was begun, and its first page. */
interface Begun {
  readonly stream: ReadStream;
  first: Promise<RowCursor | undefined> | undefined;
}

/** See above. */
export class ParallelReads implements RowStream {
  /** Plans that were not begun, the next one last. */
  readonly #plans: ReadPlan[];
  readonly #begun: Begun[] = [];
  #closed = false;

  readonly #context: ReadContext;
  readonly #options: ReadOptions;

  constructor(context: ReadContext, plan: ReadPlan, options: ReadOptions) {
    this.#context = context;
    this.#options = options;
    const parts = evenParts(plan.ranges, keysPerRequest).map((ranges): ReadPlan => ({
      ...plan,
      ranges,
    }));
    this.#plans = plan.reversed ? parts : parts.reverse();
  }

  async next(): Promise<RowCursor | undefined> {
    this.#options.signal?.throwIfAborted();
    try {
      while (!this.#closed) {
        this.#begin();
        const head = this.#begun.at(0);
        if (head === undefined) break;
        const page = await (head.first ?? head.stream.next());
        head.first = undefined;
        if (page !== undefined && !this.#closed) return page;
        this.#begun.shift();
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#begun.map(({ stream }) => stream.close()));
  }

  #begin(): void {
    while (this.#begun.length < mostInFlight) {
      const plan = this.#plans.pop();
      if (plan === undefined) return;
      const stream = new ReadStream(this.#context, plan, this.#options);
      const first = stream.next();
      // Whoever reads it meets its fault; until then, or when nobody does, it is no unhandled one.
      first.catch(() => undefined);
      this.#begun.push({ stream, first });
    }
  }
}
