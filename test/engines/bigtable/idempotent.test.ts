/** Which writes may be sent again: every kind of mutation, and deletions before additions. */
import { isIdempotent } from '../../../src/engines/bigtable/write/idempotent.js';
import type { Mutation } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';

const add = (timestamp = 1000): Mutation => ({
  kind: 'addToCell',
  ...{ family: 'sum', qualifier: utf8('q'), timestamp, input: 1n },
});
const remove = (start?: number, end?: number, family = 'sum', name = 'q'): Mutation => ({
  kind: 'deleteFromColumn',
  ...{ family, qualifier: utf8(name), start, end },
});
const family: Mutation = { kind: 'deleteFromFamily', family: 'sum' };

test.each<[string, boolean, readonly Mutation[]]>([
  ['a cell with a time', true, [set('a', 'q', 'v', 0), set('a', 'q', 'v', 1000)]],
  ['a cell with the time of the server', false, [set('a', 'q', 'v'), set('a', 'q', 'v', -1)]],
  ['deletions', true, [remove(), family, { kind: 'deleteFromRow' }]],
  ['an addition', false, [add()]],
  ['an addition before its deletion', false, [add(), remove()]],
  ['an addition after the row was deleted', true, [{ kind: 'deleteFromRow' }, add()]],
  ['an addition after its family was deleted', true, [family, set('a', 'q', 'v'), add()]],
  ['an addition after its column was deleted', true, [remove(), add()]],
  ['after another column was deleted', false, [remove(undefined, undefined, 'sum', 'p'), add()]],
  ['after another family was deleted', false, [remove(undefined, undefined, 'b'), add()]],
  ['after its time was deleted', true, [remove(1000, 2000), add()]],
  ['after the times before it were deleted', false, [remove(0, 1000), add()]],
  ['after the times after it were deleted', false, [remove(2000), add()]],
])('%s: %p', (_what, expected, mutations) => {
  expect(isIdempotent(mutations)).toBe(expected);
});
