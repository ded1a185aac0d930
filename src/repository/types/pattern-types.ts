/** Access patterns as the compiler checks them. */
import type { KeyParts, PatternValues } from '../../model/index.js';
import type { Selected } from './entity-types.js';
import type { RowQuery } from './query-types.js';

/**
 * The access patterns P of entity E as methods: each takes the values of its segments and gives the
 * query.
 */
export type PatternMethods<E extends object, K extends KeyParts, P> = {
  readonly [N in keyof P]: (
    ...values: [keyof PatternValues<E, P[N]>] extends [never]
      ? []
      : [values: PatternValues<E, P[N]>]
  ) => RowQuery<E, K, PatternResult<E, K, P[N]>>;
};

/** What the rows of a pattern are: entities, or plain objects where it selects. */
export type PatternResult<E extends object, K extends KeyParts, A> = A extends {
  readonly select: readonly (infer S)[];
}
  ? Selected<E, K, S & keyof E>
  : E;
