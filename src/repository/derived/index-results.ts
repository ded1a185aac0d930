/** The results of a query of an index, however they are found. */
import { checkOptions } from '../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  checkCount,
  decodeCursor,
  encodeCursor,
  type Position,
  type QueryPlan,
} from '../../query/index.js';
import type { Pages } from '../read/entity-pages.js';
import { mapPages, type RunOptions } from '../read/query-run.js';
import { iteratePages, iterateRows } from '../read/row-iterator.js';
import type { CallOptions } from '../types/entity-types.js';
import type { Page, PageRequest } from '../types/query-types.js';

/** Maximum rows of `page()`, which holds them in memory together. */
const maxPageRows = 10_000;

/** What finds the results of a query. F is what it finds for each of them. */
export interface IndexRead<F extends object> {
  readonly entry: EntityModel;
  readonly limit: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The ranges of entries, and the rest of what identifies the query to a cursor. */
  plan(): QueryPlan;
  open(options: RunOptions): Pages<F>;
  /** What the caller gets. */
  resultOf(found: F): object;
  /** The key of the entry. */
  keyOf(found: F): Uint8Array;
}

/** The methods that read, for queries of an index: verified and covered ones. */
export abstract class IndexResults<F extends object> implements AsyncIterable<object> {
  /** Names the index in errors. */
  protected abstract readonly name: string;
  /** What finds the results. Throws INVALID_QUERY for a full scan that was not requested. */
  protected abstract read(): IndexRead<F>;
  /** The query for the keys of its results. */
  abstract keysOnly(): IndexResults<F>;

  async first(options?: CallOptions): Promise<object | undefined> {
    this.checkOptions('first()', options);
    const pages = this.open(options, 1);
    try {
      return (await pages.next())?.[0];
    } finally {
      await pages.close();
    }
  }

  async all(options?: CallOptions): Promise<object[]> {
    this.checkOptions('all()', options);
    const rows: object[] = [];
    for await (const page of this.pages(options)) for (const row of page) rows.push(row);
    return rows;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    this.checkOptions('pages()', options);
    return iteratePages(this.open(options), options?.signal ?? this.read().signal);
  }

  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    this.checkOptions('page()', request, ['size', 'after', 'signal']);
    const { size, after, signal } = request ?? {};
    const read = this.read();
    const { entry, limit } = read;
    const pageRows = checkCount(entry, 'size', size, maxPageRows);
    const plan = read.plan();
    let position: Partial<Position> = { remaining: limit };
    if (after !== undefined) position = decodeCursor(entry, plan, after);
    const remaining = position.remaining ?? Infinity;
    const take = Math.min(pageRows, remaining);
    // One row beyond the page shows whether there is a next one.
    const found = await collect(
      read.open({
        limit: Math.min(pageRows + 1, remaining),
        after: position.last,
        signal: signal ?? read.signal,
      }),
    );
    const rows = found.slice(0, take).map((each) => read.resultOf(each));
    if (found.length <= take) return { rows };
    const next: Position = {
      last: read.keyOf(found[take - 1]),
      remaining: position.remaining === undefined ? undefined : remaining - take,
    };
    return { rows, next: encodeCursor(entry, plan, next) };
  }

  async count(options?: CallOptions): Promise<number> {
    this.checkOptions('count()', options);
    let count = 0;
    for await (const page of this.keysOnly().pages(options)) count += page.length;
    return count;
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    return iterateRows(this.open(), this.read().signal);
  }

  protected checkOptions(
    call: string,
    options: unknown,
    known: readonly string[] = ['signal'],
  ): void {
    checkOptions(call, options, known, { entity: this.name });
  }

  protected open(options?: CallOptions, maxRows?: number): Pages<object> {
    const read = this.read();
    const { limit, signal } = read;
    const found = read.open({ limit: maxRows ?? limit, signal: options?.signal ?? signal });
    return mapPages(found, (each) => read.resultOf(each));
  }
}

async function collect<F>(pages: Pages<F>): Promise<F[]> {
  const rows: F[] = [];
  try {
    for (let page = await pages.next(); page !== undefined; page = await pages.next())
      rows.push(...page);
  } finally {
    await pages.close();
  }
  return rows;
}
