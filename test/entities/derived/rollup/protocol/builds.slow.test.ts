/** Every interleaving of builds of a bucket and of writers that go on meanwhile. */
import { unseenOf } from '../../../../../src/entities/derived/protocol/bucket-build.js';
import type { SeenMark } from '../../../../../src/entities/derived/protocol/step.js';
import { type Case, drawn, expectMany, patience, statesOf } from './cases.js';
import { exploreRollups, type RollupWorld } from './explore-rollups.js';
import { build, type Job, recover, storageOf, type Targets, write } from './jobs.js';
import type { Storage } from './bucket-store.js';

const rows = { p: [5], q: [7] };
const starts: readonly Storage[] = [
  storageOf({ rows }),
  storageOf({ rows, isNew: true }),
  storageOf({ rows, open: ['p'] }),
];
const targets: readonly Targets[] = [[3], [9], [undefined], null];
const settings = starts.flatMap((storage) =>
  targets.flatMap((first) => targets.map((second) => ({ storage, first, second }))),
);

/** Nothing else runs any more: the bucket is exact, and one of the builds has ended it. */
function expectBuilt({ storage, processes }: RollupWorld): void {
  const kinds = processes.map((each) => ('result' in each ? each.result.kind : 'asks'));
  expect(kinds).toContain('built');
  expect(storage.buckets[0]).toMatchObject({ log: [], doubt: false });
  expect(storage.buckets[0].build).toBeUndefined();
}

function explored(cases: readonly Case[]): number {
  let states = 0;
  for (const { storage, jobs } of cases) {
    const exploration = exploreRollups(storage, jobs);
    states += exploration.states;
    exploration.ends.forEach(expectBuilt);
  }
  return states;
}

test(
  'a build and two writers of a row',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      const last = write('B', 'p', second, { attempts: 1, clock: 4 });
      return { storage, jobs: [write('A', 'p', first, { clock: 9 }), last, build('X')] };
    });
    expectMany(explored(drawn(cases, 4)), 20_000);
  },
  patience,
);

test(
  'a build and writers of two rows',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      return { storage, jobs: [write('A', 'p', first), write('B', 'q', second), build('X')] };
    });
    expectMany(explored(drawn(cases, 4)), 20_000);
  },
  patience,
);

test(
  'a build of sums alone, whose end has no condition but the build',
  () => {
    const cases = targets.flatMap((first) =>
      targets.map((second): Case => {
        const storage = storageOf({ rows, isOrdered: false, isNew: true });
        const jobs = [write('A', 'p', first), write('B', 'p', second), unordered('X')];
        return { storage, jobs };
      }),
    );
    expectMany(explored(drawn(cases, 3)), 5000);
  },
  patience,
);

function unordered(id: string): Job {
  return build(id, 'finish without the revision');
}

test(
  'two builds and a writer: one takes over from the other',
  () => {
    const cases = starts.flatMap((storage) =>
      targets.map((target): Case => {
        return { storage, jobs: [write('A', 'p', target), build('X'), build('Y')] };
      }),
    );
    expectMany(explored(drawn(cases, 2)), 10_000);
  },
  patience,
);

test(
  'a build, a writer and a recovery',
  () => {
    const cases = starts.flatMap((storage) =>
      targets.map((target): Case => {
        return { storage, jobs: [write('A', 'p', target), recover('R'), build('X')] };
      }),
    );
    expectMany(explored(drawn(cases, 4)), 5000);
  },
  patience,
);

test(
  'the last try of a build that others overtook leaves the lowest value as it is, and stale',
  () => {
    const cases = settings.map(({ storage, first, second }): Case => {
      const jobs = [write('A', 'p', first), write('B', 'q', second), build('X', undefined, 0, 8)];
      return { storage, jobs };
    });
    expectMany(explored(drawn(cases, 2)), 5000);
    const { ends } = exploreRollups(starts[1], [build('X', undefined, 0, 8)]);
    expect(ends.map(({ storage }) => storage.buckets[0].stale)).toEqual([true]);
  },
  patience,
);

test(
  'a build and a writer, with requests that fail, are lost, late or sent twice',
  () => {
    const cases = starts.flatMap((storage) =>
      targets.flatMap((target): Case[] => [
        { storage, jobs: [write('A', 'p', target), build('X')], faults: 2 },
        { storage, jobs: [write('A', 'p', target), build('X'), build('Y')], faults: 1 },
      ]),
    );
    expectMany(statesOf(drawn(cases, 4)), 15_000);
  },
  patience,
);

test('names of rows may be those of properties of every object', () => {
  const names = ['constructor', '__proto__', 'toString'];
  const log = names.map((row): SeenMark => ({ token: row, order: 2, row }));
  const first = { marks: [], log: [], revision: undefined, build: 'X' };
  const orders = (order: number) => Object.fromEntries(names.map((row) => [row, order]));
  expect(unseenOf(log, { first, rows: { orders: {} } })).toEqual(log);
  expect(unseenOf(log, { first, rows: { orders: orders(1) } })).toEqual(log);
  expect(unseenOf(log, { first, rows: { orders: orders(2) } })).toEqual([]);
});
