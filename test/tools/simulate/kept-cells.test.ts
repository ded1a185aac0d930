/** How many of the versions of a cell a rule keeps. */
import { cappedMean } from '../../../src/tools/simulate/population/kept-cells.js';

/** The mean of min(X, limit), added up with every probability; X is Poisson distributed. */
function summed(mean: number, limit: number): number {
  let [probability, sum] = [Math.exp(-mean), 0];
  for (let x = 0; x < 1_000; x++) {
    sum += probability * Math.min(x, limit);
    probability *= mean / (x + 1);
  }
  return sum;
}

test.each([
  [0.01, 1],
  [1, 1],
  [1, 2],
  [3, 5],
  [5, 3],
  [40, 40],
  [90, 10],
  [2, 100],
])('of %d versions on average, at most %d are kept', (mean, limit) => {
  expect(cappedMean(mean, limit)).toBeCloseTo(summed(mean, limit), 9);
});

test('many versions: close to the sum', () => {
  expect(cappedMean(400, 400)).toBeCloseTo(summed(400, 400), 6);
  expect(cappedMean(405, 401) / summed(405, 401)).toBeCloseTo(1, 3);
  expect(cappedMean(7, Infinity)).toBe(7);
  expect(cappedMean(0, 3)).toBe(0);
});
