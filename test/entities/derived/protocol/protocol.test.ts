/**
 * Interleavings of the state machines that programs run: a few jobs, and storage without what the
 * protocol needs. protocol.slow.test.ts has every pair of writes.
 */
import { explore, ProtocolViolation } from './explore.js';
import { choices, plain, repair, startings, unique, write, x } from './jobs.js';
import { type Breakage, emptyStorage, withRow } from './model-store.js';

test('two writers and a repairer, with a request that fails, is lost or arrives late', () => {
  let states = 0;
  for (const first of choices.slice(1))
    for (const faults of [0, 1]) {
      const jobs = [write('A', 'p', first), write('B', 'p', [x]), repair('R', 'p', x)];
      states += explore(withRow(emptyStorage(), 'p', [x]), jobs, { faults }).states;
    }
  expect(states).toBeGreaterThan(2000);
});

test('writers of two rows that take one unique value, and a repairer', () => {
  const u = unique('u');
  const storage = withRow(withRow(emptyStorage(), 'p', [u]), 'q', []);
  const jobs = [write('A', 'p', undefined), write('B', 'q', [u]), repair('R', 'p', u)];
  expect(explore(storage, jobs, { faults: 1 }).states).toBeGreaterThan(200);
});

describe('each condition is needed', () => {
  function violated(broken: Breakage): void {
    for (const storage of startings())
      for (const first of choices)
        for (const second of choices)
          explore(storage, [write('A', 'p', first), write('B', 'p', second), repair('R', 'p', x)], {
            broken,
          });
  }

  test.each<NonNullable<Breakage>>(['no fence', 'no version', 'no token'])(
    'storage with %s is noticed',
    (broken) => {
      expect(() => violated(broken)).toThrow(ProtocolViolation);
    },
  );

  test('a write of an entry that shortens its life is noticed', () => {
    const later = write('B', 'p', [plain('x', '', 2)]);
    const shorter = write('A', 'p', [plain('x', 'changed', 0)]);
    const run = (broken?: Breakage) =>
      explore(withRow(emptyStorage(), 'p', [x]), [shorter, later], { broken });
    expect(() => run('shortens')).toThrow('expires before row p');
    expect(run().states).toBeGreaterThan(20);
  });

  test('a client that repeats the write of an entry is noticed', () => {
    const jobs = [write('A', 'p', [plain('a')], 3), repair('R', 'p', plain('a'))];
    const explored = (broken?: Breakage) => explore(emptyStorage(), jobs, { faults: 1, broken });
    expect(() => explored('repeats')).toThrow(ProtocolViolation);
    expect(explored().states).toBeGreaterThan(50);
  });
});
