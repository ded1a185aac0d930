/** The types of references in reads, and of caches that several calls share. */
import type { CheckReferences, EntityClass, FixedOf, KeyParts, Scoped } from '../../model/index.js';
import type { KeyOf, PointResult } from './entity-types.js';

/**
 * Rows by key for one request of an application, in the contract of DataLoader: loads of one turn
 * of the event loop are gathered into one read for each entity, each key is read once, and a
 * failure rejects the loads of its key. Results are shared, and as old as the cache. F are the
 * segments that a scope gives.
 */
export interface RequestCache<F = never> {
  /**
   * The row of a key; undefined if there is none. Rejects as `get` does. If a whole read fails,
   * such as with UNAVAILABLE, its keys are read again by later loads.
   */
  load<E extends object, K extends KeyParts>(
    entity: EntityClass<E, K>,
    key: KeyOf<E, Scoped<K, F>>,
  ): Promise<E | undefined>;
  /** Forgets what was read, for reads after writes of the same request. */
  clear(): void;
}

/** References of `get` and `getMany`, as in `include` of queries. */
export interface IncludeOptions<E, K extends KeyParts, A extends readonly unknown[], I> {
  /** Adds the rows that references lead to, to undefined where there is none. Not with `asOf`. */
  readonly include?: I & CheckReferences<E, PointResult<E, K, A>, FixedOf<K>, I>;
  /** Shares the rows that references lead to with other calls. */
  readonly cache?: RequestCache<FixedOf<K>>;
}
