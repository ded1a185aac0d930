/**
 * The query of an index whose results are rows: an untyped implementation of the interfaces in
 * index-types.ts. The conditions on the key are those of a query of the entries.
 */
import { RowsmithError } from '../../errors.js';
import { plainRowJson } from '../../model/index.js';
import {
  checkSelect,
  checkWhere,
  explain,
  type Explanation,
  fullScan,
  planOf,
  type QueryPlan,
  type QuerySpec,
} from '../../query/index.js';
import type { Pages } from '../read/entity-pages.js';
import { EntityQuery } from '../read/entity-query.js';
import { sourceKey } from '../read/query-source.js';
import { type AggregateSource, aggregateRows, GroupedRows } from '../read/grouped-query.js';
import { hiddenText } from '../read/hide-expired.js';
import { mapPages, type RunOptions } from '../read/query-run.js';
import type { DeleteOptions, DeleteResult } from '../types/bulk-types.js';
import type { CallOptions } from '../types/entity-types.js';
import { deleteRows } from '../write/delete-rows.js';
import { CoveredRows } from './covered-query.js';
import { orderedNames } from './entry-order.js';
import { IndexResults, type IndexRead } from './index-results.js';
import { assertCondition, entryRange, explainedPlan, type IndexTarget } from './index-target.js';
import { VerifiedPages, type VerifiedPlans, type VerifiedRow } from './verified-pages.js';

/** What is read of the rows. */
type RowSpec = Pick<QuerySpec, 'where' | 'select' | 'entries' | 'keysOnly'>;

/** Implements IndexQuery and the interfaces that its methods return. Immutable. */
export class VerifiedQuery extends IndexResults<VerifiedRow> {
  readonly #target: IndexTarget;
  /** The conditions on the key, with order, limit and signal. */
  readonly #entries: EntityQuery;
  readonly #rows: RowSpec;
  /** Whether every entry may be read. */
  readonly #scan: boolean;
  #plans: VerifiedPlans | undefined;

  private constructor(target: IndexTarget, entries: EntityQuery, rows: RowSpec, scan: boolean) {
    super();
    this.#target = target;
    this.#entries = entries;
    this.#rows = rows;
    this.#scan = scan;
  }

  /** The query without conditions. */
  static root(target: IndexTarget): VerifiedQuery {
    const entries = EntityQuery.root(target.entryContext, target.entry);
    return new VerifiedQuery(target, entries, { keysOnly: false }, false);
  }

  covered(): CoveredRows {
    return CoveredRows.root(this.#target);
  }

  async get(values: unknown, options?: CallOptions): Promise<object | undefined> {
    this.checkOptions('get()', options);
    const { rows, entries } = this.#planned();
    const pages = new VerifiedPages(
      this.#target,
      { rows, entries: { ...entries, ranges: entryRange(this.#target, values) } },
      { limit: 1, signal: options?.signal },
    );
    try {
      return (await pages.next())?.[0].row;
    } finally {
      await pages.close();
    }
  }

  prefix(segments: unknown): VerifiedQuery {
    return this.#with(this.#entries.prefix(segments));
  }

  prefixes(list: unknown): VerifiedQuery {
    return this.#with(this.#entries.prefixes(list));
  }

  oneOf(segment: unknown, values: unknown): VerifiedQuery {
    return this.#with(this.#entries.oneOf(segment, values));
  }

  between(segment: unknown, from: unknown, to: unknown): VerifiedQuery {
    return this.#with(this.#entries.between(segment, from, to));
  }

  since(segment: unknown, from: unknown): VerifiedQuery {
    return this.#with(this.#entries.since(segment, from));
  }

  until(segment: unknown, to: unknown): VerifiedQuery {
    return this.#with(this.#entries.until(segment, to));
  }

  startsWith(segment: unknown, text: unknown): VerifiedQuery {
    return this.#with(this.#entries.startsWith(segment, text));
  }

  subdomains(segment: unknown, domain: unknown): VerifiedQuery {
    return this.#with(this.#entries.subdomains(segment, domain));
  }

  scanAll(): VerifiedQuery {
    return new VerifiedQuery(this.#target, this.#entries, this.#rows, true);
  }

  firstPer(_segment: unknown): never {
    throw this.#unverifiable('firstPer');
  }

  distinct(_segment: unknown): never {
    throw this.#unverifiable('distinct');
  }

  where(conditions: unknown): VerifiedQuery {
    const spec = { ...fullScan, ...this.#rows };
    const where = checkWhere(this.#target.model, spec, conditions);
    return this.#with(this.#entries, { ...this.#rows, where });
  }

  limit(rows: unknown): VerifiedQuery {
    return this.#with(this.#entries.limit(rows));
  }

  reverse(): VerifiedQuery {
    return this.#with(this.#entries.reverse());
  }

  signal(signal: AbortSignal | undefined): VerifiedQuery {
    return this.#with(this.#entries.signal(signal));
  }

  select(...properties: unknown[]): VerifiedQuery {
    const selected = checkSelect(this.#target.model, properties);
    return this.#with(this.#entries, { ...this.#rows, ...selected, keysOnly: false });
  }

  keysOnly(): VerifiedQuery {
    return this.#with(this.#entries, { ...this.#rows, keysOnly: true });
  }

  async delete(options?: DeleteOptions): Promise<DeleteResult> {
    const { context, model } = this.#target;
    return deleteRows(
      {
        engine: context.engine,
        model,
        models: [],
        query: { ...fullScan, ...this.#rows },
        ranges: [],
        wholeRanges: false,
        signal: this.read().signal,
        keys: (signal) => this.keysOnly().signal(signal),
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

  explain(): Explanation {
    const { entries, rows } = this.#planned();
    const { index, entry, model, context } = this.#target;
    const hidden = hiddenText(context, model);
    const { filter } = context.bareReads?.of(model, rows.selection) ?? rows.selection;
    return explain(entry, explainedPlan(this.#target, entries), {
      filter: entries.selection.filter,
      index: {
        name: index.name,
        covered: false,
        rows: explain(model, rows, { filter, hidden }),
        notes: [
          'rows whose values no longer give their entry are left out, and do not count in the limit',
          'no snapshot: a row whose values change meanwhile can be missed, or found with both',
        ],
      },
    });
  }

  protected get name(): string {
    return this.#target.entry.name;
  }

  protected read(): IndexRead<VerifiedRow> {
    const { query, signal } = this.#entries[sourceKey];
    if (!this.#scan) assertCondition(this.#target, query);
    const finish = this.#finish();
    return {
      entry: this.#target.entry,
      limit: query.limit,
      signal,
      plan: () => this.#cursorPlan(),
      open: (options: RunOptions) => new VerifiedPages(this.#target, this.#planned(), options),
      resultOf: ({ row }) => finish(row),
      keyOf: ({ key }) => key,
    };
  }

  #with(entries: EntityQuery, rows: RowSpec = this.#rows): VerifiedQuery {
    return new VerifiedQuery(this.#target, entries, rows, this.#scan);
  }

  #planned(): VerifiedPlans {
    return (this.#plans ??= this.#plan());
  }

  #plan(): VerifiedPlans {
    const { query, ranges } = this.#entries[sourceKey];
    const { model, entry, rowKeys } = this.#target;
    const plan = planOf(entry, { ...query, keysOnly: true }, { perShard: [ranges] });
    const entries = { ...plan, selection: rowKeys };
    const spec: QuerySpec = { ...fullScan, ...this.#rows };
    if (spec.select === undefined && !spec.keysOnly)
      return { entries, rows: planOf(model, spec, { perShard: [] }) };
    const own = spec.keysOnly ? [] : spec.select!;
    const select = [...new Set([...own, ...this.#verified()])];
    const rows = { ...spec, select, everyRow: true, keysOnly: false };
    return { entries, rows: planOf(model, rows, { perShard: [] }) };
  }

  /** The columns of the row that are compared with its entry. */
  #verified(): readonly string[] {
    const { index } = this.#target;
    return index.segments.filter((name) => index.columns.some(({ property }) => property === name));
  }

  /** Leaves out what was read to be compared. */
  #finish(): (row: object) => object {
    const { select, keysOnly } = this.#rows;
    if (select === undefined && !keysOnly) return (row) => row;
    const { model } = this.#target;
    const wanted = keysOnly ? [] : select!;
    const surplus = this.#verified().filter((name) => !wanted.includes(name));
    if (surplus.length === 0) return (row) => row;
    const names = [...new Set([...model.key.names, ...wanted])];
    const addJson = plainRowJson(
      model,
      model.columns.filter(({ property }) => wanted.includes(property)),
    );
    return (row) => {
      const result: Record<string, unknown> = {};
      for (const name of names)
        if (Object.hasOwn(row, name)) result[name] = (row as Record<string, unknown>)[name];
      addJson?.(result);
      return result;
    };
  }

  /** What identifies the query: the ranges of entries, and what is read of rows. */
  #cursorPlan(): QueryPlan {
    const { entries, rows } = this.#planned();
    const query = { ...entries.query, where: this.#rows.where };
    return { ...entries, query, selection: rows.selection };
  }

  #aggregateSource(): AggregateSource {
    const { index, model } = this.#target;
    const { query, signal } = this.#entries[sourceKey];
    if (!this.#scan) assertCondition(this.#target, query);
    const { names, isExact } = orderedNames(index);
    const reading = (properties: readonly string[]): VerifiedQuery => {
      const select = properties.filter((property) => !model.key.names.includes(property));
      if (select.length === 0) return this.keysOnly();
      return this.#with(this.#entries, { ...this.#rows, select });
    };
    const { key } = isExact ? query : fullScan;
    return {
      model,
      query: { ...fullScan, ...this.#rows, key, reversed: query.reversed, limit: query.limit },
      isPart: false,
      rowOrder: names,
      signal,
      open: (properties, abort): Pages<object> => {
        const read = reading(properties).read();
        const found = read.open({ limit: read.limit, signal: abort });
        return mapPages(found, (each) => read.resultOf(each));
      },
      explain: (properties, groups) => reading(properties).explain().grouped(groups),
    };
  }

  #unverifiable(method: string): RowsmithError {
    return new RowsmithError('INVALID_QUERY', {
      entity: this.#target.entry.name,
      property: method,
      problem: `${method}() skips entries, and cannot compare rows with those that it skips`,
      fix: `call covered() before it: index('${this.#target.index.name}').covered()`,
    });
  }
}
