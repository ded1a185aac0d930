/** The pages of one read. */
import type { ReadPlan, ReadOptions, RowCursor, RowStream } from '../../../data/store/index.js';
import type { PageCursor } from './page-cursor.js';

/** Default number of rows in a page. */
const defaultPageRows = 256;

/**
 * A read yields to the event loop before the next page once it has run this long. Yielding costs as
 * much as twenty rows.
 */
const maxHoldMs = 1;

/**
 * Returns the same cursor for each page of the read. The first page does not yield to the event
 * loop, so that small reads are fast.
 */
export class LocalRowStream implements RowStream {
  #cursor: PageCursor | undefined;
  /** Rows until the limit, before the rows of the current page. */
  #rowsLeft: number;
  readonly #pageRows: number;
  /** Maximum number of rows in the current page. */
  #maxPageRows = 0;
  #ended = false;
  /** When the read last yielded, as performance.now(). */
  #lastYieldMs = performance.now();

  readonly #openCursor: () => PageCursor | Promise<PageCursor>;
  readonly #now: () => number;
  readonly #options: ReadOptions;
  readonly #checkOpen: () => void;

  /**
   * `openCursor` validates the plan and opens the cursor; its errors reject the first `next`. `now`
   * returns microseconds since 1970. `checkOpen` throws when the engine is closed.
   */
  constructor(
    openCursor: () => PageCursor | Promise<PageCursor>,
    now: () => number,
    plan: ReadPlan,
    options: ReadOptions,
    checkOpen: () => void,
  ) {
    this.#openCursor = openCursor;
    this.#now = now;
    this.#options = options;
    this.#checkOpen = checkOpen;
    this.#rowsLeft = plan.limit ?? Infinity;
    this.#pageRows = options.pageRows ?? defaultPageRows;
  }

  async next(): Promise<RowCursor | undefined> {
    this.#options.signal?.throwIfAborted();
    if (this.#ended) return undefined;
    try {
      const page = this.#advance();
      if (page instanceof Promise) return await page;
      return page;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#cursor?.close();
    this.#cursor = undefined;
  }

  /** Returns a promise only when it has to wait, because a promise costs as much as a row. */
  #advance(): RowCursor | undefined | Promise<RowCursor | undefined> {
    const cursor = this.#cursor;
    if (cursor === undefined) return this.#open();
    this.#finishPage(cursor);
    if (this.#ended) return undefined;
    if (cursor.interrupted) return this.#continueRow(cursor);
    if (performance.now() - this.#lastYieldMs > maxHoldMs) return this.#beginPageLater(cursor);
    return this.#beginPage(cursor);
  }

  #open(): RowCursor | undefined | Promise<RowCursor | undefined> {
    this.#checkOpen();
    const cursor = this.#openCursor();
    if (cursor instanceof Promise) return cursor.then((opened) => this.#beginFirstPage(opened));
    return this.#beginFirstPage(cursor);
  }

  #beginFirstPage(cursor: PageCursor): RowCursor | undefined {
    // The read may have been closed while a filter's regular expressions were loaded.
    if (this.#ended) return undefined;
    this.#cursor = cursor;
    return this.#beginPage(cursor);
  }

  #beginPage(cursor: PageCursor): RowCursor {
    this.#checkOpen();
    this.#maxPageRows = Math.min(this.#pageRows, this.#rowsLeft);
    cursor.beginPage(this.#maxPageRows, this.#now(), true);
    return cursor;
  }

  /** Yields to the event loop first. Undefined when the read was closed meanwhile. */
  async #beginPageLater(cursor: PageCursor): Promise<RowCursor | undefined> {
    cursor.suspend();
    if (!(await this.#yield())) return undefined;
    return this.#beginPage(cursor);
  }

  /** Completes the filter of a row that took too long, yielding to the event loop in between. */
  async #continueRow(cursor: PageCursor): Promise<RowCursor | undefined> {
    cursor.suspend();
    do {
      if (!(await this.#yield())) return undefined;
      this.#checkOpen();
    } while (!cursor.continueRow());
    return this.#beginPage(cursor);
  }

  /** Lets the event loop turn; false when the read was closed meanwhile. */
  async #yield(): Promise<boolean> {
    await new Promise((resolve) => void setImmediate(resolve));
    this.#lastYieldMs = performance.now();
    this.#options.signal?.throwIfAborted();
    return !this.#ended;
  }

  /** Skips the rows of the page that the caller has not read, and counts all of them. */
  #finishPage(cursor: PageCursor): void {
    this.#checkOpen();
    while (cursor.nextRow());
    this.#rowsLeft -= this.#maxPageRows - cursor.remaining;
    if (cursor.exhausted || this.#rowsLeft <= 0) {
      this.#ended = true;
      cursor.close();
    }
  }
}
