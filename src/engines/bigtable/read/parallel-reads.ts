/**
 * Reads many single rows in requests of about 16 keys, several in flight. Rows are returned in the
 * order of a single read.
 */
import type { ReadOptions, ReadPlan, RowCursor, RowStream } from '../../../data/store/index.js';
import { evenParts, keysPerRequest } from './point-reads.js';
import type { ReadClock } from './read-clock.js';
import { clockOf, type ReadContext, ReadStream } from './read-stream.js';

/** Enough to use several nodes, few enough to leave connections for other calls. */
const maxInFlight = 8;

/** A request that was sent. */
interface Sent {
  readonly stream: ReadStream;
  /** Undefined once it was returned. */
  firstPage: Promise<RowCursor | undefined> | undefined;
}

/** A read of single rows through parallel requests. */
export class ParallelReads implements RowStream {
  /** The plans of requests that were not sent yet; the next one is last. */
  readonly #plans: ReadPlan[];
  readonly #sent: Sent[] = [];
  #closed = false;

  readonly #context: ReadContext;
  readonly #options: ReadOptions;
  /** Set if the read as a whole has a timeout, which all requests share. */
  readonly #clock: ReadClock | undefined;

  constructor(context: ReadContext, plan: ReadPlan, options: ReadOptions) {
    this.#context = context;
    this.#options = options;
    if (options.timeoutMs !== undefined) this.#clock = clockOf(context, options, 'points');
    const parts = evenParts(plan.ranges, keysPerRequest).map((ranges): ReadPlan => ({
      ...plan,
      ranges,
    }));
    this.#plans = plan.reversed ? parts : parts.reverse();
  }

  next(): Promise<RowCursor | undefined> {
    if (this.#clock === undefined) return this.#next();
    return this.#clock.during(() => this.#next());
  }

  async #next(): Promise<RowCursor | undefined> {
    this.#options.signal?.throwIfAborted();
    try {
      while (!this.#closed) {
        this.#send();
        const head = this.#sent.at(0);
        if (head === undefined) break;
        const page = await (head.firstPage ?? head.stream.next());
        head.firstPage = undefined;
        if (page !== undefined && !this.#closed) return page;
        this.#sent.shift();
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#sent.map(({ stream }) => stream.close()));
  }

  #send(): void {
    while (this.#sent.length < maxInFlight) {
      const plan = this.#plans.pop();
      if (plan === undefined) return;
      const stream = new ReadStream(this.#context, plan, this.#options, 'points', this.#clock);
      const firstPage = stream.next();
      // `next` reports the error; if it is never called again, the rejection must not be unhandled.
      firstPage.catch(() => undefined);
      this.#sent.push({ stream, firstPage });
    }
  }
}
