/** Types of the methods that an entity's access patterns become. */
import type { KeyParts, PatternValues } from '../../model/index.js';
import type { Selected } from './entity-types.js';
import type { RowQuery } from './query-types.js';

/**
 * The access patterns P of entity E as methods. Each takes the values of its segments and returns a
 * query.
 */
export type PatternMethods<E extends object, K extends KeyParts, P> = {
  readonly [N in keyof P]: (
    ...values: [keyof PatternValues<E, P[N]>] extends [never]
      ? []
      : [values: PatternValues<E, P[N]>]
  ) => RowQuery<E, K, PatternResult<E, K, P[N]>>;
};

/** Result row of an access pattern: an entity, or a plain object if the pattern has a `select`. */
export type PatternResult<E extends object, K extends KeyParts, A> = A extends {
  readonly select: readonly (infer S)[];
}
  ? Selected<E, K, S & keyof E>
  : E;
