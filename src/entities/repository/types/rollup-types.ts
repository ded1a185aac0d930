/** The types of rollups as they are read. */
import type { KeyParts, RollupTime } from '../../model/index.js';
import type { AggregateRow } from './aggregate-types.js';
import type { Answer, DerivedQuery } from './query-types.js';

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
export type RollupOf<
  E extends object,
  D,
  Given = never,
  R = [Given] extends [never] ? RowOf<E, D> : Omit<RowOf<E, D>, Given & PropertyKey>,
> = DerivedQuery<E, Without<KeyOfRollup<D>, Given>, Answer<R>, R>;

/** The segments that a scope leaves. */
type Without<K extends KeyParts, Given> = [Given] extends [never]
  ? K
  : K extends readonly [infer H, ...infer R extends KeyParts]
    ? H extends Given
      ? Without<R, Given>
      : K
    : K;

/** The method of repositories of an entity that declares rollups. */
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
