/**
 * Aggregate families: Bigtable combines the int64 values that are added to a cell. Their columns
 * are declared with `@Counter`.
 */
import type { Aggregate, FamilySchema, GcRule } from '../../store/index.js';

/** Options of an aggregate family. */
export interface AggregateOptions {
  /** Garbage collection rule of the family. */
  readonly gc?: GcRule;
}

/** A family whose cells hold the sum of the values that are added. */
export const sum = (options?: AggregateOptions): FamilySchema => aggregate('sum', options);
/** A family whose cells hold the minimum of the values that are added. */
export const min = (options?: AggregateOptions): FamilySchema => aggregate('min', options);
/** A family whose cells hold the maximum of the values that are added. */
export const max = (options?: AggregateOptions): FamilySchema => aggregate('max', options);

function aggregate(kind: Aggregate, options: AggregateOptions = {}): FamilySchema {
  return Object.freeze({ ...options, aggregate: kind });
}
