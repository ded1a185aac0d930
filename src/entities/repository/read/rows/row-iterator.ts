/**
 * Pages as async iterators, written by hand: an async generator was measured to take 185 ns per row
 * instead of 91 ns.
 */
import type { Pages } from './entity-pages.js';

/**
 * Iterates over rows. Leaving the loop ends the read; aborting the signal ends it before the next
 * row.
 */
export function iterateRows<R>(pages: Pages<R>, signal?: AbortSignal): AsyncIterableIterator<R> {
  return new RowIterator(pages, signal);
}

/**
 * Iterates over pages. Leaving the loop ends the read; aborting the signal ends it before the next
 * page.
 */
export function iteratePages<R>(pages: Pages<R>, signal?: AbortSignal): AsyncIterableIterator<R[]> {
  return new PageIterator(pages, signal);
}

/**
 * Serializes overlapping calls of `next`, which must not read two pages concurrently. After the end
 * or an error every call reports the end.
 */
class SerialReads<R> {
  /** Calls of `run` that have not settled. */
  pending = 0;
  #ended = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #pages: Pages<R>;
  readonly #signal: AbortSignal | undefined;

  constructor(pages: Pages<R>, signal: AbortSignal | undefined) {
    this.#pages = pages;
    this.#signal = signal;
  }

  get stopped(): boolean {
    return this.#ended || this.#signal?.aborted === true;
  }

  /** Runs `read` after the calls before it. `read` returns undefined at the end. */
  run<T>(read: (pages: Pages<R>) => Promise<T | undefined>): Promise<IteratorResult<T>> {
    const step = (): Promise<IteratorResult<T>> => this.#step(read);
    // A loop calls `next` only after the previous call: then there is nothing to wait for.
    if (this.pending++ === 0) this.#last = step();
    else this.#last = this.#last.then(step, step);
    return this.#last as Promise<IteratorResult<T>>;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#pages.close();
  }

  async #step<T>(read: (pages: Pages<R>) => Promise<T | undefined>): Promise<IteratorResult<T>> {
    try {
      if (!this.#ended) this.#signal?.throwIfAborted();
      const value = this.#ended ? undefined : await read(this.#pages);
      if (value !== undefined && !this.#ended) return { value, done: false };
      await this.end();
      return { value: undefined, done: true };
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      this.pending--;
    }
  }
}

class RowIterator<R> implements AsyncIterableIterator<R> {
  readonly #reads: SerialReads<R>;
  #page: R[] = [];
  #index = 0;

  constructor(pages: Pages<R>, signal: AbortSignal | undefined) {
    this.#reads = new SerialReads(pages, signal);
  }

  next(): Promise<IteratorResult<R>> {
    if (this.#index < this.#page.length && this.#reads.pending === 0 && !this.#reads.stopped)
      return Promise.resolve({ value: this.#page[this.#index++], done: false });
    return this.#reads.run(async (pages) => {
      if (this.#index >= this.#page.length) {
        this.#page = (await pages.next()) ?? [];
        this.#index = 0;
      }
      return this.#page[this.#index++];
    });
  }

  async return(): Promise<IteratorResult<R>> {
    await this.#reads.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

class PageIterator<R> implements AsyncIterableIterator<R[]> {
  readonly #reads: SerialReads<R>;

  constructor(pages: Pages<R>, signal: AbortSignal | undefined) {
    this.#reads = new SerialReads(pages, signal);
  }

  next(): Promise<IteratorResult<R[]>> {
    return this.#reads.run((pages) => pages.next());
  }

  async return(): Promise<IteratorResult<R[]>> {
    await this.#reads.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
