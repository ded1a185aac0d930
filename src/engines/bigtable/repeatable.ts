/** Which writes may be sent again when it is not known whether they were done. */
import type { Mutation } from '../../store/index.js';

/**
 * True when doing the mutations twice is doing them once: cells under timestamps that the client chose, and deletions. A cell under the server's
 * clock would come again under another timestamp, and what is added to an aggregate would be added twice.
 *
 * A write that another program makes between the two tries may be undone by the second: that is the same as if both had come later.
 */
export function isRepeatable(mutations: readonly Mutation[]): boolean {
  for (const mutation of mutations) {
    if (mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell') return false;
    // A comparison of values: -1 may be a number or a bigint.
    if (mutation.kind === 'setCell' && mutation.timestamp < 0) return false;
  }
  return true;
}
