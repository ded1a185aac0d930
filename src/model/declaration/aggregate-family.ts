/**
 * Aggregate families: Bigtable combines the int64 values that are added to one of their cells.
 * Their columns are `@Counter`s.
 */
import type { Aggregate, FamilySchema, GcRule } from '../../store/index.js';

/** Options of an aggregate family. */
export interface AggregateOptions {
  /** When cells of the family are collected. */
  readonly gc?: GcRule;
}

/** A family whose cells hold the sum of what is added. */
export const sum = (options?: AggregateOptions): FamilySchema => aggregate('sum', options);
/** A family whose cells hold the least value that was added. */
export const min = (options?: AggregateOptions): FamilySchema => aggregate('min', options);
/** A family whose cells hold the greatest value that was added. */
export const max = (options?: AggregateOptions): FamilySchema => aggregate('max', options);

function aggregate(kind: Aggregate, options: AggregateOptions = {}): FamilySchema {
  return Object.freeze({ ...options, aggregate: kind });
}
