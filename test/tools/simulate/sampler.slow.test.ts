/** Random numbers and distributions: what is drawn has the declared frequencies. */
import {
  broadDraws,
  type Draws,
  uniformDraws,
  zipfDraws,
} from '../../../src/tools/simulate/random/draws.js';
import { agesKept, cappedMean } from '../../../src/tools/simulate/population/kept-cells.js';
import { Random } from '../../../src/tools/values/index.js';
import { compileGc } from '../../../src/engines/local/table/gc.js';
import type { GcRule } from '../../../src/data/store/index.js';
import fc from '../../support/fast-check.js';

const draws = 200_000;

/** Chi-square of the draws in groups of at least 20 expected ones, in degrees of freedom. */
function chiSquare(distribution: Draws, seed: number): number {
  const counts = new Map<number, number>();
  const random = new Random(seed);
  for (let i = 0; i < draws; i++) {
    const n = distribution.draw(random);
    counts.set(n, (counts.get(n) ?? 0) + 1);
  }
  for (const n of counts.keys()) if (!(n >= 0 && n < distribution.cardinality)) return Infinity;
  let [sum, groups, expected, found] = [0, 0, 0, 0];
  for (let n = 0; n < distribution.cardinality; n++) {
    expected += distribution.probability(n) * draws;
    found += counts.get(n) ?? 0;
    if (expected < 20) continue;
    sum += (found - expected) ** 2 / expected;
    groups++;
    [expected, found] = [0, 0];
  }
  return sum / Math.max(1, groups - 1);
}

test.each<[string, Draws]>([
  ['uniform over 2', uniformDraws(2)],
  ['uniform over 1,000', uniformDraws(1_000)],
  ['zipf 1 over 10,000', zipfDraws(10_000, 1)],
  ['zipf 0.5 over 3,000', zipfDraws(3_000, 0.5)],
  ['zipf 2.5 over 100', zipfDraws(100, 2.5)],
  ['half uniform, half zipf', broadDraws(zipfDraws(1_000, 1.2))],
])('%s: frequencies agree with the probabilities', (_name, distribution) => {
  const { cardinality, probability } = distribution;
  let total = 0;
  for (let n = 0; n < cardinality; n++) total += probability(n);
  expect(total).toBeCloseTo(1, 6);
  // One deviation of chi-square per degree of freedom is sqrt(2 / freedom): 2 is far outside.
  expect(chiSquare(distribution, 7)).toBeLessThan(cardinality < 10 ? 8 : 1.6);
});

test('probabilities of a million values agree with the sum', () => {
  const distribution = zipfDraws(1_000_000, 1);
  const exact = Array.from({ length: 1_000_000 }, (_, k) => 1 / (k + 1)).reduce((a, b) => a + b);
  const greatest = Array.from({ length: 1_000_000 }, (_, n) => distribution.probability(n)).reduce(
    (a, b) => Math.max(a, b),
  );
  expect(greatest).toBeCloseTo(1 / exact, 9);
});

test('the documented share of the most frequent of 10,000 values', () => {
  const distribution = zipfDraws(10_000, 1);
  const shares = Array.from({ length: 10_000 }, (_, n) => distribution.probability(n));
  expect(Math.max(...shares)).toBeGreaterThan(0.1);
  expect(Math.max(...shares)).toBeLessThan(0.11);
});

test('a sample of any distribution counts its values', () => {
  const distribution = broadDraws(zipfDraws(50_000, 1.5));
  const random = new Random(3);
  let values = 0;
  for (let i = 0; i < 20_000; i++)
    values += 1 / (distribution.probability(distribution.draw(random)) * 20_000);
  expect(values / 50_000).toBeCloseTo(1, 1);
});

test('the same seed draws the same numbers, another seed different ones', () => {
  const list = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(list(5)).toEqual(list(5));
  expect(list(5)).not.toEqual(list(6));
});

const rules: fc.Arbitrary<GcRule> = fc.letrec<{ rule: GcRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('maxVersions' as const),
      versions: fc.integer({ min: 1, max: 5 }),
    }),
    fc.record({ kind: fc.constant('maxAge' as const), micros: fc.integer({ min: 1, max: 50 }) }),
    fc.record({
      kind: fc.constantFrom('union' as const, 'intersection' as const),
      rules: fc.array(tie('rule'), { maxLength: 3 }),
    }),
  ),
})).rule;

test('the versions kept at an age are those that the engine keeps', () => {
  fc.assert(
    fc.property(
      rules,
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 0, max: 60 }),
      (rule, index, age) => {
        const collects = compileGc(rule) ?? (() => false);
        // The engine collects above an age, and the ranges begin at it: half a step between.
        const { versions } = agesKept(rule).find(
          ({ from, to }) => age + 0.5 >= from && age + 0.5 < to,
        )!;
        expect(index < versions).toBe(!collects(index, age + 0.5));
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  [0.3, 1],
  [5, 3],
  [5, 20],
  [900, 3],
  [800, 790],
  [1_000, 1_020],
  [2_000, 1e9],
])('%f writes on average, of which at most %f are kept', (mean, limit) => {
  const random = new Random(1);
  // Larger means vary less.
  const samples = Math.ceil(Math.min(3_000, Math.max(100, 200_000 / mean)));
  let sum = 0;
  for (let i = 0; i < samples; i++) {
    let count = 0;
    for (let at = -Math.log(1 - random.next()); at < mean; at -= Math.log(1 - random.next()))
      count++;
    sum += Math.min(count, limit);
  }
  const exact = cappedMean(mean, limit);
  expect(Math.abs(sum / samples / exact - 1)).toBeLessThan(0.06);
  expect(exact).toBeLessThanOrEqual(Math.min(mean, limit));
});
