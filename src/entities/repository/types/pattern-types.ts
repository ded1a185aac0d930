/** Types of the methods that an entity's access patterns become. */
import type { FixedOf, KeyParts, PatternSegments, PatternValues } from '../../model/index.js';
import type { Selected } from './entity-types.js';
import type { RowQuery } from './query-types.js';

/** The access patterns that class C declares. */
export type PatternsOf<C> = C extends { readonly patterns?: infer P } ? P : unknown;

/**
 * The access patterns P of entity E as methods. Each takes the values of its segments and returns a
 * query.
 */
export type PatternMethods<E extends object, K extends KeyParts, P> = {
  readonly [N in keyof P]: (
    ...values: PatternArguments<E, P[N], FixedOf<K>>
  ) => RowQuery<E, K, PatternResult<E, K, P[N]>>;
};

type PatternArguments<E, A, Given, Names = PatternSegments<A>> = [Names] extends [Given]
  ? []
  : [values: ValuesLeft<PatternValues<E, A>, Given>];

/** The values that are left to give in a scope. */
type ValuesLeft<V, Given> = [Given] extends [never] ? V : Omit<V, Given & keyof V>;

/** Result row of an access pattern: an entity, or a plain object if the pattern has a `select`. */
export type PatternResult<E extends object, K extends KeyParts, A> = A extends {
  readonly select: readonly (infer S)[];
}
  ? Selected<E, K, Exclude<S & keyof E, FixedOf<K>>>
  : E;
