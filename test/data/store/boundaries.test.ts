/** The edges of requests: their largest size, and what is left of a read after its last row. */
import { everyKey } from '../../../src/base/index.js';
import { checkMutationCount, checkMutations } from '../../../src/data/store/check/arguments.js';
import { aggregateProblem } from '../../../src/data/store/check/check-schema.js';
import { checkReadShape } from '../../../src/data/store/check/check-shape.js';
import { planAfter } from '../../../src/data/store/read-plan.js';

const refused = expect.objectContaining({ code: 'LIMIT_EXCEEDED' }) as Error;

test('a row has 1 to 100,000 mutations', () => {
  expect(() => checkMutations([])).toThrow();
  checkMutations([{}]);
  checkMutationCount(100_000);
  expect(() => checkMutationCount(100_001)).toThrow(refused);
});

test('a read takes 1 ms to 2^31 - 1 ms, the longest that a timer takes', () => {
  const plan = { table: 't', ranges: [everyKey], reversed: false };
  const invalid = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error;
  for (const timeoutMs of [undefined, 1, 2 ** 31 - 1]) checkReadShape(plan, { timeoutMs });
  for (const timeoutMs of [0, 1.5, NaN, Infinity, 2 ** 31])
    expect(() => checkReadShape(plan, { timeoutMs })).toThrow(invalid);
});

test.each<[aggregate: unknown, problem: RegExp]>([
  ['hll', /^aggregate "hll" with cells that cannot be read/],
  ['HyperLogLog++', /^aggregate "HyperLogLog\+\+" with cells that cannot be read/],
  ['average', /^unknown aggregate "average"$/],
  [['hll'], /^unknown aggregate \["hll"\]$/],
])('the aggregate %p: %s', (aggregate, problem) => {
  expect(aggregateProblem(aggregate)).toMatch(problem);
});

test.each([false, true])(
  'nothing is left of a read that has its rows (reversed: %p)',
  (reversed) => {
    const plan = { table: 't', ranges: [everyKey], reversed, limit: 3 };
    const key = Uint8Array.of(5);
    expect(planAfter(plan, key, 2)).toMatchObject({ limit: 1 });
    expect(planAfter(plan, key, 3)).toBeUndefined();
    const points = [{ start: key, end: Uint8Array.of(5, 0) }];
    expect(planAfter({ ...plan, ranges: points }, key, 1)).toBeUndefined();
  },
);
