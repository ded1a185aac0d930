/**
 * Reads the rows of a rollup: a query of its rows' model, whose results have the declared values.
 */
import { checkOptions, nearestName, quotedList, valueText } from '../../base/index.js';
import { OpenBuckets } from '../../derived/index.js';
import { invalidArgument } from '../../errors.js';
import {
  type EntityModel,
  type RollupModel,
  rowsProperty,
  scopedModel,
} from '../../model/index.js';
import { checkCount, type Explanation } from '../../query/index.js';
import type { Engine } from '../../store/index.js';
import type { ReaderContext } from '../read/entity-pages.js';
import { EntityQuery } from '../read/entity-query.js';
import { PointReader } from '../read/point-reader.js';
import { ScopeGuard } from '../scope/scope-guard.js';
import { storagePath } from '../storage-path.js';
import type { CallOptions } from '../types/entity-types.js';
import type { Page, PageRequest } from '../types/query-types.js';

type Values = Readonly<Record<string, unknown>>;

/** What the rollups of a repository are read with. */
export interface RollupParts {
  readonly context: ReaderContext;
  /** The entity, possibly in a scope. */
  readonly model: EntityModel;
  /** The path to rows of rollups. */
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The rollup of an entity with this name. Throws INVALID_ARGUMENT. */
export function rollupQuery(parts: RollupParts, name: unknown): RollupRows {
  const { context, model } = parts;
  const rollup = rollupOf(model, name);
  const { scope } = model.key;
  const rows = scope === undefined ? rollup.rows : scopedModel(rollup.rows, scope.values());
  const engine = storagePath(parts.engine, {
    scope: rows.key.scope && new ScopeGuard(rows, rows.key.scope.ranges),
  });
  const reads = { ...context, engine };
  const point = new PointReader(reads, rows);
  const results = new RollupResults(parts, rollup, point);
  return new RollupRows(EntityQuery.root(reads, rows), results, { point, rollup, rows });
}

/** The rollup of a model with this name. Throws INVALID_ARGUMENT. */
export function rollupOf({ name: entity, rollups }: EntityModel, name: unknown): RollupModel {
  const rollup = rollups.find((each) => each.name === name);
  if (rollup !== undefined) return rollup;
  const names = rollups.map((each) => each.name);
  const nearest = nearestName(name, names);
  let fix = names.length === 0 ? 'declare static readonly rollups' : `use ${quotedList(names)}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw invalidArgument('rollup', `${entity} has no rollup ${valueText(name)}`, fix, { entity });
}

/** Turns stored rows into results. */
class RollupResults {
  readonly #rollup: RollupModel;
  readonly #names: readonly string[];
  readonly #open: OpenBuckets;
  readonly #point: PointReader;
  readonly #given: () => Record<string, unknown>;

  constructor(
    { engine, model, context, now }: RollupParts,
    rollup: RollupModel,
    point: PointReader,
  ) {
    this.#rollup = rollup;
    this.#point = point;
    const { scope } = model.key;
    this.#given = () => scope?.values() ?? {};
    const hidden = Object.keys(this.#given());
    this.#names = rollup.by.filter((name) => !hidden.includes(name));
    const source = context.modelsOf(model.table.name).find(({ name }) => name === model.name);
    const whole = source!.rollups.find(({ id }) => id === rollup.id)!;
    this.#open = new OpenBuckets(engine, source!, whole, now);
  }

  /** The results of stored rows, without buckets that have no rows. */
  async of(rows: readonly object[], signal?: AbortSignal): Promise<object[]> {
    const settled = await this.#settled(rows as readonly Values[], signal);
    return settled.filter(isFilled).map((row) => this.#result(row));
  }

  /** The rows once nothing is left open in them that a writer cannot do any more. */
  async #settled(rows: readonly Values[], signal?: AbortSignal): Promise<readonly Values[]> {
    const open = rows.filter((row) => this.#open.isOpen(row));
    if (open.length === 0) return rows;
    await this.#open.settle(
      open.map((row) => ({ ...row, ...this.#given() })),
      signal,
    );
    const current = await this.#point.getMany(open.map((row) => this.#keyOf(row)));
    const byRow = new Map(open.map((row, i) => [row, current[i] as Values | undefined]));
    return rows.map((row) => byRow.get(row) ?? row);
  }

  #keyOf(row: Values): Values {
    return {
      ...Object.fromEntries(this.#rollup.by.map((name) => [name, row[name]])),
      ...this.#given(),
    };
  }

  #result(row: Values): object {
    const result: Record<string, unknown> = {};
    for (const name of this.#names) result[name] = row[name];
    for (const { name, of } of this.#rollup.results) result[name] = of(row);
    return result;
  }
}

/** Whether a bucket has rows: one that became empty, or has only marks, has none. */
function isFilled(row: Values): boolean {
  const count = row[rowsProperty];
  return count !== undefined && count !== 0n;
}

interface RootParts {
  readonly point: PointReader;
  readonly rollup: RollupModel;
  readonly rows: EntityModel;
}

/** Implements RollupQuery, RollupRange and Answer. Immutable. */
export class RollupRows implements AsyncIterable<object> {
  readonly #query: EntityQuery;
  readonly #results: RollupResults;
  readonly #root: RootParts;
  readonly #limit: number | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #distinct: boolean;

  constructor(
    query: EntityQuery,
    results: RollupResults,
    root: RootParts,
    {
      limit,
      signal,
      distinct = false,
    }: { limit?: number; signal?: AbortSignal; distinct?: boolean } = {},
  ) {
    this.#query = query;
    this.#results = results;
    this.#root = root;
    this.#limit = limit;
    this.#signal = signal;
    this.#distinct = distinct;
  }

  async get(key: unknown, options?: CallOptions): Promise<object | undefined> {
    const { point, rollup, rows } = this.#root;
    this.#checkOptions('get()', options, ['signal']);
    if (typeof key !== 'object' || key === null)
      throw invalidArgument(
        'key',
        `a key is an object with ${quotedList(rows.key.names)}, not ${valueText(key)}`,
        'pass the segments of the row; any time of its bucket will do',
        { entity: rows.name },
      );
    const segments = { ...(key as Record<string, unknown>), ...rows.key.scope?.values() };
    const at = segments[rollup.time];
    // Other values are reported by the key.
    if (at instanceof Date)
      segments[rollup.time] = new Date(Math.floor(at.getTime() / rollup.width) * rollup.width);
    const row = await point.get(segments, options);
    if (row === undefined) return undefined;
    return (await this.#results.of([row], options?.signal))[0];
  }

  prefix(segments: unknown): RollupRows {
    return this.#with(this.#query.prefix(segments));
  }

  prefixes(list: unknown): RollupRows {
    return this.#with(this.#query.prefixes(list));
  }

  oneOf(segment: unknown, values: unknown): RollupRows {
    return this.#with(this.#query.oneOf(segment, values));
  }

  firstPer(segment: unknown): RollupRows {
    return this.#with(this.#query.firstPer(segment));
  }

  distinct(segment: unknown): RollupRows {
    return new RollupRows(this.#query.distinct(segment), this.#results, this.#root, {
      ...this.#options(),
      distinct: true,
    });
  }

  between(segment: unknown, from: unknown, to: unknown): RollupRows {
    return this.#with(this.#query.between(segment, from, to));
  }

  since(segment: unknown, from: unknown): RollupRows {
    return this.#with(this.#query.since(segment, from));
  }

  until(segment: unknown, to: unknown): RollupRows {
    return this.#with(this.#query.until(segment, to));
  }

  startsWith(segment: unknown, text: unknown): RollupRows {
    return this.#with(this.#query.startsWith(segment, text));
  }

  subdomains(segment: unknown, domain: unknown): RollupRows {
    return this.#with(this.#query.subdomains(segment, domain));
  }

  scanAll(): RollupRows {
    return this;
  }

  reverse(): RollupRows {
    return this.#with(this.#query.reverse());
  }

  limit(rows: unknown): RollupRows {
    const limit = checkCount(this.#root.rows, 'limit', rows);
    // Buckets without rows are left out of the results.
    return new RollupRows(this.#query, this.#results, this.#root, { ...this.#options(), limit });
  }

  signal(signal: AbortSignal): RollupRows {
    const query = this.#query.signal(signal);
    return new RollupRows(query, this.#results, this.#root, { ...this.#options(), signal });
  }

  explain(): Explanation {
    return this.#query.explain();
  }

  async first(options?: CallOptions): Promise<object | undefined> {
    this.#checkOptions('first()', options, ['signal']);
    const [row] = await this.limit(1).all(options);
    return row;
  }

  async all(options?: CallOptions): Promise<object[]> {
    this.#checkOptions('all()', options, ['signal']);
    const rows: object[] = [];
    for await (const page of this.pages(options)) for (const row of page) rows.push(row);
    return rows;
  }

  async *pages(options?: CallOptions): AsyncGenerator<object[]> {
    this.#checkOptions('pages()', options, ['signal']);
    const signal = options?.signal ?? this.#signal;
    let left = this.#limit ?? Infinity;
    for await (const page of this.#query.pages(options)) {
      const rows = await this.#resultsOf(page, signal);
      if (rows.length > left) rows.length = left;
      left -= rows.length;
      if (rows.length > 0) yield rows;
      if (left === 0) return;
    }
  }

  /**
   * A page may have fewer rows than its size: buckets may have become empty.
   */
  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    const page = await this.#query.page(request);
    const signal = request?.signal ?? this.#signal;
    return { ...page, rows: await this.#resultsOf(page.rows, signal) };
  }

  async count(options?: CallOptions): Promise<number> {
    this.#checkOptions('count()', options, ['signal']);
    let count = 0;
    for await (const page of this.pages(options)) count += page.length;
    return count;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for await (const page of this.pages()) yield* page;
  }

  #resultsOf(rows: readonly object[], signal?: AbortSignal): Promise<object[]> {
    if (this.#distinct) return Promise.resolve([...rows]);
    return this.#results.of(rows, signal);
  }

  #with(query: EntityQuery): RollupRows {
    return new RollupRows(query, this.#results, this.#root, this.#options());
  }

  #options(): { limit?: number; signal?: AbortSignal; distinct?: boolean } {
    return { limit: this.#limit, signal: this.#signal, distinct: this.#distinct };
  }

  #checkOptions(call: string, options: unknown, known: readonly string[]): void {
    if (options !== undefined) checkOptions(call, options, known, { entity: this.#root.rows.name });
  }
}
