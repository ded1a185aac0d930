/**
 * The query builder and its answers, over a source of rows: an entity, an index, its entries, a
 * rollup or a collection. Arguments are checked by the builder methods; reading starts when results
 * are requested.
 */
import { checkOptions, checkSignal, type FaultTexts } from '../../../../base/index.js';
import type { SegmentBound } from '../../../../data/key/index.js';
import {
  assertNarrows,
  checkCount,
  copyOfSpec,
  type Explanation,
  type Position,
  type QueryKey,
  type QuerySpec,
  splitError,
} from '../../../query/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import type { Page, PageRequest } from '../../types/query-types.js';
import type { Pages } from '../rows/entity-pages.js';
import { mapPages, type RunOptions } from '../runs/query-run.js';
import { iteratePages, iterateRows } from '../rows/row-iterator.js';

/** Maximum rows of `page()`, which holds them in memory together. */
const maxPageRows = 10_000;

/** What all specifications have. */
type AnySpec = Pick<QuerySpec, 'key' | 'reversed' | 'limit' | 'keysOnly'>;

/** Where rows come from. S specifies a query, G are its ranges. */
export interface RowSource<
  S extends AnySpec,
  G,
  F extends object,
  P extends Position = Position,
  X = Explanation,
> {
  /** Names the source in errors. */
  readonly name: string;
  /** The key of a query with this prefix. Throws INVALID_QUERY. */
  prefix(spec: S, segments: unknown): QueryKey;
  /** The segment that a bound is on. Throws INVALID_QUERY. */
  bound(method: string, spec: S, segment: unknown, values: readonly unknown[]): string;
  /** The ranges of row keys. Throws INVALID_QUERY and INVALID_KEY. */
  ranges(spec: S): G;
  /** What a query reads, decided once. */
  reading(spec: S, ranges: G): Reading<F, P, X>;
  /** Throws INVALID_QUERY for a query of every row that did not begin with `scanAll`. */
  assertCondition?(spec: S): void;
}

/** What a query reads. F is what is found for each result, P what its cursors hold. */
export interface Reading<F extends object, P extends Position = Position, X = Explanation> {
  /** Opens what is found. Nothing is read before the first page is requested. */
  open(options: ReadingStart<P>): Pages<F>;
  /** The result; undefined if what is found is the result. */
  readonly resultOf?: ((found: F) => object) | undefined;
  /** The position in a cursor. Throws INVALID_CURSOR. */
  positionOf(cursor: unknown): P;
  /** The cursor after a page that began at `position`. */
  cursorAfter(page: readonly F[], remaining: number | undefined, position: P | undefined): string;
  explain(): X;
}

/** How to run a query; `after` is the key of `position`. */
export interface ReadingStart<P extends Position = Position> extends RunOptions {
  /** Where the page before has ended. */
  readonly position?: P | undefined;
  /** The last result only shows that there is one: it need not be whole. */
  readonly peeks?: boolean;
}

interface QueryState<S, G> {
  readonly spec: S;
  /** Undefined until they are needed. */
  readonly ranges?: G | undefined;
  /** True for a part of a split query: its key conditions are final. */
  readonly part?: boolean | undefined;
  /** Whether every row may be read. */
  readonly scan?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What queries of all sources have: implements Answer and Bounds. Immutable. */
export abstract class Query<
  S extends AnySpec,
  G,
  F extends object,
  T extends RowSource<S, G, F, P, X>,
  P extends Position = Position,
  X = Explanation,
> implements AsyncIterable<object> {
  readonly #source: T;
  readonly #state: QueryState<S, G>;
  #ranges: G | undefined;
  #planned: Reading<F, P, X> | undefined;

  constructor(source: T, state: QueryState<S, G>) {
    this.#source = source;
    this.#state = state;
    this.#ranges = state.ranges;
  }

  protected get source(): T {
    return this.#source;
  }

  protected get state(): QueryState<S, G> {
    return this.#state;
  }

  protected get ranges(): G {
    return (this.#ranges ??= this.#source.ranges(this.#state.spec));
  }

  protected get planned(): Reading<F, P, X> {
    return (this.#planned ??= this.#source.reading(this.#state.spec, this.ranges));
  }

  prefix(segments: unknown): this {
    return this.withKey(this.#source.prefix(this.#state.spec, segments));
  }

  scanAll(): this {
    return this.renewed({ ...this.#state, scan: true });
  }

  between(segment: unknown, from: unknown, to: unknown): this {
    return this.#bounded({
      kind: 'between',
      segment: this.#boundSegment('between', segment, [from, to]),
      from: { value: copyOfSpec(from), inclusive: true },
      to: { value: copyOfSpec(to), inclusive: false },
    });
  }

  since(segment: unknown, from: unknown): this {
    return this.#bounded({
      kind: 'between',
      segment: this.#boundSegment('since', segment, [from]),
      from: { value: copyOfSpec(from), inclusive: true },
    });
  }

  until(segment: unknown, to: unknown): this {
    return this.#bounded({
      kind: 'between',
      segment: this.#boundSegment('until', segment, [to]),
      to: { value: copyOfSpec(to), inclusive: false },
    });
  }

  startsWith(segment: unknown, text: unknown): this {
    const name = this.#boundSegment('startsWith', segment, [text]);
    assertNarrows(this.#source, this.#state.spec.key, name, text);
    return this.#bounded({ kind: 'startsWith', segment: name, text: text as string });
  }

  subdomains(segment: unknown, domain: unknown): this {
    return this.#bounded({
      kind: 'subdomains',
      segment: this.#boundSegment('subdomains', segment, [domain]),
      domain: domain as string,
    });
  }

  limit(rows: unknown): this {
    return this.with({ limit: checkCount(this.#source, 'limit', rows) } as Partial<S>);
  }

  reverse(): this {
    return this.with({ reversed: !this.#state.spec.reversed } as Partial<S>);
  }

  signal(signal: AbortSignal | undefined): this {
    checkSignal(signal, { entity: this.#source.name });
    return this.renewed({ ...this.#state, signal });
  }

  explain(): X {
    return this.planned.explain();
  }

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
    return collect(this.open(options), options?.signal ?? this.#state.signal);
  }

  pages(options?: CallOptions): AsyncIterableIterator<object[]> {
    this.checkOptions('pages()', options);
    return iteratePages(this.open(options), options?.signal ?? this.#state.signal);
  }

  async page(request: Partial<PageRequest> | null | undefined): Promise<Page<object>> {
    this.checkOptions('page()', request, ['size', 'after', 'signal']);
    const { size, after, signal } = request ?? {};
    const pageRows = checkCount(this.#source, 'size', size, maxPageRows);
    const reading = this.reading();
    const position = after === undefined ? undefined : reading.positionOf(after);
    const limit = position === undefined ? this.#state.spec.limit : position.remaining;
    const take = Math.min(pageRows, limit ?? Infinity);
    // One row beyond the page shows whether there is a next one.
    const wanted = Math.min(pageRows + 1, limit ?? Infinity);
    const options = {
      limit: wanted,
      after: position?.last,
      position,
      peeks: wanted > take,
      signal: signal ?? this.#state.signal,
    };
    const found = await collect(reading.open(options), options.signal);
    const page = found.slice(0, take);
    const rows = reading.resultOf === undefined ? page : page.map(reading.resultOf);
    if (found.length <= take) return { rows };
    const remaining = limit === undefined ? undefined : limit - take;
    return { rows, next: reading.cursorAfter(page, remaining, position) };
  }

  async count(options?: CallOptions): Promise<number> {
    this.checkOptions('count()', options);
    let count = 0;
    const keys = this.with({ keysOnly: true } as Partial<S>);
    for await (const page of keys.pages(options)) count += page.length;
    return count;
  }

  [Symbol.asyncIterator](): AsyncIterator<object> {
    return iterateRows(this.open(), this.#state.signal);
  }

  /** What the query reads. Throws INVALID_QUERY if that is every row, which was not requested. */
  protected reading(): Reading<F, P, X> {
    this.assertCondition();
    return this.planned;
  }

  protected assertCondition(): void {
    if (this.#state.scan !== true) this.#source.assertCondition?.(this.#state.spec);
  }

  protected open(options?: CallOptions, maxRows?: number): Pages<object> {
    const { spec, signal } = this.#state;
    const reading = this.reading();
    const found = reading.open({
      limit: maxRows ?? spec.limit,
      signal: options?.signal ?? signal,
    });
    return reading.resultOf === undefined ? found : mapPages(found, reading.resultOf);
  }

  /** The same with other conditions on the key. */
  protected withKey(key: QueryKey): this {
    if (this.#state.part === true) throw splitError(this.#source, faults.conditionOnPart);
    const spec = Object.freeze({ ...this.#state.spec, key: Object.freeze(key) });
    // Ranges are computed here, not when reading: invalid values throw where they are passed in,
    // and changing a Date afterwards has no effect.
    return this.#specified(spec, this.#source.ranges(spec));
  }

  protected with(change: Partial<S>): this {
    const spec = Object.freeze({ ...this.#state.spec, ...change });
    return this.#specified(spec, this.#ranges);
  }

  /** A query of the same class. */
  protected renewed(state: QueryState<S, G>): this {
    const { constructor } = this as { constructor: unknown };
    const Same = constructor as new (source: T, state: QueryState<S, G>) => this;
    return new Same(this.#source, state);
  }

  protected checkOptions(
    call: string,
    options: unknown,
    known: readonly string[] = ['signal'],
  ): void {
    checkOptions(call, options, known, { entity: this.#source.name });
  }

  #specified(spec: S, ranges: G | undefined): this {
    const { part, scan, signal } = this.#state;
    // One shape of states, and no spread: it takes 0.5 us of the 2 us of a condition.
    return this.renewed({ spec, ranges, part, scan, signal });
  }

  #boundSegment(method: string, segment: unknown, values: readonly unknown[]): string {
    return this.#source.bound(method, this.#state.spec, segment, values);
  }

  #bounded(bound: SegmentBound): this {
    return this.withKey({ ...this.#state.spec.key, bound: Object.freeze(bound) });
  }
}

async function collect<F>(pages: Pages<F>, signal: AbortSignal | undefined): Promise<F[]> {
  const found: F[] = [];
  try {
    for (;;) {
      signal?.throwIfAborted();
      const page = await pages.next();
      if (page === undefined) return found;
      for (const each of page) found.push(each);
    }
  } finally {
    await pages.close();
  }
}

const faults = {
  conditionOnPart: { problem: 'a part of a query takes no more key conditions' },
} satisfies FaultTexts;
