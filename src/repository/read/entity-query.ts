/**
 * The query builder: typed outside (query-types.ts), one frozen Question inside. Building checks at
 * once; reading starts when rows are asked for.
 */
import type { KeyRanges, SegmentBound } from '../../key/index.js';
import type { EntityModel } from '../../model/index.js';
import {
  checkBound,
  checkCount,
  checkMoment,
  checkNarrows,
  checkPrefix,
  checkSelect,
  assertNoKeyCondition,
  decodeCursor,
  encodeCursor,
  everything,
  explain,
  type Explanation,
  planOf,
  type Position,
  type Question,
  type QueryPlan,
  rangesOf,
} from '../../query/index.js';
import type { CallOptions } from '../types/entity-types.js';
import type { Page, PageRequest } from '../types/query-types.js';
import { openQuery, rowsAfter } from './query-run.js';
import { iteratePages, iterateRows } from './row-iterator.js';
import type { Pages, ReaderContext } from './entity-pages.js';

/** Most rows in one page of `page()`: an answer that is held in memory at once. */
const largestPage = 10_000;

/** All that makes a query. */
interface QueryState {
  readonly context: ReaderContext;
  readonly model: EntityModel;
  readonly question: Question;
  readonly ranges: KeyRanges;
  readonly signal?: AbortSignal;
}

/** The one class behind RowQuery and RangeQuery; immutable. */
export class EntityQuery implements AsyncIterable<object> {
  readonly #state: QueryState;
  #plan: QueryPlan | undefined;

  private constructor(state: QueryState) {
    this.#state = state;
  }

  /** Every row of the entity: where bounds on the first segment start, and scanAll. */
  static root(context: ReaderContext, model: EntityModel): EntityQuery {
    return new EntityQuery({
      context,
      model,
      question: everything,
      ranges: rangesOf(model, everything.key),
    });
  }

  prefix(segments: unknown): EntityQuery {
    assertNoKeyCondition(this.#state.model, this.#state.question.key);
    return this.#withKey({ fixed: checkPrefix(this.#state.model, segments) });
  }

  between(segment: unknown, from: unknown, to: unknown): EntityQuery {
    const name = this.#checkBound('between', segment, [from, to]);
    return this.#bound({
      kind: 'between',
      segment: name,
      from: { value: from, inclusive: true },
      to: { value: to, inclusive: false },
    });
  }

  since(segment: unknown, from: unknown): EntityQuery {
    return this.#bound({
      kind: 'between',
      segment: this.#checkBound('since', segment, [from]),
      from: { value: from, inclusive: true },
    });
  }

  until(segment: unknown, to: unknown): EntityQuery {
    return this.#bound({
      kind: 'between',
      segment: this.#checkBound('until', segment, [to]),
      to: { value: to, inclusive: false },
    });
  }

  startsWith(segment: unknown, text: unknown): EntityQuery {
    const name = this.#checkBound('startsWith', segment, [text]);
    checkNarrows(this.#state.model, this.#state.question.key, name, text);
    return this.#bound({ kind: 'startsWith', segment: name, text: text as string });
  }

  subdomains(segment: unknown, domain: unknown): EntityQuery {
    return this.#bound({
      kind: 'subdomains',
      segment: this.#checkBound('subdomains', segment, [domain]),
      domain: domain as string,
    });
  }

  limit(rows: unknown): EntityQuery {
    return this.#ask({ limit: checkCount(this.#state.model, 'limit', rows) });
  }

  reverse(): EntityQuery {
    return this.#ask({ reversed: !this.#state.question.reversed });
  }

  select(...properties: unknown[]): EntityQuery {
    return this.#ask({ select: checkSelect(this.#state.model, properties), keysOnly: false });
  }

  keysOnly(): EntityQuery {
    return this.#ask({ keysOnly: true });
  }

  versions(count: unknown): EntityQuery {
    return this.#ask({ versions: checkCount(this.#state.model, 'versions', count) });
  }

  asOf(moment: unknown): EntityQuery {
    return this.#ask({ asOf: checkMoment(this.#state.model, 'asOf', moment) });
  }

  signal(signal: AbortSignal): EntityQuery {
    return new EntityQuery({ ...this.#state, signal });
  }

  explain(): Explanation {
    return explain(this.#state.model, this.#planned());
  }

  async first(options?: CallOptions): Promise<object | undefined> {
    const pages = this.#open(options, 1);
    try {
      return (await pages.next())?.[0];
    } finally {
      await pages.close();
    }
  }

  async all(options?: CallOptions): Promise<object[]> {
    const rows: object[] = [];
    for await (const page of this.pages(options)) for (const row of page) rows.push(row);
    return rows;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    return iteratePages(this.#open(options), options?.signal ?? this.#state.signal);
  }

  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    const { size, after, signal } = request ?? {};
    const { model, question } = this.#state;
    const wanted = checkCount(model, 'size', size, largestPage);
    const plan = this.#planned();
    const position: Position | undefined =
      after === undefined ? undefined : decodeCursor(model, plan, after);
    const left = position === undefined ? question.limit : position.remaining;
    const take = Math.min(wanted, left ?? Infinity);
    // One row more than the page tells whether there is a next one.
    const more = left === undefined || left > wanted;
    const rows = await this.#collect(
      rowsAfter(model, plan, position?.last),
      take + (more ? 1 : 0),
      signal,
    );
    if (rows.length <= take) return { rows };
    rows.length = take;
    const last = model.key.encode(rows[take - 1] as Record<string, unknown>);
    return {
      rows,
      next: encodeCursor(
        model,
        plan,
        left === undefined ? { last } : { last, remaining: left - take },
      ),
    };
  }

  async count(options?: CallOptions): Promise<number> {
    let count = 0;
    for await (const page of this.keysOnly().pages(options)) count += page.length;
    return count;
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    return iterateRows(this.#open(), this.#state.signal);
  }

  #withKey(key: Question['key']): EntityQuery {
    const { context, model, question, signal } = this.#state;
    // Ranges are made here and not when reading: wrong values are told where they were given, and
    // later changes of a Date do not matter.
    return new EntityQuery({
      context,
      model,
      question: Object.freeze({ ...question, key: Object.freeze(key) }),
      ranges: rangesOf(model, key),
      signal,
    });
  }

  #checkBound(method: string, segment: unknown, values: readonly unknown[]): string {
    return checkBound(this.#state.model, method, this.#state.question.key, segment, values);
  }

  #bound(bound: SegmentBound): EntityQuery {
    return this.#withKey({ fixed: this.#state.question.key.fixed, bound: Object.freeze(bound) });
  }

  #ask(change: Partial<Question>): EntityQuery {
    return new EntityQuery({
      ...this.#state,
      question: Object.freeze({ ...this.#state.question, ...change }),
    });
  }

  #planned(): QueryPlan {
    return (this.#plan ??= planOf(this.#state.model, this.#state.question, this.#state.ranges));
  }

  #open(options?: CallOptions, most = Infinity): Pages<object> {
    const { context, model, question, signal } = this.#state;
    const limit = Math.min(question.limit ?? Infinity, most);
    return openQuery(
      context,
      model,
      this.#planned(),
      limit === Infinity ? undefined : limit,
      options?.signal ?? signal,
    );
  }

  async #collect(
    plan: QueryPlan,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<object[]> {
    const rows: object[] = [];
    const pages = openQuery(
      this.#state.context,
      this.#state.model,
      plan,
      limit,
      signal ?? this.#state.signal,
    );
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next())
        rows.push(...page);
    } finally {
      await pages.close();
    }
    return rows;
  }
}
