/** The query interfaces. Queries are immutable: every builder method returns a new one. */
import type {
  After,
  CheckPrefix,
  CheckReferences,
  First,
  FixedOf,
  GroupHint,
  GroupSegments,
  Hint,
  Including,
  KeyParts,
  Leading,
  Next,
  NextHint,
  References,
  UpTo,
} from '../../model/index.js';
import type { Explanation } from '../../query/index.js';
import type { Aggregable } from './aggregate-types.js';
import type { DeleteOptions, DeleteResult } from './bulk-types.js';
import type {
  CallOptions,
  DataKeys,
  EntriesIn,
  KeyOf,
  ReadKeys,
  SelectedOf,
} from './entity-types.js';
import type { RequestCache } from './reference-types.js';
import type { SeriesKeys } from './property-kinds.js';
import type { Series, SeriesName, SeriesOptions, SeriesValue } from './series-types.js';
import type { AllowedTests, ConditionsOf } from './where-types.js';

/** One page of a query's rows. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** Cursor of the next page, for `page({ after })`; undefined on the last page. */
  readonly next?: string;
}

/** Argument of `page`. */
export interface PageRequest extends CallOptions {
  /** Maximum number of rows in the page, from 1 to 10,000. */
  readonly size: number;
  /** The previous page's `next`; undefined for the first page. */
  readonly after?: string | undefined;
}

/**
 * What a query finds, in row key order. Nothing is read until results are requested, and then only
 * as far as they are consumed: leaving a `for await` loop ends the scan. Builder methods throw
 * INVALID_QUERY, INVALID_KEY or INVALID_ARGUMENT for arguments that the types could not reject.
 */
export interface Answer<R, X = Explanation> extends AsyncIterable<R> {
  /** Returns at most `rows` results: an integer of at least 1. */
  limit(rows: number): this;
  /** Reverses the order: descending row keys, or ascending again if called twice. */
  reverse(): this;
  /** Attaches an AbortSignal: once it is aborted, reads reject with its reason. */
  signal(signal: AbortSignal): this;

  /** Returns the first result, or undefined if there is none. */
  first(options?: CallOptions): Promise<R | undefined>;
  /** Returns all results in one array. For large results use `for await` or `pages`. */
  all(options?: CallOptions): Promise<R[]>;
  /**
   * Returns the results in non-empty arrays of up to 256, as storage delivers them: the fastest way
   * to read a large result.
   */
  pages(options?: CallOptions): AsyncIterableIterator<R[]>;
  /**
   * Returns one page and a cursor for the next one, which may be requested later and by another
   * process. Rejects with INVALID_CURSOR if `after` is damaged or belongs to a different query.
   */
  page(request: PageRequest): Promise<Page<R>>;
  /** Returns the number of results. Reads the keys of all of them. */
  count(options?: CallOptions): Promise<number>;
  /**
   * Describes the plan: key ranges, order, families, filters, limit, and whether it is a full scan.
   * Reads nothing.
   */
  explain(): X;
}

/** Rows of E, or entries of an index with the properties of E. `select` takes only N. */
export interface SelectQuery<E extends object, K extends KeyParts, R = E, N = never>
  extends Answer<R>, Aggregable<E> {
  /**
   * Returns only these properties and the key segments, as plain objects. `save` rejects the
   * results, because saving one would delete the columns that were not read. An index compares its
   * properties, too, and leaves them out; rows without a value of the selected ones are results.
   */
  select<const A extends readonly ([N] extends [never] ? ReadKeys<E, K> | EntriesIn<E> : N)[]>(
    ...properties: A
  ): SelectQuery<E, K, SelectedOf<E, K, A[number]>, N>;
  /**
   * Adds the rows that references lead to: `include({ customer: Order.customer })` sets `customer`,
   * to undefined where there is no row. They are read as they are then, all of a page in one read
   * for each entity. It comes last: after it there are only limits, and ways to consume results. A
   * `cache` shares them with other calls.
   */
  include<const I extends References>(
    references: I & CheckReferences<E, R, FixedOf<K>, I>,
    options?: { readonly cache?: RequestCache<FixedOf<K>> },
  ): Answer<Including<R, I>>;
  /** Returns only the key segments, as plain objects. Values are not read. */
  keysOnly(): SelectQuery<E, K, KeyOf<E, K>, N>;
  /**
   * Only rows that meet all conditions, on columns and on segments after the segments with values.
   * The range is still read: `explain` shows what the storage tests, which sends only rows that
   * match, and what is tested after a row was sent. Values are what the entity shows, with
   * defaults, and of the newest cells. Every test but `null` needs a value.
   */
  where<P extends DataKeys<E>>(conditions: ConditionsOf<E, P>): this;
  /**
   * `where` for an object that the program does not trust, such as the query string of an HTTP
   * request: `whereFrom(request.query, { allow: { status: ['equals'], total: ['atLeast'] } })` for
   * `?status=open&total[atLeast]=20`. Text becomes a value of the property's kind, repeated
   * parameters a list of `oneOf`; an object without properties is no condition. Throws
   * INVALID_QUERY for another property, another operator and a value of another kind.
   */
  whereFrom(untrusted: unknown, options: { readonly allow: AllowedTests<E> }): this;
}

/** Queries of rows that can be deleted; K is the type of their keys. */
export interface Deletable<K> {
  /**
   * Deletes every row that the query finds, one by one: each atomically, and also if it is changed
   * after it was found. Rows of other entities are kept. The call can be repeated after a failure.
   * Not together with `select`, `keysOnly`, `versions` or `asOf`.
   */
  delete(options?: DeleteOptions<K>): Promise<DeleteResult<K>>;
}

/** Rows of E in row key order. */
export interface RowQuery<E extends object, K extends KeyParts, R = E>
  extends SelectQuery<E, K, R>, Deletable<KeyOf<E, K>> {
  /**
   * Returns only these properties and the key segments, as plain objects. Only the families of
   * these properties are read, so a row without a cell in them is left out. `save` rejects the
   * results, because saving one would delete the columns that were not read.
   *
   * Of a column map it also takes a part: `entriesOf('prices', { from, to, limit })`,
   * `entryKeysOf`, an array of the keys alone, and `entryCountOf`, their number.
   */
  select<const A extends readonly (ReadKeys<E, K> | EntriesIn<E>)[]>(
    ...properties: A
  ): RowQuery<E, K, SelectedOf<E, K, A[number]>>;
  keysOnly(): RowQuery<E, K, KeyOf<E, K>>;
  /**
   * Limits each `@Versions` property to its `count` newest versions: an integer of at least 1. By
   * default all stored versions are returned.
   */
  versions(count: number): this;
  /**
   * Reads only cells with a timestamp up to and including `timestamp`, a Date since 1970. Versions
   * that were garbage collected or deleted since are not restored.
   */
  asOf(timestamp: Date): this;
  /**
   * Splits the query into at most `parts` queries, 1 to 10,000, of ranges that do not overlap, to
   * be read in parallel; together they have the same rows. The ranges are between keys that storage
   * samples, similar in size: a small table has one part, and the embedded engine reads the table's
   * keys to sample them. Not together with `limit` or `firstPer`.
   */
  split(parts: number, options?: CallOptions): Promise<RowQuery<E, K, R>[]>;
}

/** One bound on S, the first segment without a value. V are the values, Q has the bound. */
export interface KeyBounds<V, S extends keyof V, Q> {
  /** `from <= segment < to`, compared by value even if the segment is declared descending. */
  between(segment: S | NextHint<S>, from: V[S], to: V[S]): Q;
  /** `segment >= from`. */
  since(segment: S | NextHint<S>, from: V[S]): Q;
  /** `segment < to`. */
  until(segment: S | NextHint<S>, to: V[S]): Q;
  /** Text segments: rows with a value that starts with `text`. */
  startsWith(segment: TextSegment<V, S>, text: string): Q;
  /** Domain segments: `domain` itself and all its subdomains. */
  subdomains(segment: TextSegment<V, S>, domain: string): Q;
}

type TextSegment<V, S extends keyof V> = V[S] extends string | null
  ? S | NextHint<S>
  : Hint<`'${S & string}' is not a text segment`>;

/**
 * What is read: the rows of an `entity`, the rows that an `index` leads to, or what is `derived` of
 * them.
 */
type SourceKind = 'entity' | 'index' | 'derived';

/** T, or what the compiler shows for groups of rows that must be compared with entries. */
type Grouped<F extends SourceKind, M extends string, T> = F extends 'index'
  ? Hint<`${M}() cannot compare the rows that it skips with their entries: call covered() before it`>
  : T;

/**
 * The conditions on S, the first segment of the key K without a value. V has the values of the
 * segments, Q is a query with a bound.
 */
export interface KeyConditions<
  V,
  K extends KeyParts,
  S extends keyof V,
  Q,
  F extends SourceKind,
> extends KeyBounds<V, S, Q> {
  /**
   * Rows with one of these values, in key order; equal values count once, and an empty list matches
   * no row. All of them are read together. At most 100,000 combinations of values.
   */
  oneOf(
    segment: S | NextHint<S>,
    values: readonly V[S][],
  ): RangeQuery<V, K, After<K, S> & keyof V, Q, F>;
  /**
   * The first row, in the order of the query, for each value of the segment: with a descending time
   * after it, the newest. The rows between are skipped, not read. A bound applies within groups.
   */
  firstPer<N extends GroupSegments<K, S> & keyof V>(
    segment: Grouped<F, 'firstPer', N | GroupHint<K, S>>,
  ): Q & KeyBounds<V, After<K, N> & keyof V, Q>;
  /** The values of the segments up to this one that have rows, each combination once. */
  distinct<N extends GroupSegments<K, S> & keyof V>(
    segment: Grouped<F, 'distinct', N | GroupHint<K, S>>,
  ): Answer<Readonly<Pick<V, UpTo<K, N> & keyof V>>>;
  /**
   * The entries of a column map with Dates as keys, across rows and in order of time: for keys that
   * end with a floored time, such as a row for each hour. One read, whatever the number of rows.
   */
  series<P extends SeriesKeys<V>>(
    map: F extends 'entity' ? SeriesName<V, S, P> : Hint<'series() reads the rows of an entity'>,
    options?: SeriesOptions,
  ): Series<SeriesValue<V, P>>;
}

/**
 * A query with fixed leading segments. S is the segment after them, to which one bound can be
 * applied.
 */
export type RangeQuery<
  V,
  K extends KeyParts,
  S extends keyof V,
  Q,
  F extends SourceKind = 'entity',
> = Q & KeyConditions<V, K, S, Q, F>;

/** An element of `prefixes`: values of the first segments of the key, without gaps. */
export type Prefix<V, K extends KeyParts, N extends keyof V> = Pick<V, N> &
  Partial<Pick<V, Leading<K> & keyof V>> &
  CheckPrefix<K, N>;

/**
 * Where queries start: a prefix of the key, a condition on its first segment, or an explicit full
 * scan.
 */
export interface QueryRoot<
  V,
  K extends KeyParts,
  Q,
  F extends SourceKind = 'entity',
> extends KeyConditions<V, K, First<K> & keyof V, Q, F> {
  /**
   * Rows with leading segments that equal these values: one or more of the first segments of the
   * key, without gaps, but not all of them. Whole values are compared: `acme` does not match
   * `acme2`.
   */
  prefix<N extends keyof V = Leading<K> & keyof V>(
    // Not `Prefix`: the compiler would name it in its messages, instead of what is wrong.
    segments: Pick<V, N> & Partial<Pick<V, Leading<K> & keyof V>> & CheckPrefix<K, N>,
  ): RangeQuery<V, K, Next<K, N> & keyof V, Q, F>;
  /**
   * Rows with one of these prefixes, all of the same segments, in key order; equal ones count once,
   * and an empty list matches no row. At most 100,000.
   */
  prefixes<N extends keyof V = Leading<K> & keyof V>(
    list: readonly Prefix<V, K, N>[],
  ): RangeQuery<V, K, Next<K, N> & keyof V, Q, F>;
  /** Every row. This is the only way to request a full scan. */
  scanAll(): RangeQuery<V, K, First<K> & keyof V, Q, F>;
}

/** Where queries of an index, of its entries or of a rollup start. R is what one key names. */
export interface DerivedQuery<
  V,
  K extends KeyParts,
  Q,
  R,
  F extends SourceKind = 'derived',
> extends QueryRoot<V, K, Q, F> {
  /**
   * Reads one row or entry by all segments; any time of its bucket names a row of a rollup. Returns
   * undefined if there is none.
   */
  get(
    values: { readonly [N in K[number] & keyof V]: V[N] },
    options?: CallOptions,
  ): Promise<R | undefined>;
  /** As `get`, but rejects with ROW_NOT_FOUND if there is none. */
  getOrThrow(
    values: { readonly [N in K[number] & keyof V]: V[N] },
    options?: CallOptions,
  ): Promise<R>;
}
