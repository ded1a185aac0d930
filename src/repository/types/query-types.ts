/**
 * The questions that can be asked of an entity, as the compiler checks them. Every method gives a
 * new query; none changes one.
 */
import type { CheckPrefix, First, KeyParts, Leading, Next } from '../../model/index.js';
import type { Explanation } from '../../query/index.js';
import type { CallOptions, DataKeys, KeyOf, Selected } from './entity-types.js';

/** One page of a query. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** Cursor of the page after this one; undefined when there is none. */
  readonly next?: string;
}

/** Which page. */
export interface PageRequest extends CallOptions {
  /** Most rows in the page, 1 to 10,000. */
  readonly size: number;
  /** The `next` of the page before; undefined for the first page. */
  readonly after?: string | undefined;
}

/**
 * Rows of E in key order. Nothing is read until the rows are asked for, and then only as far as
 * they are taken: leaving a `for await` loop ends the scan.
 */
export interface RowQuery<E extends object, K extends KeyParts, R = E> extends AsyncIterable<R> {
  /** At most this many rows: an integer of at least 1. */
  limit(rows: number): RowQuery<E, K, R>;
  /** Descending key order. Twice is ascending again. */
  reverse(): RowQuery<E, K, R>;
  /**
   * Only these properties besides the key segments. Reads only their families, so a row that holds
   * nothing in those families is not in the answer. Results are plain objects, which `save`
   * refuses: saving one would delete what was not read.
   */
  select<P extends DataKeys<E>>(...properties: readonly P[]): RowQuery<E, K, Selected<E, K, P>>;
  /** Only the key segments, as plain objects. Values are not read. */
  keysOnly(): RowQuery<E, K, KeyOf<E, K>>;
  /**
   * At most this many versions, newest first, for `@Versions` properties; the default is all that
   * are stored.
   */
  versions(count: number): RowQuery<E, K, R>;
  /**
   * The cells as they stood at this moment: timestamps up to it, inclusive, as far as garbage
   * collection kept them.
   */
  asOf(moment: Date): RowQuery<E, K, R>;
  /** The query under an AbortSignal: reading rejects with its reason once it is aborted. */
  signal(signal: AbortSignal): RowQuery<E, K, R>;

  /** The first row, or undefined. */
  first(options?: CallOptions): Promise<R | undefined>;
  /** All rows at once. For large answers use `for await` or `pages`. */
  all(options?: CallOptions): Promise<R[]>;
  /**
   * The rows in arrays of up to 256, as storage gives them: the fastest way through a large answer.
   */
  pages(options?: CallOptions): AsyncIterableIterator<R[]>;
  /** One page with a cursor to go on from, in this process or another. */
  page(request: PageRequest): Promise<Page<R>>;
  /** How many rows there are. Reads the keys of all of them. */
  count(options?: CallOptions): Promise<number>;
  /**
   * What the query will do: ranges, order, families, filters, limit, and whether it is a full scan.
   * Reads nothing.
   */
  explain(): Explanation;
}

/**
 * Rows of E whose leading segments are fixed; S is the segment after them, on which one bound may
 * be put.
 */
export interface RangeQuery<
  E extends object,
  K extends KeyParts,
  S extends keyof E,
> extends RowQuery<E, K> {
  /** `from <= S < to`, in the order of values, whatever the direction of the segment. */
  between(segment: S, from: E[S], to: E[S]): RowQuery<E, K>;
  /** `S >= from`. */
  since(segment: S, from: E[S]): RowQuery<E, K>;
  /** `S < to`. */
  until(segment: S, to: E[S]): RowQuery<E, K>;
  /** Text segments whose value starts with `text`. */
  startsWith(segment: E[S] extends string | null ? S : never, text: string): RowQuery<E, K>;
  /** Domain segments: the domain itself and everything below it. */
  subdomains(segment: E[S] extends string | null ? S : never, domain: string): RowQuery<E, K>;
}

/**
 * Where questions start: a prefix of the key, a bound on its first segment, or every row by name.
 */
export interface QueryRoot<E extends object, K extends KeyParts> extends Pick<
  RangeQuery<E, K, First<K> & keyof E>,
  'between' | 'since' | 'until' | 'startsWith' | 'subdomains'
> {
  /**
   * The rows whose leading segments have these values: one or more of the key's first segments,
   * without gaps, not all of them.
   */
  prefix<N extends Leading<K> & keyof E>(
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
  ): RangeQuery<E, K, Next<K, N> & keyof E>;
  /** Every row of the entity: a full scan, the only way to ask for one. */
  scanAll(): RowQuery<E, K>;
}
