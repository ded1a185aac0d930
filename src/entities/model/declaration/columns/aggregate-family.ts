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

/** A family with cells that hold the sum of the added values. */
export const sum = (options?: AggregateOptions): FamilySchema => aggregate('sum', options);
/** A family with cells that hold the minimum of the added values. */
export const min = (options?: AggregateOptions): FamilySchema => aggregate('min', options);
/** A family with cells that hold the maximum of the added values. */
export const max = (options?: AggregateOptions): FamilySchema => aggregate('max', options);

function aggregate(kind: Aggregate, options: AggregateOptions = {}): FamilySchema {
  return Object.freeze({ ...options, aggregate: kind });
}
