/** The mixer is a published function, and what is drawn from a seed is the same in each release. */
import { mix, Random } from '../../../src/tools/values/index.js';

test('mix is the finaliser of MurmurHash3', () => {
  // From a second implementation of the published function (fmix32).
  expect([0, 1, 2, -1].map((value) => mix(value).toString(16))).toEqual([
    '0',
    '514e28b7',
    '30f4c306',
    '81f16f39',
  ]);
});

test('a seed draws the same numbers', () => {
  const [one, other, third] = [new Random(1), new Random(1), new Random(2)];
  const draws = (random: Random): number[] => Array.from({ length: 8 }, () => random.below(1000));
  expect(draws(one)).toEqual(draws(other));
  expect(draws(third)).not.toEqual(draws(new Random(1)));
});
