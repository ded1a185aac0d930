/**
 * Cells that garbage collection keeps of a column that is written at random times. A rule keeps, of
 * the cells of one age, the newest n of their column; n changes only at the ages that it names.
 */
import type { GcRule } from '../../../data/store/index.js';

/** Ages from `from` to `to` in microseconds, at which a rule keeps the newest `versions` cells. */
export interface AgeRange {
  readonly from: number;
  readonly to: number;
  /** 0 for none, Infinity for all. */
  readonly versions: number;
}

/** What a rule keeps, by age: all ages from 0 to Infinity, youngest first. */
export function agesKept(rule: GcRule | undefined): readonly AgeRange[] {
  const ages = [...new Set([0, ...agesOf(rule), Infinity])].sort((a, b) => a - b);
  return ages.slice(0, -1).map((from, i) => ({
    from,
    to: ages[i + 1],
    versions: versionsKept(rule, from),
  }));
}

function agesOf(rule: GcRule | undefined): readonly number[] {
  if (rule?.kind === 'maxAge') return [rule.micros];
  if (rule?.kind === 'union' || rule?.kind === 'intersection') return rule.rules.flatMap(agesOf);
  return [];
}

/** Versions that are kept of cells just older than `age`. */
function versionsKept(rule: GcRule | undefined, age: number): number {
  switch (rule?.kind) {
    case 'maxVersions':
      return rule.versions;
    case 'maxAge':
      return age >= rule.micros ? 0 : Infinity;
    case 'union':
      return Math.min(Infinity, ...rule.rules.map((each) => versionsKept(each, age)));
    case 'intersection':
      // An empty intersection deletes nothing.
      if (rule.rules.length === 0) return Infinity;
      return Math.max(...rule.rules.map((each) => versionsKept(each, age)));
    default:
      return Infinity;
  }
}

/**
 * Cells kept, on average. `writesWithin` is the expected number of writes of the column in the last
 * so many microseconds.
 */
export function keptCells(
  ages: readonly AgeRange[],
  writesWithin: (micros: number) => number,
): number {
  let cells = 0;
  for (const { from, to, versions } of ages) {
    if (versions === 0) continue;
    cells += cappedMean(writesWithin(to), versions) - cappedMean(writesWithin(from), versions);
  }
  return cells;
}

/** Versions above which the distribution is close to a normal one. */
const maxSummedVersions = 400;

/** The mean of min(X, limit), where X is Poisson distributed with this mean. */
export function cappedMean(mean: number, limit: number): number {
  if (limit === Infinity || mean === 0) return mean;
  const deviation = Math.sqrt(mean);
  if (mean > limit + 9 * deviation) return limit;
  if (limit > mean + 9 * deviation + 9) return mean;
  if (limit > maxSummedVersions) return cappedNormal(mean, deviation, limit);
  // limit less the sum of P(X <= i) for i below limit. Logarithms, because e^-mean may be 0.
  let [below, result] = [0, limit];
  let log = -mean;
  for (let i = 0; i < limit; i++) {
    below += Math.exp(log);
    result -= below;
    log += Math.log(mean) - Math.log(i + 1);
  }
  return Math.max(0, result);
}

function cappedNormal(mean: number, deviation: number, limit: number): number {
  const z = (limit - mean) / deviation;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return mean - deviation * (density - z * (1 - normalShare(z)));
}

/** The share of a normal distribution below z (Abramowitz and Stegun 26.2.17). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z >= 0 ? 1 - tail : tail;
}
