/** The pages of one read of the local engine. */
import type { ReadPlan, ReadOptions } from '../../store/read-plan.js';
import type { RowCursor, RowStream } from '../../store/row-cursor.js';
import type { PageCursor } from './page-cursor.js';

/** Rows of a page when the caller does not say. */
const defaultPageRows = 256;

/** Hands out the one cursor of the read, page by page; the first without a turn of the event loop, so that small reads stay fast. */
export class RowPages implements RowStream {
  private cursor: PageCursor | undefined;
  private left: number;
  private readonly pageRows: number;
  private page = 0;
  private ended = false;

  /** `begin` checks the plan and opens the cursor, after loading what that needs; what it throws rejects the first `next`. `now` is in microseconds. */
  constructor(private readonly begin: () => PageCursor | Promise<PageCursor>, private readonly now: () => number, plan: ReadPlan, private readonly options: ReadOptions, private readonly check: () => void) {
    this.left = plan.limit ?? Infinity;
    this.pageRows = options.pageRows ?? defaultPageRows;
  }

  async next(): Promise<RowCursor | undefined> {
    this.options.signal?.throwIfAborted();
    if (this.ended) return undefined;
    try {
      return await this.advance();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.ended = true;
    this.cursor?.release();
    this.cursor = undefined;
  }

  private async advance(): Promise<RowCursor | undefined> {
    if (this.cursor !== undefined) {
      this.finishPage(this.cursor);
      if (this.ended) return undefined;
      await new Promise((resolve) => void setImmediate(resolve));
      this.options.signal?.throwIfAborted();
      // close() may have been called meanwhile.
      if (this.ended) return undefined;
    }
    this.check();
    if (this.cursor === undefined) {
      const begun = this.begin();
      this.cursor = begun instanceof Promise ? await begun : begun;
      if (this.ended) return undefined;
    }
    this.page = Math.min(this.pageRows, this.left);
    this.cursor.beginPage(this.page, this.now());
    return this.cursor;
  }

  /** Steps over what the caller left of the page, and counts its rows. */
  private finishPage(cursor: PageCursor): void {
    this.check();
    while (cursor.nextRow());
    this.left -= this.page - cursor.remaining;
    if (cursor.exhausted || this.left <= 0) {
      this.ended = true;
      cursor.release();
    }
  }
}
