/**
 * Storage collects the version of a row after a day, and after a week the token that tells whether
 * the write of a mark was made. By then the mark is old: only a build may remove it.
 */
import { ProtocolViolation } from '../../protocol/exploration.js';
import { type Case, drawn, expectMany, patience, statesOf } from './cases.js';
import { exploreRollups } from './explore-rollups.js';
import { build, later, recover, storageOf, type Targets, write } from './jobs.js';

const storage = storageOf({ rows: { p: [5], q: [7] } });
const targets: readonly Targets[] = [[3], [9], null];

test(
  'a writer stops, and after the collection another one and a recovery begin',
  () => {
    const cases = targets.flatMap((first) =>
      targets.map((second): Case => {
        const jobs = [write('A', 'p', first), later(write('B', 'p', second)), later(recover('R'))];
        return { storage, jobs };
      }),
    );
    expectMany(statesOf(drawn(cases, 5)), 5000);
  },
  patience,
);

test(
  'a build stops, too, and after the collection another one begins beside a writer',
  () => {
    const cases = targets.flatMap((first) =>
      targets.map((second): Case => {
        // The clock of the second writer is behind.
        const jobs = [
          write('A', 'p', first, { clock: 9 }),
          build('X'),
          later(write('B', 'p', second, { clock: 2 })),
          later(build('Y')),
        ];
        return { storage, jobs };
      }),
    );
    expectMany(statesOf(drawn(cases, 3)), 20_000);
  },
  patience,
);

test(
  'two builds after the collection, of which one takes over, remove old marks',
  () => {
    const cases = targets.map((first): Case => {
      const jobs = [write('A', 'p', first), later(build('X')), later(build('Y'))];
      return { storage, jobs };
    });
    expectMany(statesOf(drawn(cases, 1)), 8000);
  },
  patience,
);

test('a plain recovery of an old mark takes a write that was made for one that never was', () => {
  const jobs = [write('A', 'p', [3]), later(recover('R'))];
  expect(exploreRollups(storage, jobs).states).toBeGreaterThan(30);
  const broken = () => exploreRollups(storage, jobs, { broken: 'old marks are recovered' });
  expect(broken).toThrow(ProtocolViolation);
});
