/** Every interleaving of sources, rows with copies and propagations. */
import {
  continueWrite,
  startWrite,
} from '../../../../../src/entities/derived/protocol/row-write.js';
import type { Answer } from '../../../../../src/entities/derived/protocol/step.js';
import type { WriteJob } from '../../../../../src/entities/derived/protocol/write-job.js';
import { seed } from '../../../../support/seed.js';
import {
  type Breakage,
  exploreCopies,
  type Job,
  type Storage,
  storageWith,
} from './explore-copies.js';

/** Set for a run of many minutes: so many of the cases of each test, which SEED selects. */
const runs = process.env.RUNS === undefined ? undefined : Number(process.env.RUNS);
const isThorough = runs !== undefined;

/** All cases; with RUNS so many, beginning with another one for each seed. */
function drawn<T>(cases: readonly T[]): readonly T[] {
  if (runs === undefined || runs >= cases.length) return cases;
  return Array.from({ length: runs }, (_, i) => cases[(seed + i) % cases.length]);
}

const source = (id: string, value: string | null, row = 'a'): Job => ({
  kind: 'source',
  id,
  row,
  value,
});
const copy = (id: string, of: string | undefined, row = 'p'): Job => ({
  kind: 'copy',
  id,
  row,
  source: of,
});
const propagate = (id: string, row = 'a'): Job => ({ kind: 'propagate', id, row });
const starts: readonly Storage[] = [
  storageWith({ a: '1', b: '2' }, {}),
  storageWith({ a: '1', b: '2' }, { p: 'a' }),
  storageWith({ a: '1', b: '2' }, { p: 'b' }),
];
const writes: readonly Job[] = [copy('W', 'a'), copy('W', 'b'), copy('W', undefined)];
const everyStart = starts.flatMap((storage) => writes.map((write) => ({ storage, write })));

/** A single drawn case has few states. */
function expectMany(states: readonly number[], min: number): void {
  const sum = states.reduce((total, each) => total + each, 0);
  expect(sum).toBeGreaterThan(isThorough ? 100 * states.length : min);
}

test.each([false, true])(
  'a source, a row with a copy and propagations (in entries: %s)',
  (covers) => {
    const cases = everyStart.flatMap((each) => [
      { ...each, value: '3' },
      { ...each, value: null },
    ]);
    const states = drawn(cases).map(({ storage, write, value }) => {
      const jobs = [source('A', value), write, propagate('P')];
      if (isThorough) jobs.push(propagate('Q'));
      return exploreCopies(storage, jobs, { covers }).states;
    });
    expectMany(states, 5000);
  },
  900_000,
);

test.each([false, true])(
  'a source that is written twice, and back (in entries: %s)',
  (covers) => {
    const values = isThorough ? ['3', '1'] : ['1'];
    const cases = (isThorough ? starts : starts.slice(0, 2)).flatMap((storage) =>
      values.map((value) => ({ storage, value })),
    );
    const states = drawn(cases).map(({ storage, value }) => {
      const jobs = [source('A', '3'), source('B', value), copy('W', 'a'), propagate('P')];
      return exploreCopies(storage, jobs, { covers }).states;
    });
    expectMany(states, 20_000);
  },
  900_000,
);

test.each([false, true])(
  'with a request that fails, is lost, arrives late or twice (in entries: %s)',
  (covers) => {
    const states = everyStart.map(({ storage, write }) => {
      const jobs = [source('A', '3'), write, propagate('P')];
      return exploreCopies(storage, jobs, { covers, faults: 1 }).states;
    });
    expectMany(states, 20_000);
  },
  900_000,
);

test('marks and their positions with two writes of the source, and a request that arrives twice', () => {
  const storage = storageWith({ a: '1' }, { p: 'a', q: 'a' });
  const jobs = [source('A', '3'), source('B', '1'), propagate('P')];
  expect(exploreCopies(storage, jobs, { faults: 1 }).states).toBeGreaterThan(2000);
}, 300_000);

test('two propagations at the same time', () => {
  const jobs = [source('A', '3'), copy('W', 'a'), propagate('P'), propagate('Q')];
  const { states } = exploreCopies(starts[1], jobs);
  expect(states).toBeGreaterThan(10_000);
}, 300_000);

test('a propagation after all writes leaves no mark and no copy that is stale', () => {
  for (const storage of starts)
    for (const write of writes) {
      const { ends } = exploreCopies(storage, [source('A', '3'), write, propagate('P')], {
        faults: 1,
      });
      const kinds = new Set(ends.map((end) => JSON.stringify(end)));
      for (const end of kinds) {
        const after = exploreCopies(JSON.parse(end) as Storage, [propagate('Z')]).ends;
        for (const { rows, marks } of after) {
          expect(marks).toEqual({});
          for (const { entry, copy: held } of Object.values(rows))
            if (entry !== undefined) expect(held).toBe(rows[entry.split('/')[0]].value);
        }
      }
    }
}, 300_000);

test.each<Breakage>(['no version', 'no mark', 'no source fence', 'no row fence', 'no second read'])(
  'each condition is needed: %s is noticed',
  (broken) => {
    const explored = (): void => {
      for (const storage of starts)
        for (const write of writes) {
          exploreCopies(storage, [source('A', '3'), write, propagate('P')], {
            broken,
            covers: broken === 'no second read',
          });
          exploreCopies(storage, [source('A', '3'), source('B', '4'), propagate('P')], {
            broken,
            faults: 1,
          });
        }
    };
    expect(explored).toThrow(/no mark|not there/);
  },
  900_000,
);

test('an entry that is repaired may have been missing: its sources are read after it is written', () => {
  const entry = { index: 0, key: 'a/p', unique: false, covered: '', time: 0 };
  const seen = { version: 'v', exists: true, entries: [{ ...entry, token: 't' }], rolled: [] };
  const copied = [{ source: 'a', values: ['1'] }];
  for (const force of [false, true]) {
    const job: WriteJob = {
      id: 'W',
      row: 'p',
      attempts: 1,
      force,
      plan: () => [entry],
      copies: { sources: () => ['a'], inEntries: true, links: [0] },
    };
    const requests: string[] = [];
    let step = startWrite(job);
    while (step.kind === 'ask' && step.request.kind !== 'commit') {
      const { kind } = step.request;
      requests.push(kind);
      let answer: Answer = { kind: 'done', applied: true };
      if (kind === 'readRow') answer = { kind: 'row', row: seen };
      if (kind === 'readSources') answer = { kind: 'sources', copied };
      step = continueWrite(job, step.state, answer);
    }
    expect(requests).toEqual(
      force
        ? ['readRow', 'readSources', 'writeEntries', 'readSources']
        : ['readRow', 'readSources'],
    );
  }
});
