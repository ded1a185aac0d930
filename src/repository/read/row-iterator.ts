/**
 * Pages as async iterators, written by hand: an async generator costs twice as much a row (185
 * against 91 ns, measured).
 */
import type { Pages } from './entity-pages.js';

/**
 * Rows one by one; ending the loop early ends the read. Aborting the signal ends it before the next
 * row.
 */
export function iterateRows<R>(pages: Pages<R>, signal?: AbortSignal): AsyncIterableIterator<R> {
  return new RowIterator(pages, signal);
}

/**
 * Pages one by one; ending the loop early ends the read. Aborting the signal ends it before the
 * next page.
 */
export function iteratePages<R>(pages: Pages<R>, signal?: AbortSignal): AsyncIterableIterator<R[]> {
  return new PageIterator(pages, signal);
}

/**
 * Calls of `next` that overlap wait for each other: two of them must not read two pages at once.
 * After an end or an error there is nothing more.
 */
class OneAtATime<R> {
  /** Calls that wait. */
  waiting = 0;
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

  /** Runs `read` after those before it; `read` gives undefined at the end. */
  run<T>(read: (pages: Pages<R>) => Promise<T | undefined>): Promise<IteratorResult<T>> {
    const step = (): Promise<IteratorResult<T>> => this.#step(read);
    // A loop asks again only when it has been answered: then there is nobody to wait for.
    const result = this.waiting++ === 0 ? step() : this.#last.then(step, step);
    this.#last = result;
    return result;
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
      this.waiting--;
    }
  }
}

class RowIterator<R> implements AsyncIterableIterator<R> {
  readonly #reads: OneAtATime<R>;
  #page: R[] = [];
  #at = 0;

  constructor(pages: Pages<R>, signal: AbortSignal | undefined) {
    this.#reads = new OneAtATime(pages, signal);
  }

  next(): Promise<IteratorResult<R>> {
    if (this.#at < this.#page.length && this.#reads.waiting === 0 && !this.#reads.stopped)
      return Promise.resolve({ value: this.#page[this.#at++], done: false });
    return this.#reads.run(async (pages) => {
      if (this.#at >= this.#page.length) {
        this.#page = (await pages.next()) ?? [];
        this.#at = 0;
      }
      return this.#page[this.#at++];
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
  readonly #reads: OneAtATime<R>;

  constructor(pages: Pages<R>, signal: AbortSignal | undefined) {
    this.#reads = new OneAtATime(pages, signal);
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
