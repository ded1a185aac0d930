/** Queries with the rows that references lead to. */
import type { Explanation } from '../../../query/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import type { Answer, Page, PageRequest } from '../../types/query-types.js';
import type { IncludedRows } from './included-rows.js';

/** Implements Answer: the results of another query, each page with what it refers to. Immutable. */
export class IncludingQuery implements Answer<object> {
  readonly #query: Answer<object>;
  readonly #included: IncludedRows;
  readonly #signal: AbortSignal | undefined;

  constructor(query: Answer<object>, included: IncludedRows, signal: AbortSignal | undefined) {
    this.#query = query;
    this.#included = included;
    this.#signal = signal;
  }

  limit(rows: number): this {
    return this.#of(this.#query.limit(rows));
  }

  reverse(): this {
    return this.#of(this.#query.reverse());
  }

  signal(signal: AbortSignal): this {
    return this.#of(this.#query.signal(signal), signal);
  }

  explain(): Explanation {
    return this.#query.explain();
  }

  count(options?: CallOptions): Promise<number> {
    return this.#query.count(options);
  }

  async first(options?: CallOptions): Promise<object | undefined> {
    const row = await this.#query.first(options);
    if (row !== undefined) await this.#add([row], options);
    return row;
  }

  async all(options?: CallOptions): Promise<object[]> {
    const rows = await this.#query.all(options);
    await this.#add(rows, options);
    return rows;
  }

  async page(request: PageRequest): Promise<Page<object>> {
    const page = await this.#query.page(request);
    await this.#add(page.rows, request);
    return page;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    return this.#added(this.#query.pages(options), options);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<object> {
    for await (const page of this.pages()) yield* page;
  }

  async *#added(
    pages: AsyncIterable<object[]>,
    options: CallOptions | undefined,
  ): AsyncGenerator<object[]> {
    for await (const page of pages) {
      await this.#add(page, options);
      yield page;
    }
  }

  #add(rows: readonly object[], options: CallOptions | undefined): Promise<void> {
    return this.#included.addTo(rows, { signal: options?.signal ?? this.#signal });
  }

  #of(query: Answer<object>, signal = this.#signal): this {
    return new IncludingQuery(query, this.#included, signal) as this;
  }
}
