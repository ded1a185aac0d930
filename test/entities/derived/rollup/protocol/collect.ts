/** What storage collects: the version of a row after a day, and tokens of rollups after a week. */
import { type Contribution, isMade, type Storage } from './bucket-store.js';

/** What of a row is collected. */
type Collected = 'version' | 'token' | 'both';

/** Storage after each collection, when no call is in flight. */
export function* collected(storage: Storage): Iterable<[Storage, string]> {
  const rows = Object.keys(storage.contributions);
  // After a day marks still tell whether their writes were made.
  yield [settledPast(without(storage, rows, 'version')), 'all versions are collected'];
  const aged = withOldMarks(storage);
  for (const what of ['version', 'token', 'both'] as const) {
    yield [settledPast(without(aged, rows, what)), `${what} of all rows is collected after a week`];
    if (rows.length > 1)
      yield [
        settledPast(without(aged, rows.slice(0, 1), what)),
        `${what} of ${rows[0]} is collected`,
      ];
  }
}

function without(storage: Storage, rows: readonly string[], what: Collected): Storage {
  const next = {
    ...storage,
    rows: { ...storage.rows },
    contributions: { ...storage.contributions },
  };
  for (const row of rows) {
    const stored = storage.rows[row] as Storage['rows'][string] | undefined;
    if (what !== 'token' && stored !== undefined)
      next.rows[row] = { ...stored, version: undefined };
    const { adds, rolled }: Contribution = storage.contributions[row];
    if (what !== 'version') next.contributions[row] = { adds, rolled: rolled.map(() => undefined) };
  }
  return next;
}

function withOldMarks(storage: Storage): Storage {
  const buckets = storage.buckets.map((bucket) => {
    return { ...bucket, marks: bucket.marks.map((mark) => ({ ...mark, old: true })) };
  });
  return { ...storage, buckets };
}

/** Nothing is on its way any more; commits of marks that are gone need not be known. */
function settledPast(storage: Storage): Storage {
  const { buckets, committed } = storage;
  const tokens = new Set(buckets.flatMap(({ marks }) => marks.map(({ token }) => token)));
  return {
    ...storage,
    committed: committed.filter((token) => tokens.has(token) && isMade(storage, token)),
    delayed: [],
    past: { ...storage.past, collected: true },
  };
}
