/** The query interfaces. Queries are immutable: every builder method returns a new one. */
import type { CheckPrefix, First, KeyParts, Leading, Next } from '../../model/index.js';
import type { Explanation } from '../../query/index.js';
import type { CallOptions, DataKeys, KeyOf, Selected } from './entity-types.js';

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
 * Rows of E in row key order. Nothing is read until rows are requested, and then only as far as
 * they are consumed: leaving a `for await` loop ends the scan. Builder methods throw INVALID_QUERY,
 * INVALID_KEY or INVALID_ARGUMENT for arguments that the types could not reject.
 */
export interface RowQuery<E extends object, K extends KeyParts, R = E> extends AsyncIterable<R> {
  /** Returns at most `rows` rows: an integer of at least 1. */
  limit(rows: number): RowQuery<E, K, R>;
  /** Reverses the order: descending row keys, or ascending again if called twice. */
  reverse(): RowQuery<E, K, R>;
  /**
   * Returns only these properties and the key segments, as plain objects. Only the families of
   * these properties are read, so a row without a cell in them is left out. `save` rejects the
   * results, because saving one would delete the columns that were not read.
   */
  select<P extends DataKeys<E>>(...properties: readonly P[]): RowQuery<E, K, Selected<E, K, P>>;
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
  /** Attaches an AbortSignal: once it is aborted, reads reject with its reason. */
  signal(signal: AbortSignal): RowQuery<E, K, R>;

  /** Returns the first row, or undefined if there is none. */
  first(options?: CallOptions): Promise<R | undefined>;
  /** Returns all rows in one array. For large results use `for await` or `pages`. */
  all(options?: CallOptions): Promise<R[]>;
  /**
   * Returns the rows in non-empty arrays of up to 256, as storage delivers them: the fastest way to
   * read a large result.
   */
  pages(options?: CallOptions): AsyncIterableIterator<R[]>;
  /**
   * Returns one page and a cursor for the next one, which may be requested later and by another
   * process. Rejects with INVALID_CURSOR if `after` is damaged or belongs to a different query.
   */
  page(request: PageRequest): Promise<Page<R>>;
  /** Returns the number of rows. Reads the keys of all of them. */
  count(options?: CallOptions): Promise<number>;
  /**
   * Describes the plan: key ranges, order, families, filters, limit, and whether it is a full scan.
   * Reads nothing.
   */
  explain(): Explanation;
}

/**
 * A query whose leading segments are fixed. S is the segment after them, to which one bound can be
 * applied.
 */
export interface RangeQuery<
  E extends object,
  K extends KeyParts,
  S extends keyof E,
> extends RowQuery<E, K> {
  /** `from <= segment < to`, compared by value even if the segment is declared descending. */
  between(segment: S, from: E[S], to: E[S]): RowQuery<E, K>;
  /** `segment >= from`. */
  since(segment: S, from: E[S]): RowQuery<E, K>;
  /** `segment < to`. */
  until(segment: S, to: E[S]): RowQuery<E, K>;
  /** Text segments: rows whose value starts with `text`. */
  startsWith(segment: E[S] extends string | null ? S : never, text: string): RowQuery<E, K>;
  /** Domain segments: `domain` itself and all its subdomains. */
  subdomains(segment: E[S] extends string | null ? S : never, domain: string): RowQuery<E, K>;
}

/**
 * Where queries start: a prefix of the row key, a bound on its first segment, or an explicit full
 * scan.
 */
export interface QueryRoot<E extends object, K extends KeyParts> extends Pick<
  RangeQuery<E, K, First<K> & keyof E>,
  'between' | 'since' | 'until' | 'startsWith' | 'subdomains'
> {
  /**
   * Rows whose leading segments equal these values: one or more of the first segments of the key,
   * without gaps, but not all of them. Whole values are compared: `acme` does not match `acme2`.
   */
  prefix<N extends keyof E = Leading<K> & keyof E>(
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
  ): RangeQuery<E, K, Next<K, N> & keyof E>;
  /** Every row of the entity. This is the only way to request a full scan. */
  scanAll(): RowQuery<E, K>;
}
