/** The pages of one read of the local engine. */
import type { ReadPlan, ReadOptions } from '../../store/read-plan.js';
import type { RowCursor, RowStream } from '../../store/row-cursor.js';
import type { PageCursor } from './page-cursor.js';

/** Rows of a page when the caller does not say. */
const defaultPageRows = 256;

/** A read that has held the event loop this long gives it a turn before its next page, in milliseconds: a turn costs as much as twenty rows. */
const longestHold = 1;

/** Hands out the one cursor of the read, page by page; the first without a turn of the event loop, so that small reads stay fast. */
export class RowPages implements RowStream {
  private cursor: PageCursor | undefined;
  private left: number;
  private readonly pageRows: number;
  private page = 0;
  private ended = false;
  /** When the event loop last had a turn, as performance.now(). */
  private turned = performance.now();

  /** `begin` checks the plan and opens the cursor; what it throws rejects the first `next`. `now` is in microseconds. */
  constructor(
    private readonly begin: () => PageCursor | Promise<PageCursor>,
    private readonly now: () => number,
    plan: ReadPlan,
    private readonly options: ReadOptions,
    private readonly check: () => void,
  ) {
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
      if (performance.now() - this.turned > longestHold && (await this.turn())) return undefined;
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

  /** Lets the event loop turn; true when the read was closed meanwhile. */
  private async turn(): Promise<boolean> {
    this.cursor?.release();
    await new Promise((resolve) => void setImmediate(resolve));
    this.turned = performance.now();
    this.options.signal?.throwIfAborted();
    return this.ended;
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
