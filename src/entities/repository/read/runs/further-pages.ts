/**
 * Pages of a read that drops some rows: when storage returned as many rows as the limit, and
 * results are still missing, it reads on with a larger limit.
 */
import type { Pages } from '../rows/entity-pages.js';
import type { RunOptions } from './query-run.js';

/** Rows that are read at least and at most for results that are still missing. */
const minFurtherRows = 16;
const maxFurtherRows = 4096;

/** The rows of a read, in its order. */
export class FurtherPages<R> implements Pages<R> {
  readonly #open: (options: RunOptions) => Pages<R>;
  readonly #keyOf: (row: R) => Uint8Array;
  readonly #signal: AbortSignal | undefined;
  /** Rows that the storage returns at most; undefined for all. */
  #limit: number | undefined;
  #left: number;
  #after: Uint8Array | undefined;
  #pages: Pages<R> | undefined;
  #closed = false;

  constructor(
    open: (options: RunOptions) => Pages<R>,
    keyOf: (row: R) => Uint8Array,
    { limit, after, signal }: RunOptions,
  ) {
    this.#open = open;
    this.#keyOf = keyOf;
    this.#signal = signal;
    this.#limit = limit;
    this.#left = limit ?? Infinity;
    this.#after = after;
  }

  /** Whether the current read may have more rows: they can be read before they are needed. */
  get continues(): boolean {
    return this.#left > 0;
  }

  async next(): Promise<R[] | undefined> {
    while (!this.#closed) {
      const limit = this.#limit;
      this.#pages ??= this.#open({ limit, after: this.#after, signal: this.#signal });
      const page = await this.#pages.next();
      if (page !== undefined) {
        this.#left -= page.length;
        if (limit !== undefined) this.#after = this.#keyOf(page[page.length - 1]);
        return page;
      }
      if (limit === undefined || this.#left > 0) return undefined;
      await this.#pages.close();
      this.#left = this.#limit = Math.min(Math.max(limit * 4, minFurtherRows), maxFurtherRows);
      this.#pages = undefined;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pages?.close();
  }
}
