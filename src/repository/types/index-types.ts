/** The types of queries of an index. */
import type {
  After,
  CheckPrefix,
  First,
  Hint,
  IndexValue,
  KeyParts,
  Leading,
  Next,
  NextHint,
  ScopedIndexKey,
} from '../../model/index.js';
import type { Aggregable } from './aggregate-types.js';
import type { DeleteOptions, DeleteResult } from './bulk-types.js';
import type { CoveredQuery } from './covered-types.js';
import type { CallOptions, DataKeys, KeyOf, Selectable, SelectedOf } from './entity-types.js';
import type { Answer } from './query-types.js';
import type { ConditionsOf } from './where-types.js';

/** The query of index X of entity E with key K. */
export type IndexQueryOf<E extends object, K extends KeyParts, X> =
  ScopedIndexKey<K, X> extends infer I extends KeyParts
    ? // Without a name of its own, so that messages show the properties.
      {
        readonly [N in I[number] & keyof E]: IndexValue<E[N], K, X, N>;
      } extends infer V
      ? IndexQuery<E, K, X, I, V>
      : never
    : never;

/**
 * Rows of E in the order of an index. Each row that an entry leads to is read, and is a result if
 * its values are still those of the entry.
 */
export interface IndexRows<E extends object, K extends KeyParts, R = E>
  extends Answer<R>, Aggregable<E> {
  limit(rows: number): IndexRows<E, K, R>;
  reverse(): IndexRows<E, K, R>;
  signal(signal: AbortSignal): IndexRows<E, K, R>;
  /**
   * Returns only these properties and the segments of the row key, as plain objects. The properties
   * of the index are read, too, and left out. Rows without a value of them are results.
   */
  select<const A extends readonly Selectable<E, K>[]>(
    ...properties: A
  ): IndexRows<E, K, SelectedOf<E, K, A[number]>>;
  /** Returns only the segments of the row key, as plain objects. */
  keysOnly(): IndexRows<E, K, KeyOf<E, K>>;
  /** Only rows that meet all conditions, which are tested on the rows themselves. */
  where<N extends DataKeys<E>>(conditions: ConditionsOf<E, N>): this;
  /**
   * Deletes every row that the query finds, one by one, as `delete` of other queries: also if it is
   * changed after it was found. Not together with `select` or `keysOnly`.
   */
  delete(options?: DeleteOptions<KeyOf<E, K>>): Promise<DeleteResult<KeyOf<E, K>>>;
}

/** One bound on segment S of an index. */
export interface IndexBounds<E extends object, K extends KeyParts, V, S extends keyof V> {
  /** `from <= segment < to`, compared by value even if the segment is declared descending. */
  between(segment: S | NextHint<S>, from: V[S], to: V[S]): IndexRows<E, K>;
  /** `segment >= from`. */
  since(segment: S | NextHint<S>, from: V[S]): IndexRows<E, K>;
  /** `segment < to`. */
  until(segment: S | NextHint<S>, to: V[S]): IndexRows<E, K>;
  /** Text segments: rows whose value starts with `text`. */
  startsWith(segment: TextSegment<V, S>, text: string): IndexRows<E, K>;
  /** Domain segments: `domain` itself and all its subdomains. */
  subdomains(segment: TextSegment<V, S>, domain: string): IndexRows<E, K>;
}

/** S, or what the compiler shows if it is not text. */
export type TextSegment<V, S extends keyof V> = V[S] extends string | null
  ? S | NextHint<S>
  : Hint<`'${S & string}' is not a text segment`>;

/** Conditions on segment S of an index, the one after those that have values. */
export interface IndexSpans<
  E extends object,
  K extends KeyParts,
  I extends KeyParts,
  V,
  S extends keyof V,
> extends IndexBounds<E, K, V, S> {
  /** Rows with one of these values, in the order of the index. */
  oneOf(
    segment: S | NextHint<S>,
    values: readonly V[S][],
  ): IndexRange<E, K, I, V, After<I, S> & keyof V>;
  /** Only of covered queries: the first entry of a group need not have a row. */
  firstPer(
    segment: Hint<'firstPer() cannot compare the rows that it skips with their entries: call covered() before it'>,
  ): never;
  /** Only of covered queries. */
  distinct(
    segment: Hint<'distinct() cannot compare the rows that it skips with their entries: call covered() before it'>,
  ): never;
}

/** A query of an index whose leading segments are fixed. */
export interface IndexRange<
  E extends object,
  K extends KeyParts,
  I extends KeyParts,
  V,
  S extends keyof V,
>
  extends IndexRows<E, K>, IndexSpans<E, K, I, V, S> {}

/**
 * An index, to be queried by its segments, and then by those of the row key. Results are rows as
 * they are: each is read and compared with its entry. A row whose values change during the query
 * may be missed, or be found with both.
 */
export interface IndexQuery<
  E extends object,
  K extends KeyParts,
  X,
  I extends KeyParts,
  V,
> extends IndexSpans<E, K, I, V, First<I> & keyof V> {
  /**
   * Reads one row: by the values of a unique index, or by all segments of any other, with those of
   * the row key. Returns undefined if there is none.
   */
  get(values: V, options?: CallOptions): Promise<E | undefined>;
  /**
   * Rows whose leading segments in the index equal these values: one or more of the first, without
   * gaps, but not all of them.
   */
  prefix<N extends keyof V = Leading<I> & keyof V>(
    segments: Pick<V, N> & Partial<Pick<V, Leading<I> & keyof V>> & CheckPrefix<I, N>,
  ): IndexRange<E, K, I, V, Next<I, N> & keyof V>;
  /** Rows with one of these prefixes, all of the same segments, in the order of the index. */
  prefixes<N extends keyof V = Leading<I> & keyof V>(
    list: readonly (Pick<V, N> & Partial<Pick<V, Leading<I> & keyof V>> & CheckPrefix<I, N>)[],
  ): IndexRange<E, K, I, V, Next<I, N> & keyof V>;
  /** Every row that has an entry. */
  scanAll(): IndexRange<E, K, I, V, First<I> & keyof V>;
  /**
   * Reads the entries alone, without their rows: the segments of the index and of the row key, and
   * the properties of `including()`. Faster, but possibly older or newer than the rows.
   */
  covered(): CoveredQuery<E, K, X, I, V>;
}

/** What the compiler shows for an entity without indexes. */
export type IndexHint<X> = [keyof X] extends [never]
  ? Hint<'the entity has no index: declare static readonly indexes = indexes({ ... }) beside its key'>
  : never;
