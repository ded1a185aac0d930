/** Which writes may be retried if it is unknown whether they were applied. */
import { equalBytes } from '../../../base/index.js';
import type { Mutation } from '../../../data/store/index.js';

/**
 * Whether applying the mutations twice has the same effect as once. True for cells with a timestamp
 * from the client, and for deletions. Not for cells with a timestamp from the server, which would
 * be written twice, nor for additions to an aggregate, unless the same write deletes the cell
 * first.
 *
 * A retry may overwrite what another client wrote between the attempts: the same as if the whole
 * write had happened after it.
 */
export function isIdempotent(mutations: readonly Mutation[]): boolean {
  for (const [i, mutation] of mutations.entries()) {
    if (
      (mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell') &&
      !isDeletedBefore(mutations, i, mutation)
    )
      return false;
    // Not `=== -1`: timestamps are numbers or bigints.
    if (mutation.kind === 'setCell' && mutation.timestamp < 0) return false;
  }
  return true;
}

/** Whether a mutation before the one at `i` deletes its cell. */
function isDeletedBefore(
  mutations: readonly Mutation[],
  i: number,
  { family, qualifier, timestamp }: Extract<Mutation, { kind: 'addToCell' | 'mergeToCell' }>,
): boolean {
  for (let at = i - 1; at >= 0; at--) {
    const before = mutations[at];
    if (before.kind === 'deleteFromRow') return true;
    if (before.kind === 'deleteFromFamily' && before.family === family) return true;
    const coversTimestamp =
      before.kind === 'deleteFromColumn' &&
      (before.start ?? 0) <= timestamp &&
      (before.end === undefined || before.end > timestamp);
    if (coversTimestamp && before.family === family && equalBytes(before.qualifier, qualifier))
      return true;
  }
  return false;
}
