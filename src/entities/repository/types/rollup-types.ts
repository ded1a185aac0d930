/** The types of rollups as they are read. */
import type { Hint, KeyParts, RollupTime } from '../../model/index.js';
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

/** The rollups that class C declares. */
export type RollupsOf<C> = C extends { readonly rollups?: infer D } ? D : unknown;
type Declared<C, N> = RollupsOf<C>[N & keyof RollupsOf<C>];

/** The rows of rollup N of class C, without the segments that a scope gives. */
type RollupRow<E, C, N, Given> = {
  readonly [P in Exclude<keyof RowOf<E, Declared<C, N>>, Given>]: RowOf<E, Declared<C, N>>[P];
};

/** Rollup N of class C: the same conditions on its segments as queries of entities. */
export interface RollupOf<E extends object, C, N, Given = never> extends DerivedQuery<
  E,
  Without<KeyOfRollup<Declared<C, N>>, Given>,
  Answer<RollupRow<E, C, N, Given>>,
  RollupRow<E, C, N, Given>
> {}

/** The segments that a scope leaves. */
type Without<K extends KeyParts, Given> = [Given] extends [never]
  ? K
  : K extends readonly [infer H, ...infer R extends KeyParts]
    ? H extends Given
      ? Without<R, Given>
      : K
    : K;

/** What the compiler shows for an entity without rollups. */
export type RollupHint<D> = [keyof D] extends [never]
  ? Hint<'the entity has no rollup: declare static readonly rollups = rollups({ ... }) beside its key'>
  : never;
