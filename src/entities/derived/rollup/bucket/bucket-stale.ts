/** When an extreme of a bucket must be computed from its rows again. */
import { rollupFamilies } from '../../../model/index.js';
import { orderedTime, removalsOf } from './bucket-additions.js';
import type { BucketChange } from './bucket-change.js';
import { type StoredBucket, valueIn } from './bucket-row.js';
import { int64Of } from './bucket-totals.js';

/** Whether a value that is the stored extreme goes away, or may do so while a build runs. */
export function mayBeStale(stored: StoredBucket, changes: readonly BucketChange[]): boolean {
  const removals = removalsOf(changes);
  if (removals.length === 0) return false;
  if (stored.isStale || stored.build !== undefined) return true;
  return removals.some(({ change: { family, qualifier, was }, time }) => {
    const cell = valueIn(stored, family, Buffer.from(qualifier));
    if (cell === undefined) return true;
    if (was instanceof Uint8Array) return BigInt(cell.timestamp) <= orderedTime(family, time);
    const extreme = int64Of(cell.value);
    return family === rollupFamilies.min ? BigInt(was!) <= extreme : BigInt(was!) >= extreme;
  });
}
