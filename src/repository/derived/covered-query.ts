/**
 * The query of an index that reads its entries alone: an untyped implementation of the interfaces
 * in covered-types.ts around a query of the entries.
 */
import { type EntityModel, plainRowJson } from '../../model/index.js';
import {
  explain,
  type Explanation,
  planOf,
  type QueryPlan,
  type QuerySpec,
} from '../../query/index.js';
import { EntityQuery } from '../read/entity-query.js';
import { sourceKey } from '../read/query-source.js';
import { groupOf } from '../read/group-lanes.js';
import type { GroupedRows } from '../read/grouped-query.js';
import { openQuery, type RunOptions } from '../read/query-run.js';
import type { CallOptions } from '../types/entity-types.js';
import { IndexResults, type IndexRead } from './index-results.js';
import {
  assertCondition,
  coveredSpec,
  entryRange,
  explainedPlan,
  type IndexTarget,
  withHolder,
} from './index-target.js';

/** What is read of the entries. */
type EntrySpec = Pick<QuerySpec, 'select' | 'keysOnly'>;
type Values = Readonly<Record<string, unknown>>;

/** Implements CoveredRoot and the interfaces that its methods return. Immutable. */
export class CoveredRows extends IndexResults<object> {
  readonly #target: IndexTarget;
  /** The query without `select` and `keysOnly`. */
  readonly #entries: EntityQuery;
  readonly #selected: EntrySpec;
  /** Whether every entry may be read. */
  readonly #scan: boolean;
  #plan: QueryPlan | undefined;

  private constructor(
    target: IndexTarget,
    entries: EntityQuery,
    selected: EntrySpec,
    scan: boolean,
  ) {
    super();
    this.#target = target;
    this.#entries = entries;
    this.#selected = selected;
    this.#scan = scan;
  }

  /** The query without conditions. */
  static root(target: IndexTarget): CoveredRows {
    const entries = EntityQuery.root(target.entryContext, target.entry);
    return new CoveredRows(target, entries, { keysOnly: false }, false);
  }

  async get(values: unknown, options?: CallOptions): Promise<object | undefined> {
    this.checkOptions('get()', options);
    const { query } = this.#entries[sourceKey];
    const plan = { ...this.#planned(), ranges: entryRange(this.#target, values) };
    const pages = this.#open(plan, { limit: 1, signal: options?.signal });
    try {
      const page = await pages.next();
      return page && this.#finish(query)(page[0]);
    } finally {
      await pages.close();
    }
  }

  prefix(segments: unknown): CoveredRows {
    return this.#with(this.#entries.prefix(segments));
  }

  prefixes(list: unknown): CoveredRows {
    return this.#with(this.#entries.prefixes(list));
  }

  oneOf(segment: unknown, values: unknown): CoveredRows {
    return this.#with(this.#entries.oneOf(segment, values));
  }

  firstPer(segment: unknown): CoveredRows {
    return this.#with(this.#entries.firstPer(segment));
  }

  distinct(segment: unknown): CoveredRows {
    return this.#with(this.#entries.distinct(segment), { keysOnly: true });
  }

  between(segment: unknown, from: unknown, to: unknown): CoveredRows {
    return this.#with(this.#entries.between(segment, from, to));
  }

  since(segment: unknown, from: unknown): CoveredRows {
    return this.#with(this.#entries.since(segment, from));
  }

  until(segment: unknown, to: unknown): CoveredRows {
    return this.#with(this.#entries.until(segment, to));
  }

  startsWith(segment: unknown, text: unknown): CoveredRows {
    return this.#with(this.#entries.startsWith(segment, text));
  }

  subdomains(segment: unknown, domain: unknown): CoveredRows {
    return this.#with(this.#entries.subdomains(segment, domain));
  }

  scanAll(): CoveredRows {
    return new CoveredRows(this.#target, this.#entries, this.#selected, true);
  }

  where(conditions: unknown): CoveredRows {
    return this.#with(this.#entries.where(conditions));
  }

  limit(rows: unknown): CoveredRows {
    return this.#with(this.#entries.limit(rows));
  }

  reverse(): CoveredRows {
    return this.#with(this.#entries.reverse());
  }

  signal(signal: AbortSignal | undefined): CoveredRows {
    return this.#with(this.#entries.signal(signal));
  }

  select(...properties: unknown[]): CoveredRows {
    const { query } = this.#entries.select(...properties)[sourceKey];
    return this.#with(this.#entries, { select: query.select, keysOnly: false });
  }

  keysOnly(): CoveredRows {
    return this.#with(this.#entries, { ...this.#selected, keysOnly: true });
  }

  async aggregate(values: unknown, options?: CallOptions): Promise<object> {
    return this.#aggregated().aggregate(values, options);
  }

  groupBy(...groups: unknown[]): GroupedRows {
    return this.#aggregated().groupBy(...groups);
  }

  explain(): Explanation {
    const { index, entry } = this.#target;
    const plan = this.#planned();
    return explain(entry, explainedPlan(this.#target, plan), {
      filter: plan.selection.filter,
      index: {
        name: index.name,
        covered: true,
        notes: ['reads entries alone: they may be older or newer than the rows'],
      },
    });
  }

  protected get name(): string {
    return this.#target.entry.name;
  }

  protected read(): IndexRead<object> {
    const { query, signal } = this.#entries[sourceKey];
    if (!this.#scan) assertCondition(this.#target, query);
    const { entry } = this.#target;
    const finish = this.#finish(query);
    return {
      entry,
      limit: query.limit,
      signal,
      plan: () => this.#planned(),
      open: (options: RunOptions) => this.#open(this.#planned(), options),
      resultOf: finish,
      keyOf: (found) => entry.key.encode(found as Values),
    };
  }

  #with(entries: EntityQuery, selected: EntrySpec = this.#selected): CoveredRows {
    return new CoveredRows(this.#target, entries, selected, this.#scan);
  }

  #open(plan: QueryPlan, options: RunOptions): ReturnType<typeof openQuery> {
    const { entry, entryContext } = this.#target;
    return openQuery(entryContext, entry, plan, options);
  }

  #planned(): QueryPlan {
    if (this.#plan !== undefined) return this.#plan;
    const { query, ranges } = this.#entries[sourceKey];
    return (this.#plan = this.#planOf(query, ranges));
  }

  /** Entries are read as plain objects: all covered columns are selected. */
  #planOf(query: QuerySpec, ranges: QueryPlan['ranges']['perShard'][number]): QueryPlan {
    const { entry, holder, covered } = this.#target;
    const { select, keysOnly } = this.#selected;
    const perShard = [ranges];
    if (keysOnly) return planOf(entry, { ...query, keysOnly }, { perShard });
    if (select !== undefined)
      return planOf(entry, { ...query, select, everyRow: true }, { perShard });
    const stored = withHolder(entry, holder);
    const plan = planOf(stored, coveredSpec(stored, query), { perShard });
    return query.where === undefined ? { ...plan, selection: covered } : plan;
  }

  /** What the caller gets for an entry. */
  #finish(query: QuerySpec): (found: object) => object {
    const { entry, holder } = this.#target;
    const { select, keysOnly } = this.#selected;
    if (query.distinct === true) {
      const addJson = plainRowJson(entry, []);
      return (found) => {
        const group = groupOf(entry, query.firstPer!, found);
        addJson?.(group);
        return group;
      };
    }
    if (holder === undefined || keysOnly || select !== undefined) return (found) => found;
    const decode = this.#target.model.key.decoder();
    const addJson = plainRowJson(wholeEntry(this.#target), entry.columns);
    return (found) => {
      const { [holder.property]: key, ...result } = found as Record<string, unknown>;
      if (key instanceof Uint8Array) decode(key, 0, key.length, result);
      addJson?.(result);
      return result;
    };
  }

  #aggregated(): EntityQuery {
    const { query } = this.#entries[sourceKey];
    if (!this.#scan) assertCondition(this.#target, query);
    const { select, keysOnly } = this.#selected;
    // Refused there, as in other queries.
    return select === undefined && !keysOnly ? this.#entries : this.#entries.keysOnly();
  }
}

/** The entry of a unique index with the segments of the row key. */
function wholeEntry({ entry, model }: IndexTarget): EntityModel {
  const own = entry.segments.map(({ property }) => property);
  const others = model.segments.filter(({ property }) => !own.includes(property));
  return { ...entry, segments: [...entry.segments, ...others] };
}
