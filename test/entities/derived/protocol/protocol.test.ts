/** Every interleaving of the state machines that programs run, for one index and for unique ones. */
import type { PlannedEntry, SeenRow } from '../../../../src/entities/derived/protocol/step.js';
import { explore, type Job, ProtocolViolation } from './explore.js';
import { type Breakage, emptyStorage, type Storage, type Values, withRow } from './model-store.js';

const faultyRuns = 1;

function plain(key: string, covered = '', time = 1): PlannedEntry {
  return { index: 0, key, unique: false, covered, time };
}

function unique(key: string, time = 1): PlannedEntry {
  return { index: 1, key, unique: true, covered: '', time };
}

function write(id: string, row: string, values: Values | undefined, attempts = 2): Job {
  const plan = (seen: SeenRow): Values | undefined => {
    // The deletion of a row that is not there writes nothing.
    if (values === undefined) return seen.exists ? [] : undefined;
    return values;
  };
  return { kind: 'write', values, job: { id, row, attempts, force: false, plan } };
}

/** Writes the entries of a row again, as verify does where one is missing. */
function rewrite(id: string, row: string, values: Values): Job {
  const plan = (seen: SeenRow): Values | undefined => {
    const same = values.every(({ key }) => seen.entries.some((entry) => entry.key === key));
    return seen.exists && same ? values : undefined;
  };
  return { kind: 'write', values, job: { id, row, attempts: 2, force: true, plan } };
}

function repair(id: string, row: string, entry: PlannedEntry): Job {
  return { kind: 'repair', job: { id, row, entry } };
}

const x = plain('x');
const choices: readonly (Values | undefined)[] = [
  [x],
  [plain('a')],
  // Shorter and longer lives.
  [plain('x', 'changed', 0)],
  [plain('x', '', 2)],
  [],
  undefined,
];

function startings(): Storage[] {
  return [emptyStorage(), withRow(emptyStorage(), 'p', [x])];
}

describe('an index', () => {
  test('two writers and two repairers, in every order', () => {
    let states = 0;
    for (const storage of startings())
      for (const first of choices)
        for (const second of choices) {
          const jobs = [
            write('A', 'p', first),
            write('B', 'p', second),
            repair('R', 'p', x),
            repair('S', 'p', plain('a')),
          ];
          states += explore(storage, jobs).states;
        }
    expect(states).toBeGreaterThan(50_000);
  });

  test('two writers, one that writes entries again, and a repairer', () => {
    for (const first of choices)
      for (const second of choices)
        explore(withRow(emptyStorage(), 'p', [x]), [
          write('A', 'p', first),
          write('B', 'p', second),
          rewrite('T', 'p', [x]),
          repair('R', 'p', x),
        ]);
  });

  test('two writers and a repairer, with a request that fails, is lost or arrives late', () => {
    for (const storage of startings())
      for (const first of choices)
        for (const second of choices)
          explore(storage, [write('A', 'p', first), write('B', 'p', second), repair('R', 'p', x)], {
            faults: faultyRuns,
          });
  });

  test('when all writers have ended, repair leaves no entry that no row has', () => {
    for (const first of choices)
      for (const second of choices) {
        const { ends } = explore(
          withRow(emptyStorage(), 'p', [x]),
          [write('A', 'p', first), write('B', 'p', second)],
          { faults: faultyRuns },
        );
        for (const { storage } of ends) {
          const keys = Object.keys(storage.entries).map((id) => plain(id.slice(2)));
          let repaired = storage;
          for (const [i, entry] of keys.entries())
            repaired = explore(repaired, [repair(`R${i}`, 'p', entry)]).ends[0].storage;
          const held = repaired.rows.p?.values ?? [];
          expect(Object.keys(repaired.entries)).toEqual(held.map(({ key }) => `0:${key}`));
        }
      }
  });
});

describe('a unique index', () => {
  const u = unique('u');
  const starts: readonly (readonly [Values, Values])[] = [
    [[], []],
    [[u], []],
    [[u], [unique('v')]],
  ];
  const targets: readonly (Values | undefined)[] = [
    [u],
    [unique('u', 2)],
    [unique('v')],
    undefined,
  ];

  function storageOf([p, q]: readonly [Values, Values]): Storage {
    return withRow(withRow(emptyStorage(), 'p', p), 'q', q);
  }

  test('writers of two rows, and a repairer, in every order', () => {
    let states = 0;
    for (const begin of starts)
      for (const first of targets)
        for (const second of targets)
          for (const third of [[u], undefined]) {
            const jobs = [write('A', 'p', first), write('B', 'q', second), write('C', 'p', third)];
            states += explore(storageOf(begin), jobs).states;
          }
    expect(states).toBeGreaterThan(20_000);
  });

  test('writers of two rows and a repairer, with a request that fails, is lost or late', () => {
    for (const begin of starts)
      for (const first of targets)
        for (const second of targets)
          explore(
            storageOf(begin),
            [write('A', 'p', first), write('B', 'q', second), repair('R', 'p', u)],
            { faults: faultyRuns },
          );
  });

  test('of two rows that take a free value, at most one is refused for the other', () => {
    const { ends } = explore(storageOf([[], []]), [
      write('A', 'p', [u], 3),
      write('B', 'q', [u], 3),
    ]);
    const kinds = ends.map(({ processes }) =>
      processes.map((each) => ('result' in each ? each.result.kind : 'asks')).sort(),
    );
    expect(kinds).toContainEqual(['taken', 'written']);
    expect(kinds.filter(([a, b]) => a === 'taken' && b === 'taken')).toEqual([]);
  });

  test('a plain and a unique index together', () => {
    const both = (value: string): Values => [plain(value), unique(value)];
    for (const first of [both('u'), both('v'), undefined])
      for (const second of [both('u'), undefined])
        explore(storageOf([both('u'), []]), [
          write('A', 'p', first),
          write('B', 'q', second),
          repair('R', 'p', unique('u')),
        ]);
  });
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
