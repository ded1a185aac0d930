/** The query interfaces. Queries are immutable: every builder method returns a new one. */
import type {
  After,
  CheckPrefix,
  First,
  GroupHint,
  GroupSegments,
  Hint,
  KeyParts,
  Leading,
  Next,
  NextHint,
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
import type { Series, SeriesName, SeriesOptions, SeriesValue } from './series-types.js';
import type { ConditionsOf } from './where-types.js';
import type { SeriesKeys } from './property-kinds.js';

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
export interface Answer<R> extends AsyncIterable<R> {
  /** Returns at most `rows` results: an integer of at least 1. */
  limit(rows: number): Answer<R>;
  /** Reverses the order: descending row keys, or ascending again if called twice. */
  reverse(): Answer<R>;
  /** Attaches an AbortSignal: once it is aborted, reads reject with its reason. */
  signal(signal: AbortSignal): Answer<R>;

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
  explain(): Explanation;
}

/** Rows of E in row key order. */
export interface RowQuery<E extends object, K extends KeyParts, R = E>
  extends Answer<R>, Aggregable<E> {
  limit(rows: number): RowQuery<E, K, R>;
  reverse(): RowQuery<E, K, R>;
  signal(signal: AbortSignal): RowQuery<E, K, R>;
  /**
   * Returns only these properties and the key segments, as plain objects. Only the families of
   * these properties are read, so a row without a cell in them is left out. `save` rejects the
   * results, because saving one would delete the columns that were not read.
   *
   * Of a column map it also takes a part: `entries('prices', { from, to, limit })`, `entryKeys`, an
   * array of the keys alone, and `entryCount`, their number.
   */
  select<const A extends readonly (ReadKeys<E, K> | EntriesIn<E>)[]>(
    ...properties: A
  ): RowQuery<E, K, SelectedOf<E, K, A[number]>>;
  /** Returns only the key segments, as plain objects. Values are not read. */
  keysOnly(): RowQuery<E, K, KeyOf<E, K>>;
  /**
   * Limits each `@Versions` property to its `count` newest versions: an integer of at least 1. By
   * default all stored versions are returned.
   */
  versions(count: number): RowQuery<E, K, R>;
  /**
   * Reads only cells with a timestamp up to and including `timestamp`, a Date since 1970. Versions
   * that were garbage collected or deleted since are not restored.
   */
  asOf(timestamp: Date): RowQuery<E, K, R>;
  /**
   * Splits the query into at most `parts` queries, 1 to 10,000, of ranges that do not overlap, to
   * be read in parallel; together they have the same rows. The ranges are between keys that storage
   * samples, similar in size: a small table has one part, and the embedded engine reads the table's
   * keys to sample them. Not together with `limit` or `firstPer`.
   */
  split(parts: number, options?: CallOptions): Promise<RowQuery<E, K, R>[]>;
  /**
   * Deletes every row that the query finds, one by one: each atomically, and also if it is changed
   * after it was found. Rows of other entities are kept. The call can be repeated after a failure.
   * Not together with `select`, `keysOnly`, `versions` or `asOf`.
   */
  delete(options?: DeleteOptions<KeyOf<E, K>>): Promise<DeleteResult<KeyOf<E, K>>>;
  /**
   * Only rows that meet all conditions, on columns and on segments after those that have values.
   * The range is still read: `explain` shows what the storage tests, which sends only rows that
   * match, and what is tested after a row was sent. Values are those that the entity shows, with
   * defaults, and of the newest cells. Every test but `null` needs a value.
   */
  where<N extends DataKeys<E>>(conditions: ConditionsOf<E, N>): this;
}

/** One bound on segment S, the one after those that have values. */
export interface Bounds<E extends object, K extends KeyParts, S extends keyof E, R = E> {
  /** `from <= segment < to`, compared by value even if the segment is declared descending. */
  between(segment: S | NextHint<S>, from: E[S], to: E[S]): RowQuery<E, K, R>;
  /** `segment >= from`. */
  since(segment: S | NextHint<S>, from: E[S]): RowQuery<E, K, R>;
  /** `segment < to`. */
  until(segment: S | NextHint<S>, to: E[S]): RowQuery<E, K, R>;
  /** Text segments: rows whose value starts with `text`. */
  startsWith(segment: TextSegment<E, S>, text: string): RowQuery<E, K, R>;
  /** Domain segments: `domain` itself and all its subdomains. */
  subdomains(segment: TextSegment<E, S>, domain: string): RowQuery<E, K, R>;
}

type TextSegment<E, S extends keyof E> = E[S] extends string | null
  ? S | NextHint<S>
  : Hint<`'${S & string}' is not a text segment`>;

/** The first row of each group. A bound applies within each of them. */
export interface GroupQuery<E extends object, K extends KeyParts, S extends keyof E, R = E>
  extends RowQuery<E, K, R>, Bounds<E, K, S, R> {}

/** The conditions on segment S, the one after those that have values. */
export interface Spans<
  E extends object,
  K extends KeyParts,
  S extends keyof E,
  R = E,
> extends Bounds<E, K, S, R> {
  /**
   * Rows with one of these values, in key order; equal values count once, and an empty list matches
   * no row. All of them are read together. At most 100,000 combinations of values.
   */
  oneOf(
    segment: S | NextHint<S>,
    values: readonly E[S][],
  ): RangeQuery<E, K, After<K, S> & keyof E, R>;
  /**
   * The first row, in the order of the query, for each value of the segment: with a descending time
   * after it, the newest. The rows between are skipped, not read.
   */
  firstPer<N extends GroupSegments<K, S> & keyof E>(
    segment: N | GroupHint<K, S>,
  ): GroupQuery<E, K, After<K, N> & keyof E, R>;
  /**
   * The entries of a column map with Dates as keys, across rows and in order of time: for keys that
   * end with a floored time, such as a row for each hour. One read, whatever the number of rows.
   */
  series<P extends SeriesKeys<E>>(
    map: SeriesName<E, S, P>,
    options?: SeriesOptions,
  ): Series<SeriesValue<E, P>>;
  /** The values of the segments up to this one that have rows, each combination once. */
  distinct<N extends GroupSegments<K, S> & keyof E>(
    segment: N | GroupHint<K, S>,
  ): Answer<Readonly<Pick<E, UpTo<K, N> & keyof E>>>;
}

/**
 * A query whose leading segments are fixed. S is the segment after them, to which one bound can be
 * applied.
 */
export interface RangeQuery<E extends object, K extends KeyParts, S extends keyof E, R = E>
  extends RowQuery<E, K, R>, Spans<E, K, S, R> {}

/** An element of `prefixes`: values of the first segments of the key, without gaps. */
export type Prefix<E extends object, K extends KeyParts, N extends keyof E> = Pick<E, N> &
  Partial<Pick<E, Leading<K> & keyof E>> &
  CheckPrefix<K, N>;

/**
 * Where queries start: a prefix of the row key, a condition on its first segment, or an explicit
 * full scan.
 */
export interface QueryRoot<E extends object, K extends KeyParts, R = E> extends Spans<
  E,
  K,
  First<K> & keyof E,
  R
> {
  /**
   * Rows whose leading segments equal these values: one or more of the first segments of the key,
   * without gaps, but not all of them. Whole values are compared: `acme` does not match `acme2`.
   */
  prefix<N extends keyof E = Leading<K> & keyof E>(
    // Not `Prefix`: the compiler would name it in its messages, instead of what is wrong.
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
  ): RangeQuery<E, K, Next<K, N> & keyof E, R>;
  /**
   * Rows with one of these prefixes, all of the same segments, in key order; equal ones count once,
   * and an empty list matches no row. At most 100,000.
   */
  prefixes<N extends keyof E = Leading<K> & keyof E>(
    list: readonly Prefix<E, K, N>[],
  ): RangeQuery<E, K, Next<K, N> & keyof E, R>;
  /** Every row of the entity. This is the only way to request a full scan. */
  scanAll(): RangeQuery<E, K, First<K> & keyof E, R>;
}
