/** What is wrong in a state, whoever is on the way. */
import { violation } from '../../protocol/model-store.js';
import { contributionOf, isMade, type Storage, type StoredMark } from './bucket-store.js';
import { differencesOf, totalsOf } from './totals.js';

/**
 * Undefined if the totals of each bucket, and the changes of marks with their tokens in the rows,
 * are what the rows add.
 */
export function problemOf(storage: Storage): string | undefined {
  for (const rollup of storage.buckets.keys()) {
    const found = inexact(storage, rollup);
    if (found !== undefined) return found;
  }
  return violation(storage);
}

function inexact(storage: Storage, rollup: number): string | undefined {
  const bucket = storage.buckets[rollup];
  if (bucket.doubt) return undefined;
  const made = bucket.marks.filter((mark) => isAdded(storage, rollup, mark));
  const open = differencesOf(made);
  const rows = totalsOf(
    Object.values(storage.contributions).map(({ adds }) => adds[rollup]),
    bucket.isOrdered,
  );
  if (bucket.sum + open.sum !== rows.sum)
    return `sum ${bucket.sum} and ${open.sum} of marks; the rows add ${rows.sum}`;
  if (bucket.count + open.count !== rows.count)
    return `count ${bucket.count} and ${open.count} of marks; the rows add ${rows.count}`;
  if (!bucket.stale && made.length === 0 && bucket.min !== rows.min)
    return `minimum ${bucket.min}, not ${rows.min}, and not stale`;
  return undefined;
}

/** Whether the row has the token of a mark; of an old mark, whether it ever had. */
function isAdded(storage: Storage, rollup: number, { token, row, old }: StoredMark): boolean {
  if (old) return isMade(storage, token);
  return contributionOf(storage, row).rolled[rollup]?.token === token;
}
