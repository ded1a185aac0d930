/** The pages of one read of the local engine. */
import type { ReadPlan, ReadOptions, RowCursor, RowStream } from '../../../store/index.js';
import type { PageCursor } from './page-cursor.js';

/** Rows of a page when the caller does not say. */
const defaultPageRows = 256;

/**
 * A read that has held the event loop this long gives it a turn before its next page, in
 * milliseconds: a turn costs as much as twenty rows.
 */
const longestHold = 1;

/**
 * Hands out the one cursor of the read, page by page; the first without a turn of the event loop,
 * so that small reads stay fast.
 */
export class LocalRowStream implements RowStream {
  #cursor: PageCursor | undefined;
  #left: number;
  readonly #pageRows: number;
  #page = 0;
  #ended = false;
  /** When the event loop last had a turn, as performance.now(). */
  #turned = performance.now();

  readonly #begin: () => PageCursor | Promise<PageCursor>;
  readonly #now: () => number;
  readonly #options: ReadOptions;
  readonly #check: () => void;

  /**
   * `begin` checks the plan and opens the cursor; what it throws rejects the first `next`. `now` is
   * in microseconds.
   */
  constructor(
    begin: () => PageCursor | Promise<PageCursor>,
    now: () => number,
    plan: ReadPlan,
    options: ReadOptions,
    check: () => void,
  ) {
    this.#begin = begin;
    this.#now = now;
    this.#options = options;
    this.#check = check;
    this.#left = plan.limit ?? Infinity;
    this.#pageRows = options.pageRows ?? defaultPageRows;
  }

  async next(): Promise<RowCursor | undefined> {
    this.#options.signal?.throwIfAborted();
    if (this.#ended) return undefined;
    try {
      const page = this.#advance();
      return page instanceof Promise ? await page : page;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#cursor?.release();
    this.#cursor = undefined;
  }

  /** Mostly nothing has to be waited for, and each promise costs a page as much as a row. */
  #advance(): RowCursor | undefined | Promise<RowCursor | undefined> {
    const cursor = this.#cursor;
    if (cursor === undefined) return this.#open();
    this.#finishPage(cursor);
    if (this.#ended) return undefined;
    if (performance.now() - this.#turned > longestHold)
      return this.#turn().then((ended) => (ended ? undefined : this.#fill(cursor)));
    return this.#fill(cursor);
  }

  #open(): RowCursor | undefined | Promise<RowCursor | undefined> {
    this.#check();
    const begun = this.#begin();
    const first = (cursor: PageCursor): RowCursor | undefined =>
      this.#ended ? undefined : this.#fill((this.#cursor = cursor));
    return begun instanceof Promise ? begun.then(first) : first(begun);
  }

  #fill(cursor: PageCursor): RowCursor {
    this.#check();
    this.#page = Math.min(this.#pageRows, this.#left);
    cursor.beginPage(this.#page, this.#now());
    return cursor;
  }

  /** Lets the event loop turn; true when the read was closed meanwhile. */
  async #turn(): Promise<boolean> {
    this.#cursor?.release();
    await new Promise((resolve) => void setImmediate(resolve));
    this.#turned = performance.now();
    this.#options.signal?.throwIfAborted();
    return this.#ended;
  }

  /** Steps over what the caller left of the page, and counts its rows. */
  #finishPage(cursor: PageCursor): void {
    this.#check();
    while (cursor.nextRow());
    this.#left -= this.#page - cursor.remaining;
    if (cursor.exhausted || this.#left <= 0) {
      this.#ended = true;
      cursor.release();
    }
  }
}
