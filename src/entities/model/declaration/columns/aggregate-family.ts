/**
 * Aggregate families: Bigtable combines the int64 values that are added to a cell. Their columns
 * are declared with `@Counter`.
 */
import type { Aggregate, FamilySchema, GcRule } from '../../../../data/store/index.js';

/** Options of an aggregate family. */
export interface AggregateOptions {
  /** Garbage collection rule of the family. */
  readonly gc?: GcRule;
}

/**
 * A family with cells that hold the sum, the minimum or the maximum of the added values.
 * @example families: { hits: aggregate('sum', { gc: maxAge('30d') }) }
 */
export function aggregate(kind: Aggregate, options: AggregateOptions = {}): FamilySchema {
  return Object.freeze({ ...options, aggregate: kind });
}
