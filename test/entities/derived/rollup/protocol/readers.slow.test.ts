/** A reader beside writers returns a sum that was right at one moment while it read. */
import { ProtocolViolation } from '../../protocol/exploration.js';
import type { Breakage } from './breakage.js';
import { type Case, drawn, expectMany, patience, statesOf } from './cases.js';
import { exploreRollups } from './explore-rollups.js';
import { read, recover, storageOf, type Targets, write } from './jobs.js';

const storage = storageOf({ rows: { p: [5], q: [7] }, isOrdered: false });
const targets: readonly Targets[] = [[3], [9], null];

test(
  'a reader and two or three writers',
  () => {
    const cases = targets.flatMap((first) =>
      targets.flatMap((second): Case[] => [
        { storage, jobs: [write('A', 'p', first), write('B', 'q', second), read('L', 3)] },
        { storage, jobs: [write('A', 'p', first), write('B', 'p', second), read('L', 3)] },
        {
          storage,
          jobs: [
            write('A', 'p', first, { attempts: 1 }),
            write('B', 'q', second, { attempts: 1 }),
            write('C', 'p', [4], { attempts: 1 }),
            read('L', 2),
          ],
        },
      ]),
    );
    expectMany(statesOf(drawn(cases, 18)), 10_000);
  },
  patience,
);

test(
  'a reader, writers and a recovery',
  () => {
    const cases = targets.map((target): Case => {
      const jobs = [write('A', 'p', target), write('B', 'q', [1]), recover('R'), read('L')];
      return { storage, jobs };
    });
    expectMany(statesOf(drawn(cases, 1)), 5000);
  },
  patience,
);

test.each<Breakage>(['one pass', 'no second look'])(
  'with %s, it returns one that never was',
  (broken) => {
    const jobs = [write('A', 'p', [9]), write('B', 'q', [6]), read('L')];
    expect(exploreRollups(storage, jobs).states).toBeGreaterThan(100);
    expect(() => exploreRollups(storage, jobs, { broken })).toThrow(ProtocolViolation);
  },
);
