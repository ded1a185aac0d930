/** The types of aggregation: what can be computed of a query's rows, and what comes back. */
import type { Explanation } from '../../query/index.js';
import type { CallOptions, DataKeys } from './entity-types.js';
import type { TextKeys, NumericKeys, TimeKeys, OrderedKeys, ScalarKeys } from './property-kinds.js';

/**
 * One value computed of the rows of a group. Rows in which the property is undefined or null do not
 * count, as in SQL.
 * - `'count'`: the number of rows. `{ count: 'note' }`: of rows with a value of the property.
 * - `sum`, `avg`: of number and bigint properties. Sums are exact: of bigints as bigints, of
 *   numbers rounded once. `{ sum: 'price', as: 'decimal' }` adds decimal text such as `'12.50'`.
 *   The sum of no values is 0.
 * - `min`, `max`: numbers, bigints and Dates by value, text and bytes in byte order; decimal
 *   segments, and text `as: 'decimal'`, by value. NaN is left out.
 * - `first`, `last`: the value in the first and the last row, in the order of the query.
 */
export type AggregateOf<E> =
  | 'count'
  | { readonly count: DataKeys<E> }
  | { readonly sum: NumericKeys<E> }
  | { readonly avg: NumericKeys<E> }
  | { readonly min: OrderedKeys<E> }
  | { readonly max: OrderedKeys<E> }
  | { readonly first: DataKeys<E> }
  | { readonly last: DataKeys<E> }
  | { readonly sum: TextKeys<E>; readonly as: 'decimal' }
  | { readonly min: TextKeys<E>; readonly as: 'decimal' }
  | { readonly max: TextKeys<E>; readonly as: 'decimal' };

/** The aggregates of a call, under the names of the results. */
export type Aggregates<E> = Readonly<Record<string, AggregateOf<E>>>;

/** A width of time: a whole number of seconds, minutes, hours or days. */
export type TimeWidth = `${number}${'s' | 'm' | 'h' | 'd'}`;

/** Groups rows by a time, floored to a multiple of the width since 1970 in UTC. */
export interface TimeGroup<P extends string = string> {
  /** A Date property. */
  readonly time: P;
  /** Such as `'15m'` or `'1h'`. */
  readonly every: TimeWidth;
  /**
   * Adds a row for each time between the ends of the query's bound that has none, with counts and
   * sums of 0; without a bound between the first and the last time found. The time is then the last
   * group, and the segment that the key is sorted by after the groups before it.
   */
  readonly fillGaps?: boolean;
}

/** What rows are grouped by: the values of a property, or a floored time. */
export type Grouping<E> = ScalarKeys<E> | TimeGroup<TimeKeys<E>>;

type GroupName<G> = G extends TimeGroup<infer P> ? P : G;

type ResultOf<E, A> = A extends 'count' | { readonly count: unknown }
  ? number
  : A extends { readonly avg: unknown }
    ? number | undefined
    : A extends { readonly sum: infer P extends keyof E }
      ? Sum<E[P]>
      : A extends { readonly [kind in 'min' | 'max' | 'first' | 'last']?: infer P extends keyof E }
        ? NonNullable<E[P]> | undefined
        : never;

type Sum<V> =
  NonNullable<V> extends bigint ? bigint : NonNullable<V> extends number ? number : string;

/** The values of one group, and the group itself. */
export type AggregateRow<E, A, G = never> = {
  readonly [N in GroupName<G> & keyof E]: E[N];
} & { readonly [N in keyof A]: ResultOf<E, A[N]> };

/** Methods of every query that compute values of its rows, which are read in pages and not kept. */
export interface Aggregable<E extends object> {
  /**
   * Computes values of all rows: `aggregate({ n: 'count', mean: { avg: 'temperature' } })`. Reads
   * only the columns that are named.
   */
  aggregate<const A extends Aggregates<E>>(
    values: A,
    options?: CallOptions,
  ): Promise<AggregateRow<E, A>>;
  /**
   * Groups the rows to compute values of each group:
   * `groupBy('device', { time: 'at', every: '1h' })`. Groups that follow the order of the key are
   * computed one after the other. Other groups are kept in memory until all rows are read, at most
   * 1,000,000, and come in the order of their first rows.
   */
  groupBy<const G extends readonly (ScalarKeys<E> | TimeGroup<TimeKeys<E>>)[]>(
    ...groups: G
  ): GroupedQuery<E, G[number]>;
}

/** The rows of a query in groups. */
export interface GroupedQuery<E extends object, G> {
  /** Computes values of each group. Nothing is read before results are requested. */
  aggregate<const A extends Aggregates<E>>(values: A): Groups<AggregateRow<E, A, G>>;
}

/** The results of a grouped query, one for each group. */
export interface Groups<R> extends AsyncIterable<R> {
  /** Returns all groups in one array. */
  all(options?: CallOptions): Promise<R[]>;
  /** Returns the groups in non-empty arrays. */
  pages(options?: CallOptions): AsyncIterableIterator<R[]>;
  /** Describes the read, and whether groups are streamed or kept in memory. Reads nothing. */
  explain(): Explanation;
}
