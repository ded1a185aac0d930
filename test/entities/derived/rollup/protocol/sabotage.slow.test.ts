/** Each step of the protocol is needed: the exploration notices what leaves one out. */
import { ProtocolViolation } from '../../protocol/exploration.js';
import type { Breakage } from './breakage.js';
import { patience } from './cases.js';
import { exploreRollups } from './explore-rollups.js';
import { build, type Jobs, recover, storageOf, write } from './jobs.js';

const rows = { p: [5], q: [7] };

function violated(broken: Breakage, jobs: Jobs, storage = storageOf({ rows }), faults = 0): void {
  const whole = exploreRollups(storage, jobs(), { faults });
  expect(whole.states).toBeGreaterThan(10);
  const explored = () => exploreRollups(storage, jobs(broken), { faults, broken });
  expect(explored).toThrow(ProtocolViolation);
}

test.each<Breakage>([
  'no help',
  'no fence',
  'fence replaces the token',
  'no version',
  'keep the mark',
  'commit first',
  'settle without the mark',
])(
  'writers and a recovery, with: %s',
  (broken) => {
    const jobs: Jobs = () => [
      write('A', 'p', [3]),
      write('B', 'p', null, { attempts: 1 }),
      recover('R'),
    ];
    violated(broken, jobs);
  },
  patience,
);

test.each<Breakage>([
  'no log',
  'log as read',
  'no marks after the scan',
  'all of the log is seen',
  'finish without the revision',
  'deleted rows have no order',
])(
  'a writer and a build, with: %s',
  (broken) => violated(broken, (by) => [write('A', 'p', null), build('X', by)]),
  patience,
);

test(
  'the order of a write that is only its clock, and falls',
  () => {
    const jobs: Jobs = (broken) => [
      write('A', 'p', [3], { attempts: 1, clock: 9, broken }),
      write('B', 'p', [6], { attempts: 1, clock: 2, broken }),
      build('X', broken),
    ];
    violated('orders are clocks', jobs);
  },
  patience,
);

test(
  'the end of a build from which another took over',
  () => {
    const storage = storageOf({ rows, isNew: true });
    const jobs: Jobs = (broken) => [write('A', 'p', [3]), build('X', broken), build('Y', broken)];
    violated('finish without the build', jobs, storage);
  },
  patience,
);

test(
  'a decision before the commit that the lowest value stays',
  () => {
    const storage = storageOf({ rows: { p: [5], q: [3] } });
    const jobs: Jobs = (broken) => [
      write('A', 'p', [9], { attempts: 1 }),
      write('B', 'q', [8], { attempts: 1 }),
      build('X', broken),
    ];
    violated('stale before the commit', jobs, storage);
  },
  patience,
);

test('the removal of marks after a commit with an unknown outcome', () => {
  const jobs: Jobs = () => [write('A', 'p', [3], { attempts: 1 })];
  violated('unmark after an unknown commit', jobs, undefined, 1);
});

// WRITES.md has it that requests may arrive twice. All may but these, which are sent once.
test('marks that arrive twice, the second time after they were settled', () => {
  violated('repeated marks', () => [write('A', 'p', [3])], undefined, 1);
});

test(
  'a start of a build that arrives again after another build has ended',
  () => {
    const storage = storageOf({ rows, isNew: true });
    violated('repeated starts', () => [build('X'), build('Y')], storage, 1);
  },
  patience,
);
