/** Which writes may be sent again when it is not known whether they were done. */
import { equalBytes } from '../../../bytes/index.js';
import type { Mutation } from '../../../store/index.js';

/**
 * True when doing the mutations twice is doing them once: cells under timestamps that the client
 * chose, and deletions. A cell under the server's clock would come again under another timestamp,
 * and what is added to an aggregate would be added twice, unless the same write empties the column
 * before.
 *
 * A write that another program makes between the two tries may be undone by the second: that is the
 * same as if both had come later.
 */
export function isRepeatable(mutations: readonly Mutation[]): boolean {
  for (const [i, mutation] of mutations.entries()) {
    if (
      (mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell') &&
      !isEmptiedBefore(mutations, i, mutation)
    )
      return false;
    // A comparison of values: -1 may be a number or a bigint.
    if (mutation.kind === 'setCell' && mutation.timestamp < 0) return false;
  }
  return true;
}

function isEmptiedBefore(
  mutations: readonly Mutation[],
  i: number,
  { family, qualifier, timestamp }: Extract<Mutation, { kind: 'addToCell' | 'mergeToCell' }>,
): boolean {
  for (let at = i - 1; at >= 0; at--) {
    const before = mutations[at];
    if (before.kind === 'deleteFromRow') return true;
    if (before.kind === 'deleteFromFamily' && before.family === family) return true;
    const holds =
      before.kind === 'deleteFromColumn' &&
      (before.start ?? 0) <= timestamp &&
      (before.end === undefined || before.end > timestamp);
    if (holds && before.family === family && equalBytes(before.qualifier, qualifier)) return true;
  }
  return false;
}
