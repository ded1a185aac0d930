/** Every interleaving of the state machines that programs run, for one index and for unique ones. */
import { explore } from './explore.js';
import { choices, plain, repair, rewrite, startings, unique, write, x } from './jobs.js';
import { emptyStorage, type Storage, type Values, withRow } from './model-store.js';

const faultyRuns = 1;

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

  test('at most one of two rows that take a free value is refused', () => {
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
