/** The types of rollups as they are read. */
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
  RollupTime,
  UpTo,
} from '../../model/index.js';
import type { AggregateRow } from './aggregate-types.js';
import type { CallOptions } from './entity-types.js';
import type { Answer, Prefix } from './query-types.js';

/** The names of what a rollup groups by, in key order. */
type NamesOf<B> = B extends readonly [infer H, ...infer R]
  ? readonly [H extends RollupTime<infer P> ? P : H, ...NamesOf<R>]
  : readonly [];
type KeyOfRollup<D> = D extends { readonly by: infer B }
  ? NamesOf<B> extends infer K extends KeyParts
    ? K
    : never
  : never;
type RowOf<E, D> = D extends { readonly by: infer B; readonly values: infer V }
  ? Readonly<AggregateRow<E, V, B extends readonly (infer G)[] ? GroupOf<G> : never>>
  : never;
type GroupOf<G> = G extends RollupTime<infer P> ? P : G;

/** A rollup D of entity E: the same conditions on its segments as queries of entities. */
export type RollupOf<E extends object, D, Given = never> = RollupQuery<
  E,
  Without<KeyOfRollup<D>, Given>,
  [Given] extends [never] ? RowOf<E, D> : Omit<RowOf<E, D>, Given & PropertyKey>
>;

/** The segments that a scope leaves. */
type Without<K extends KeyParts, Given> = [Given] extends [never]
  ? K
  : K extends readonly [infer H, ...infer R extends KeyParts]
    ? H extends Given
      ? Without<R, Given>
      : K
    : K;

/** The method of repositories whose entity declares rollups. */
export interface ReadsRollups<E extends object, D, Given = never> {
  /**
   * The rows of a rollup, `repository.rollup('hourly').prefix({ device }).since('at', day)`: the
   * groups and values as plain objects. Every write that has ended is in them.
   */
  rollup<N extends keyof D & string>(name: N): RollupOf<E, D[N], Given>;
}

/** Added to the repository of an entity that declares rollups. */
export type WithRollups<E extends object, D, Given = never> = unknown extends D
  ? unknown
  : ReadsRollups<E, D, Given>;

/** Where reads of a rollup start. */
export interface RollupQuery<E extends object, K extends KeyParts, R> extends RollupSpans<
  E,
  K,
  First<K> & keyof E,
  R
> {
  /** The row of one group, given its segments; any time of a bucket names it. */
  get(
    key: { readonly [N in K[number] & keyof E]: E[N] },
    options?: CallOptions,
  ): Promise<R | undefined>;
  /** As in queries of entities. */
  prefix<N extends keyof E = Leading<K> & keyof E>(
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
  ): RollupRange<E, K, Next<K, N> & keyof E, R>;
  /** As in queries of entities. */
  prefixes<N extends keyof E = Leading<K> & keyof E>(
    list: readonly Prefix<E, K, N>[],
  ): RollupRange<E, K, Next<K, N> & keyof E, R>;
  /** Every row of the rollup. */
  scanAll(): Answer<R>;
}

/** A rollup of which leading segments are fixed; S is the segment after them. */
export interface RollupRange<E extends object, K extends KeyParts, S extends keyof E, R>
  extends Answer<R>, RollupSpans<E, K, S, R> {}

/** Conditions on segment S, the one after those that have values. */
export interface RollupSpans<E extends object, K extends KeyParts, S extends keyof E, R> {
  /** Buckets that begin from `from` on and before `to`. */
  between(segment: S | NextHint<S>, from: E[S], to: E[S]): Answer<R>;
  /** Buckets that begin from `from` on. */
  since(segment: S | NextHint<S>, from: E[S]): Answer<R>;
  /** Buckets that begin before `to`. */
  until(segment: S | NextHint<S>, to: E[S]): Answer<R>;
  /** Text segments: rows whose value starts with `text`. */
  startsWith(
    segment: E[S] extends string | null ? S : Hint<'not a text segment'>,
    text: string,
  ): Answer<R>;
  /** Rows with one of these values. */
  oneOf(
    segment: S | NextHint<S>,
    values: readonly E[S][],
  ): RollupRange<E, K, After<K, S> & keyof E, R>;
  /** The first row for each value of the segment, in the order of the query. */
  firstPer<N extends GroupSegments<K, S> & keyof E>(segment: N | GroupHint<K, S>): Answer<R>;
  /** The values of the segments up to this one that have rows, each combination once. */
  distinct<N extends GroupSegments<K, S> & keyof E>(
    segment: N | GroupHint<K, S>,
  ): Answer<Readonly<Pick<E, UpTo<K, N> & keyof E>>>;
}
