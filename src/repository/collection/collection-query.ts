/**
 * The builder of queries of collections: an untyped implementation of the interfaces in
 * collection-types.ts around a frozen specification.
 */
import { checkOptions, checkSignal } from '../../base/index.js';
import { checkCount } from '../../query/index.js';
import type { CallOptions } from '../types/entity-types.js';
import type { Page, PageRequest } from '../types/query-types.js';
import type { Pages } from '../read/entity-pages.js';
import { mapPages } from '../read/query-run.js';
import { iteratePages, iterateRows } from '../read/row-iterator.js';
import {
  checkLimit,
  checkMemberLimits,
  checkOnly,
  checkSelections,
  checkSharedBound,
  checkSharedPrefix,
  checkSharedSegment,
} from './check-collection-query.js';
import { decodePosition, encodePosition, type CollectionPosition } from './collection-cursor.js';
import { type CollectionExplanation, explainCollection } from './collection-explanation.js';
import type { CollectionModel } from './collection-model.js';
import {
  type CollectionPlan,
  type CollectionSpec,
  memberRanges,
  planCollection,
  type ShardRanges,
} from './collection-plan.js';
import { copyValue } from './member-limits.js';
import type { MemberRow } from './member-rows.js';
import { openCollection, openGroups, openResults, resultOf } from './run-collection.js';

/** Maximum rows or groups of `page()`, which holds them in memory together. */
const maxPageRows = 10_000;

const everyRow: CollectionSpec = Object.freeze({
  fixed: Object.freeze({}),
  reversed: false,
  limits: Object.freeze({}),
  select: Object.freeze({}),
  keysOnly: false,
});

/** Implements Collection, CollectionRange and CollectionQuery. Immutable. */
export class UntypedCollection implements AsyncIterable<object> {
  readonly #collection: CollectionModel;
  readonly #spec: CollectionSpec;
  #planned: CollectionPlan | undefined;
  /** Of all members; undefined until they are needed. */
  #ranges: readonly ShardRanges[] | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(
    collection: CollectionModel,
    spec: CollectionSpec = everyRow,
    signal: AbortSignal | undefined = undefined,
    ranges: readonly ShardRanges[] | undefined = undefined,
  ) {
    this.#collection = collection;
    this.#spec = spec;
    this.#signal = signal;
    this.#ranges = ranges;
  }

  prefix(segments: unknown): UntypedCollection {
    return this.#withKey({ fixed: checkSharedPrefix(this.#collection, this.#spec, segments) });
  }

  scanAll(): UntypedCollection {
    return this;
  }

  between(segment: unknown, from: unknown, to: unknown): UntypedCollection {
    return this.#bounded('between', segment, [from, to], from, to);
  }

  since(segment: unknown, from: unknown): UntypedCollection {
    return this.#bounded('since', segment, [from], from, undefined);
  }

  until(segment: unknown, to: unknown): UntypedCollection {
    return this.#bounded('until', segment, [to], undefined, to);
  }

  limit(rows: unknown): UntypedCollection {
    if (typeof rows !== 'object' || rows === null)
      return this.#with({ limit: checkLimit(this.#collection, rows) });
    const limits = { ...this.#spec.limits, ...checkMemberLimits(this.#collection, rows) };
    return this.#with({ limits: Object.freeze(limits) });
  }

  reverse(): UntypedCollection {
    return this.#with({ reversed: !this.#spec.reversed });
  }

  select(properties: unknown): UntypedCollection {
    const select = { ...this.#spec.select, ...checkSelections(this.#collection, properties) };
    return this.#with({ select: Object.freeze(select) });
  }

  only(...kinds: unknown[]): UntypedCollection {
    return this.#with({ only: checkOnly(this.#collection, kinds) });
  }

  groupBy(segment: unknown): UntypedCollection {
    return this.#with({ groupBy: checkSharedSegment(this.#collection, segment) });
  }

  signal(signal: AbortSignal): UntypedCollection {
    checkSignal(signal, { entity: this.#collection.name });
    return new UntypedCollection(this.#collection, this.#spec, signal, this.#ranges);
  }

  explain(): CollectionExplanation {
    return explainCollection(this.#plan);
  }

  async first(options?: CallOptions): Promise<object | undefined> {
    this.#checkOptions('first()', options, ['signal']);
    const pages = this.#open(options, 1);
    try {
      return (await pages.next())?.[0];
    } finally {
      await pages.close();
    }
  }

  async all(options?: CallOptions): Promise<object[]> {
    const results: object[] = [];
    for await (const page of this.pages(options)) for (const each of page) results.push(each);
    return results;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    this.#checkOptions('pages()', options, ['signal']);
    return iteratePages(this.#open(options), options?.signal ?? this.#signal);
  }

  async count(options?: CallOptions): Promise<number> {
    this.#checkOptions('count()', options, ['signal']);
    let count = 0;
    for await (const page of this.#with({ keysOnly: true }).pages(options)) count += page.length;
    return count;
  }

  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    this.#checkOptions('page()', request, ['size', 'after', 'signal']);
    const { size, after, signal } = request ?? {};
    const pageRows = checkCount(this.#collection.members[0].model, 'size', size, maxPageRows);
    const position = this.#positionOf(after);
    const take = Math.min(pageRows, position?.remaining ?? this.#spec.limit ?? Infinity);
    const options = {
      after: position && { last: position.last, remaining: position.limits },
      signal: signal ?? this.#signal,
    };
    if (this.#spec.groupBy !== undefined) return this.#pageOfGroups(take, options, position);
    // One row beyond the page shows whether there is a next one.
    const pages = openCollection(this.#plan, { ...options, limit: take + 1 });
    const rows = await collect(pages, take + 1);
    const results = rows.slice(0, take);
    if (rows.length > take && !this.#isLimit(take, position))
      return { rows: results.map(resultOf), next: this.#cursor(results, take, position) };
    return { rows: results.map(resultOf) };
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    return iterateRows(this.#open(), this.#signal);
  }

  async #pageOfGroups(
    take: number,
    options: Omit<Parameters<typeof openGroups>[1], 'limit'>,
    position: CollectionPosition | undefined,
  ): Promise<Page<object>> {
    const pages = openGroups(this.#plan, { ...options, limit: take });
    const groups = await collect(pages, take);
    const rows = groups.map(({ result }) => result);
    if (!pages.hasMore || this.#isLimit(take, position)) return { rows };
    return { rows, next: this.#cursor([groups[groups.length - 1].row], take, position) };
  }

  /** Whether a page of this size has used up the limit of the query. */
  #isLimit(take: number, position: CollectionPosition | undefined): boolean {
    return take === (position?.remaining ?? this.#spec.limit);
  }

  /** The cursor after the rows of a page with `take` results. */
  #cursor(
    rows: readonly MemberRow[],
    take: number,
    position: CollectionPosition | undefined,
  ): string {
    const { member, entity } = rows[rows.length - 1];
    const remaining = position?.remaining ?? this.#spec.limit;
    const limits: Record<string, number> = Object.assign({}, position?.limits ?? this.#spec.limits);
    for (const row of rows) if (row.member.kind in limits) limits[row.member.kind]--;
    return encodePosition(this.#plan, {
      last: member.model.key.encode(entity as Record<string, unknown>),
      remaining: remaining === undefined ? undefined : remaining - take,
      limits: this.#spec.groupBy === undefined ? limits : {},
    });
  }

  #positionOf(cursor: unknown): CollectionPosition | undefined {
    if (cursor === undefined) return undefined;
    return decodePosition(this.#plan, cursor);
  }

  #open(options?: CallOptions, maxResults?: number): Pages<object> {
    const run = {
      limit: maxResults ?? this.#spec.limit ?? Infinity,
      signal: options?.signal ?? this.#signal,
    };
    if (this.#spec.groupBy !== undefined)
      return mapPages(openGroups(this.#plan, run), ({ result }) => result);
    return openResults(this.#plan, run);
  }

  #bounded(
    method: string,
    name: unknown,
    values: readonly unknown[],
    from: unknown,
    to: unknown,
  ): UntypedCollection {
    const segment = checkSharedBound(this.#collection, this.#spec, method, name, values);
    return this.#withKey({
      bound: Object.freeze({
        kind: 'between',
        segment,
        from: from === undefined ? undefined : { value: copyValue(from), inclusive: true },
        to: to === undefined ? undefined : { value: copyValue(to), inclusive: false },
      }),
    });
  }

  get #plan(): CollectionPlan {
    this.#ranges ??= memberRanges(this.#collection, this.#spec);
    return (this.#planned ??= planCollection(this.#collection, this.#spec, this.#ranges));
  }

  #withKey(change: Partial<CollectionSpec>): UntypedCollection {
    const query = this.#with(change);
    // Invalid values throw where they are passed in.
    query.#ranges = memberRanges(this.#collection, query.#spec);
    return query;
  }

  #with(change: Partial<CollectionSpec>): UntypedCollection {
    const spec = Object.freeze({ ...this.#spec, ...change });
    return new UntypedCollection(this.#collection, spec, this.#signal, this.#ranges);
  }

  #checkOptions(call: string, options: unknown, known: readonly string[]): void {
    checkOptions(call, options, known, { entity: this.#collection.name });
  }
}

async function collect<R>(pages: Pages<R>, limit: number): Promise<R[]> {
  const rows: R[] = [];
  try {
    while (rows.length < limit) {
      const page = await pages.next();
      if (page === undefined) break;
      rows.push(...page);
    }
  } finally {
    await pages.close();
  }
  return rows;
}
