/** Every interleaving of writers that add rows to a bucket, and of recoveries of their marks. */
import { type Case, drawn, expectMany, patience, statesOf } from './cases.js';
import { exploreRollups } from './explore-rollups.js';
import { build, recover, storageOf, type Targets, write } from './jobs.js';
import type { Storage } from './bucket-store.js';

const starts: readonly Storage[] = [
  storageOf({ rows: { p: [5], q: [7] } }),
  storageOf({ rows: { p: [null], q: [7] } }),
  storageOf({ rows: { p: [5], q: [7] }, open: ['p'] }),
];

/** Changes, the same value, a change of another column, and a deletion. */
const targets: readonly Targets[] = [[3], [9], [5], [undefined], null];
const pairs = targets.flatMap((first) => targets.map((second) => [first, second] as const));
const settings = starts.flatMap((storage) =>
  pairs.map(([first, second]) => ({ storage, first, second })),
);

test(
  'two writers of a row and a recovery',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      return { storage, jobs: [write('A', 'p', first), write('B', 'p', second), recover('R')] };
    });
    expectMany(statesOf(drawn(cases, 11)), 20_000);
  },
  patience,
);

test(
  'two writers of a row and two recoveries',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      const last = write('B', 'p', second, { attempts: 1 });
      return { storage, jobs: [write('A', 'p', first), last, recover('R'), recover('S')] };
    });
    expectMany(statesOf(drawn(cases, 1)), 5000);
  },
  patience,
);

test(
  'three writers, one of them of another row',
  () => {
    const cases = settings.flatMap(({ storage, first, second }) =>
      targets.map((third): Case => {
        const jobs = [write('A', 'p', first), write('B', 'p', second), write('C', 'q', third)];
        return { storage, jobs };
      }),
    );
    expectMany(statesOf(drawn(cases, 12)), 5000);
  },
  patience,
);

test(
  'rows of two rollups, of which writes change one or both',
  () => {
    const storage = storageOf({ rows: { p: [5, 2], q: [7, 1] }, isOrdered: false });
    const both: readonly Targets[] = [[3, 4], [9, undefined], [undefined, 6], null];
    const cases = both.flatMap((first) =>
      both.map((second): Case => {
        const jobs = [write('A', 'p', first), write('B', 'p', second), recover('R', 1)];
        return { storage, jobs };
      }),
    );
    expectMany(statesOf(drawn(cases, 4)), 10_000);
  },
  patience,
);

test(
  'writers and a recovery, with a request that fails, is lost, late or sent twice',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      const last = write('B', 'p', second, { attempts: 1 });
      return { storage, jobs: [write('A', 'p', first), last, recover('R')], faults: 1 };
    });
    expectMany(statesOf(drawn(cases, 3)), 20_000);
  },
  patience,
);

test(
  'when all writers have stopped, recoveries leave no mark, and a build the lowest value',
  () => {
    const { ends } = exploreRollups(
      starts[0],
      [write('A', 'p', [9]), write('B', 'p', null, { attempts: 1 })],
      { faults: 1 },
    );
    const distinct = new Map(ends.map(({ storage }) => [JSON.stringify(storage), storage]));
    expect(distinct.size).toBeGreaterThan(15);
    for (let storage of distinct.values()) {
      for (let i = 0; storage.buckets[0].marks.length > 0; i++)
        storage = exploreRollups(storage, [recover(`R${i}`)]).ends[0].storage;
      [{ storage }] = exploreRollups(storage, [build('X')]).ends;
      const { p, q } = storage.contributions;
      const values = [...p.adds, ...q.adds].filter((each) => each !== null);
      expect(storage.buckets[0]).toMatchObject({
        sum: values.reduce((sum, each) => sum + each, 0),
        count: values.length,
        min: Math.min(...values),
        stale: false,
        marks: [],
        log: [],
      });
    }
  },
  patience,
);
