/** A write with an index, a unique index and a rollup: all that the protocol keeps, together. */
import type { PlannedEntry } from '../../../../../src/entities/derived/protocol/step.js';
import { type Case, drawn, expectMany, patience, statesOf } from './cases.js';
import { build, type Job, recover, storageOf, write } from './jobs.js';

const plain = (key: string): PlannedEntry => ({
  index: 0,
  key,
  unique: false,
  covered: '',
  time: 0,
});
const unique = (key: string): PlannedEntry => ({
  index: 1,
  key,
  unique: true,
  covered: '',
  time: 0,
});
const both = (key: string): PlannedEntry[] => [plain(key), unique(key)];

const storage = storageOf({ rows: { p: [5], q: [7] }, values: { p: both('u'), q: both('v') } });

const firsts: readonly Job[] = [
  write('A', 'p', [3], { values: both('w') }),
  write('A', 'p', [3], { values: both('u') }),
  write('A', 'p', null),
];
const seconds: readonly Job[] = [
  write('B', 'q', [9], { values: both('u') }),
  write('B', 'p', [9], { values: both('w') }),
  write('B', 'p', [undefined], { values: both('x') }),
];
const others: readonly Job[] = [
  recover('R'),
  build('X'),
  { kind: 'repair', job: { id: 'S', row: 'p', entry: unique('u') } },
];

test(
  'two writers beside a recovery, a build or the repair of an entry',
  () => {
    const cases = firsts.flatMap((first) =>
      seconds.flatMap((second) =>
        others.map((other): Case => ({ storage, jobs: [first, second, other] })),
      ),
    );
    expectMany(statesOf(drawn(cases, 4)), 20_000);
  },
  patience,
);

test(
  'a writer with a request that fails, is lost, late or sent twice, beside others',
  () => {
    const cases = firsts.flatMap((first) =>
      others.map((other): Case => ({ storage, jobs: [first, other], faults: 1 })),
    );
    expectMany(statesOf(drawn(cases, 6)), 5000);
  },
  patience,
);
