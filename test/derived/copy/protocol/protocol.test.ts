/** Every interleaving of sources, rows with copies and propagations. */
import { continueWrite, startWrite } from '../../../../src/derived/protocol/row-write.js';
import type { Answer } from '../../../../src/derived/protocol/step.js';
import type { WriteJob } from '../../../../src/derived/protocol/write-job.js';
import {
  type Breakage,
  exploreCopies,
  type Job,
  type Storage,
  storageWith,
} from './explore-copies.js';

/** Set for a run of many minutes. */
const isThorough = process.env.RUNS !== undefined;

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

test.each([false, true])(
  'a source, a row with a copy and propagations (in entries: %s)',
  (covers) => {
    let states = 0;
    for (const storage of starts)
      for (const write of writes)
        for (const value of ['3', null]) {
          const jobs = [source('A', value), write, propagate('P')];
          if (isThorough) jobs.push(propagate('Q'));
          states += exploreCopies(storage, jobs, { covers }).states;
        }
    expect(states).toBeGreaterThan(5000);
  },
  900_000,
);

test.each([false, true])(
  'a source that is written twice, and back (in entries: %s)',
  (covers) => {
    let states = 0;
    for (const storage of isThorough ? starts : starts.slice(0, 2))
      for (const value of isThorough ? ['3', '1'] : ['1']) {
        const jobs = [source('A', '3'), source('B', value), copy('W', 'a'), propagate('P')];
        states += exploreCopies(storage, jobs, { covers }).states;
      }
    expect(states).toBeGreaterThan(20_000);
  },
  900_000,
);

test.each([false, true])(
  'with a request that fails, is lost, arrives late or twice (in entries: %s)',
  (covers) => {
    let states = 0;
    for (const storage of starts)
      for (const write of writes) {
        const jobs = [source('A', '3'), write, propagate('P')];
        states += exploreCopies(storage, jobs, { covers, faults: 1 }).states;
      }
    expect(states).toBeGreaterThan(20_000);
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
  const entry = { index: 0, key: 'a/p', unique: false, covered: '' };
  const seen = { version: 'v', exists: true, entries: [{ ...entry, token: 't' }] };
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
