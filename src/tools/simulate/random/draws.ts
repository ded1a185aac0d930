/** Draws the number of a value from a distribution, and knows the probability of each. */
import type { Random } from '../../values/index.js';

/** A distribution over the numbers from 0 up to `cardinality`, exclusive. */
export interface Draws {
  readonly cardinality: number;
  draw(random: Random): number;
  probability(n: number): number;
}

/** All numbers are equally frequent. */
export function uniformDraws(cardinality: number): Draws {
  return {
    cardinality,
    draw: (random) => random.below(cardinality),
    probability: () => 1 / cardinality,
  };
}

/**
 * Zipf's distribution by rejection-inversion (Hörmann and Derflinger, 1996), which takes constant
 * time and memory for any cardinality. Ranks are scattered over the numbers, because frequent
 * values are no neighbours in a key.
 */
export function zipfDraws(cardinality: number, exponent: number): Draws {
  const integral = (x: number): number => {
    const log = Math.log(x);
    return expm1Ratio((1 - exponent) * log) * log;
  };
  const density = (x: number): number => Math.exp(-exponent * Math.log(x));
  const inverse = (x: number): number => {
    const t = Math.max(-1, x * (1 - exponent));
    return Math.exp(log1pRatio(t) * x);
  };
  const first = integral(1.5) - 1;
  const last = integral(cardinality + 0.5);
  const shortcut = 2 - inverse(integral(2.5) - density(2));
  const total = zipfTotal(cardinality, exponent);
  const scatter = scattering(cardinality);
  return {
    cardinality,
    draw(random) {
      for (;;) {
        const u = last + random.next() * (first - last);
        const x = inverse(u);
        const rank = Math.min(cardinality, Math.max(1, Math.round(x)));
        if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank))
          return scatter.number(rank - 1);
      }
    },
    probability: (n) => density(scatter.rank(n) + 1) / total,
  };
}

/**
 * Draws half of the numbers evenly, so that rare ones are in a sample as well. Estimates divide by
 * `probability`.
 */
export function broadDraws(draws: Draws): Draws {
  const { cardinality } = draws;
  return {
    cardinality,
    draw: (random) => (random.next() < 0.5 ? random.below(cardinality) : draws.draw(random)),
    probability: (n) => 0.5 / cardinality + 0.5 * draws.probability(n),
  };
}

/** Terms of the sum that are added one by one; the rest follows by Euler and Maclaurin. */
const summedTerms = 100_000;

function zipfTotal(cardinality: number, exponent: number): number {
  const summed = Math.min(cardinality, summedTerms);
  let total = 0;
  for (let k = summed; k >= 1; k--) total += k ** -exponent;
  if (cardinality === summed) return total;
  const area =
    exponent === 1
      ? Math.log(cardinality / summed)
      : (cardinality ** (1 - exponent) - summed ** (1 - exponent)) / (1 - exponent);
  return total + area + (cardinality ** -exponent - summed ** -exponent) / 2;
}

/** (e^x - 1) / x. */
function expm1Ratio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2;
}

/** log(1 + x) / x. */
function log1pRatio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2;
}

/** A permutation of the numbers and its inverse: multiplication by a coprime number. */
function scattering(count: number): {
  readonly number: (rank: number) => number;
  readonly rank: (n: number) => number;
} {
  let factor = Math.max(1, Math.floor(count * 0.6180339887498949));
  while (greatestCommonDivisor(factor, count) !== 1) factor++;
  const back = inverseModulo(factor, count);
  return {
    number: (rank) => multiplyModulo(rank, factor, count),
    rank: (n) => multiplyModulo(n, back, count),
  };
}

function multiplyModulo(a: number, b: number, modulus: number): number {
  const product = a * b;
  if (product <= Number.MAX_SAFE_INTEGER) return product % modulus;
  return Number((BigInt(a) * BigInt(b)) % BigInt(modulus));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Euclid's algorithm; `count` and `factor` have no common factor. */
function inverseModulo(factor: number, count: number): number {
  let [old, rest] = [BigInt(factor), BigInt(count)];
  let [x, next] = [1n, 0n];
  while (rest !== 0n) {
    const quotient = old / rest;
    [old, rest] = [rest, old - quotient * rest];
    [x, next] = [next, x - quotient * next];
  }
  const modulus = BigInt(count);
  return Number(((x % modulus) + modulus) % modulus);
}
