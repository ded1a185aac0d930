/**
 * The query builder: an untyped implementation of the interfaces in query-types.ts around a frozen
 * query specification. Arguments are checked by the builder methods; reading starts when rows are
 * requested.
 */
import { checkOptions, checkSignal } from '../../base/index.js';
import type { KeyRanges, SegmentBound } from '../../key/index.js';
import { type EntityModel, plainRowJson } from '../../model/index.js';
import {
  assertRows,
  checkBound,
  checkCount,
  checkGroupSegment,
  checkInstant,
  checkOneOf,
  assertNarrows,
  checkPrefix,
  checkPrefixes,
  checkSelect,
  checkWhere,
  copyOf,
  assertNoKeyCondition,
  decodeCursor,
  encodeCursor,
  entitiesWithin,
  fullScan,
  explain,
  type Explanation,
  fingerprintText,
  planOf,
  type Position,
  type QuerySpec,
  type QueryPlan,
  rangesOf,
  splitError,
} from '../../query/index.js';
import type { DeleteOptions, DeleteResult } from '../types/bulk-types.js';
import type { CallOptions } from '../types/entity-types.js';
import type { Page, PageRequest } from '../types/query-types.js';
import { deleteRows } from '../write/delete-rows.js';
import { groupOf } from './group-lanes.js';
import { type AggregateSource, aggregateRows, GroupedRows } from './grouped-query.js';
import { EntrySeries } from './entry-series.js';
import { hiddenText } from './hide-expired.js';
import { mapPages, openQuery, type RunOptions } from './query-run.js';
import { iteratePages, iterateRows } from './row-iterator.js';
import { splitBySamples } from './split-query.js';
import type { Pages, ReaderContext } from './entity-pages.js';
import { type QuerySource, sourceKey } from './query-source.js';

/** Maximum rows of `page()`, which holds them in memory together. */
const maxPageRows = 10_000;

interface QueryState {
  readonly context: ReaderContext;
  readonly model: EntityModel;
  readonly spec: QuerySpec;
  readonly ranges: KeyRanges;
  /** True for a part of a split query, whose key conditions are final. */
  readonly part?: boolean;
  readonly signal?: AbortSignal;
}

/** Implements RowQuery and RangeQuery. Immutable. */
export class EntityQuery implements AsyncIterable<object> {
  readonly #state: QueryState;
  #plan: QueryPlan | undefined;

  private constructor(state: QueryState) {
    this.#state = state;
  }

  /** The query without conditions, from which all others are built. */
  static root(context: ReaderContext, model: EntityModel): EntityQuery {
    return new EntityQuery({
      context,
      model,
      spec: fullScan,
      ranges: rangesOf(model, fullScan),
    });
  }

  /** What an export reads. */
  get [sourceKey](): QuerySource {
    const { context, model, spec, ranges, signal } = this.#state;
    return {
      engine: context.engine,
      model,
      query: spec,
      ranges: ranges.perShard.flat(),
      fingerprint: () => fingerprintText(model, this.#planned()),
      signal,
      keys: (options) =>
        openQuery(context, model, this.#with({ keysOnly: true }).#planned(), options),
    };
  }

  prefix(segments: unknown): EntityQuery {
    assertNoKeyCondition(this.#state.model, this.#state.spec);
    const prefix = checkPrefix(this.#state.model, segments);
    return this.#withKey({ depth: Object.keys(prefix).length, prefixes: [prefix] });
  }

  prefixes(list: unknown): EntityQuery {
    assertNoKeyCondition(this.#state.model, this.#state.spec);
    return this.#withKey(checkPrefixes(this.#state.model, list));
  }

  oneOf(segment: unknown, values: unknown): EntityQuery {
    return this.#withKey(checkOneOf(this.#state.model, this.#state.spec, segment, values));
  }

  firstPer(segment: unknown): EntityQuery {
    return this.#with({ firstPer: this.#checkGroup('firstPer', segment) });
  }

  distinct(segment: unknown): EntityQuery {
    const firstPer = this.#checkGroup('distinct', segment);
    return this.#with({ firstPer, distinct: true, keysOnly: true });
  }

  series(map: unknown, options?: unknown): EntrySeries {
    const { model, spec } = this.#state;
    return new EntrySeries(model, spec, (pageRows) => this.#with({ pageRows }), map, options);
  }

  between(segment: unknown, from: unknown, to: unknown): EntityQuery {
    const name = this.#checkBound('between', segment, [from, to]);
    return this.#bound({
      kind: 'between',
      segment: name,
      from: { value: copyOf(from), inclusive: true },
      to: { value: copyOf(to), inclusive: false },
    });
  }

  since(segment: unknown, from: unknown): EntityQuery {
    return this.#bound({
      kind: 'between',
      segment: this.#checkBound('since', segment, [from]),
      from: { value: copyOf(from), inclusive: true },
    });
  }

  until(segment: unknown, to: unknown): EntityQuery {
    return this.#bound({
      kind: 'between',
      segment: this.#checkBound('until', segment, [to]),
      to: { value: copyOf(to), inclusive: false },
    });
  }

  startsWith(segment: unknown, text: unknown): EntityQuery {
    const name = this.#checkBound('startsWith', segment, [text]);
    assertNarrows(this.#state.model, this.#state.spec.key, name, text);
    return this.#bound({ kind: 'startsWith', segment: name, text: text as string });
  }

  subdomains(segment: unknown, domain: unknown): EntityQuery {
    return this.#bound({
      kind: 'subdomains',
      segment: this.#checkBound('subdomains', segment, [domain]),
      domain: domain as string,
    });
  }

  where(conditions: unknown): EntityQuery {
    const { model, spec } = this.#state;
    return this.#with({ where: checkWhere(model, spec, conditions) });
  }

  limit(rows: unknown): EntityQuery {
    return this.#with({ limit: checkCount(this.#state.model, 'limit', rows) });
  }

  reverse(): EntityQuery {
    return this.#with({ reversed: !this.#state.spec.reversed });
  }

  select(...properties: unknown[]): EntityQuery {
    assertRows(this.#state.model, 'select', this.#state.spec);
    return this.#with({ ...checkSelect(this.#state.model, properties), keysOnly: false });
  }

  keysOnly(): EntityQuery {
    assertRows(this.#state.model, 'keysOnly', this.#state.spec);
    return this.#with({ keysOnly: true });
  }

  versions(count: unknown): EntityQuery {
    assertRows(this.#state.model, 'versions', this.#state.spec);
    return this.#with({ versions: checkCount(this.#state.model, 'versions', count) });
  }

  asOf(timestamp: unknown): EntityQuery {
    return this.#with({ asOf: checkInstant(this.#state.model, 'asOf', timestamp) });
  }

  signal(signal: AbortSignal | undefined): EntityQuery {
    checkSignal(signal, { entity: this.#state.model.name });
    return new EntityQuery({ ...this.#state, signal });
  }

  explain(): Explanation {
    const { context, model } = this.#state;
    const plan = this.#planned();
    const { filter } = context.bareReads?.of(model, plan.selection) ?? plan.selection;
    const others = entitiesWithin(context.modelsOf(model.table.name), model, plan);
    return explain(model, plan, { filter, hidden: hiddenText(context, model), others });
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
    this.#checkOptions('all()', options, ['signal']);
    const rows: object[] = [];
    for await (const page of this.pages(options)) for (const row of page) rows.push(row);
    return rows;
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    this.#checkOptions('pages()', options, ['signal']);
    return iteratePages(this.#open(options), options?.signal ?? this.#state.signal);
  }

  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    this.#checkOptions('page()', request, ['size', 'after', 'signal']);
    const { size, after, signal } = request ?? {};
    const { model } = this.#state;
    const pageRows = checkCount(model, 'size', size, maxPageRows);
    const plan = this.#planned();
    const position = this.#positionOf(after);
    const remaining = position.remaining ?? Infinity;
    const take = Math.min(pageRows, remaining);
    // One row beyond the page shows whether there is a next one.
    const rows = await this.#collect(plan, {
      limit: Math.min(pageRows + 1, remaining),
      after: position.last,
      signal: signal ?? this.#state.signal,
    });
    const results = rows.slice(0, take).map((row) => this.#result(row));
    if (rows.length <= take) return { rows: results };
    const next: Position = {
      last: model.key.encode(rows[take - 1] as Record<string, unknown>),
      remaining: position.remaining === undefined ? undefined : remaining - take,
    };
    return { rows: results, next: encodeCursor(model, plan, next) };
  }

  async split(parts: unknown, options?: CallOptions): Promise<EntityQuery[]> {
    this.#checkOptions('split()', options, ['signal']);
    const { spec, signal } = this.#state;
    const split = await splitBySamples(this.#state, parts, options?.signal ?? signal);
    const queries = split.map(
      (each) => new EntityQuery({ ...this.#state, ranges: each, part: true }),
    );
    return spec.reversed ? queries.reverse() : queries;
  }

  async delete(options?: DeleteOptions): Promise<DeleteResult> {
    const { context, model, spec, ranges } = this.#state;
    return deleteRows(
      {
        engine: context.engine,
        model,
        models: context.modelsOf(model.table.name),
        query: spec,
        ranges: ranges.perShard.flat(),
        wholeRanges:
          spec.limit === undefined && spec.firstPer === undefined && spec.where === undefined,
        signal: this.#state.signal,
        keys: (signal) => this.#with({ keysOnly: true }).signal(signal),
      },
      options ?? undefined,
    );
  }

  async aggregate(values: unknown, options?: CallOptions): Promise<object> {
    return aggregateRows(this.#aggregateSource(), values, options);
  }

  groupBy(...groups: unknown[]): GroupedRows {
    return new GroupedRows(this.#aggregateSource(), groups);
  }

  async count(options?: CallOptions): Promise<number> {
    this.#checkOptions('count()', options, ['signal']);
    let count = 0;
    for await (const page of this.#with({ keysOnly: true }).pages(options)) count += page.length;
    return count;
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    return iterateRows(this.#open(), this.#state.signal);
  }

  #aggregateSource(): AggregateSource {
    const { model, spec, part, signal } = this.#state;
    const reading = (properties: readonly string[]): EntityQuery => {
      const select = properties.filter((property) => !model.key.names.includes(property));
      if (select.length === 0) return this.#with({ keysOnly: true });
      return this.#with({ select, everyRow: true });
    };
    return {
      model,
      query: spec,
      isPart: part === true,
      signal,
      open: (properties, abort) => reading(properties).#open({ signal: abort }),
      explain: (properties, groups) => reading(properties).explain().grouped(groups),
    };
  }

  #checkOptions(call: string, options: unknown, known: readonly string[]): void {
    checkOptions(call, options, known, { entity: this.#state.model.name });
  }

  #withKey(key: QuerySpec['key']): EntityQuery {
    const { model, part } = this.#state;
    if (part === true) throw splitError(model, 'a part of a query takes no more key conditions');
    const spec = Object.freeze({ ...this.#state.spec, key: Object.freeze(key) });
    // Ranges are computed here, not when reading: invalid values throw where they are passed in,
    // and changing a Date afterwards has no effect.
    return new EntityQuery({ ...this.#state, spec, ranges: rangesOf(model, spec) });
  }

  #checkGroup(method: string, segment: unknown): string {
    const { model, spec, part } = this.#state;
    if (part === true) throw splitError(model, 'the rows of a group can be in two parts');
    return checkGroupSegment(model, method, spec, segment);
  }

  #checkBound(method: string, segment: unknown, values: readonly unknown[]): string {
    assertRows(this.#state.model, method, this.#state.spec);
    return checkBound(this.#state.model, method, this.#state.spec, segment, values);
  }

  #bound(bound: SegmentBound): EntityQuery {
    const { model, spec } = this.#state;
    if (spec.firstPer !== undefined) model.key.checkBound(bound);
    return this.#withKey({ ...spec.key, bound: Object.freeze(bound) });
  }

  #with(change: Partial<QuerySpec>): EntityQuery {
    return new EntityQuery({
      ...this.#state,
      spec: Object.freeze({ ...this.#state.spec, ...change }),
    });
  }

  #planned(): QueryPlan {
    return (this.#plan ??= planOf(this.#state.model, this.#state.spec, this.#state.ranges));
  }

  #open(options?: CallOptions, maxRows?: number): Pages<object> {
    const { context, model, spec, signal } = this.#state;
    const pages = openQuery(context, model, this.#planned(), {
      limit: maxRows ?? spec.limit,
      signal: options?.signal ?? signal,
    });
    if (spec.distinct !== true) return pages;
    return mapPages(pages, (row) => this.#result(row));
  }

  /** What the caller gets for a row: for `distinct` only the segments of its group. */
  #result(row: object): object {
    const { model, spec } = this.#state;
    if (spec.distinct !== true) return row;
    const group = groupOf(model, spec.firstPer!, row);
    plainRowJson(model, [])?.(group);
    return group;
  }

  /** Where the page after the cursor starts, and how many rows the query's limit leaves for it. */
  #positionOf(cursor: unknown): Partial<Position> {
    if (cursor === undefined) return { remaining: this.#state.spec.limit };
    return decodeCursor(this.#state.model, this.#planned(), cursor);
  }

  async #collect(plan: QueryPlan, options: RunOptions): Promise<object[]> {
    const rows: object[] = [];
    const pages = openQuery(this.#state.context, this.#state.model, plan, options);
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next())
        rows.push(...page);
    } finally {
      await pages.close();
    }
    return rows;
  }
}
