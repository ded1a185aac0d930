/** The cases of a test: a few of them in `npm test`, and RUNS of them, which SEED selects. */
import { seed } from '../../../../support/seed.js';
import type { Storage } from './bucket-store.js';
import { exploreRollups, type Options } from './explore-rollups.js';
import type { Job } from './jobs.js';

/** One setting to explore. */
export interface Case extends Options {
  readonly storage: Storage;
  readonly jobs: readonly Job[];
}

export const runs = process.env.RUNS === undefined ? undefined : Number(process.env.RUNS);

/** How long a test may take with many cases. */
export const patience = 1_800_000;

/** So many of the cases, spread evenly; with RUNS that many, which the seed selects. */
export function drawn<T>(cases: readonly T[], few: number): readonly T[] {
  const count = Math.min(runs ?? few, cases.length);
  const offset = runs === undefined ? 0 : seed;
  const step = cases.length / count;
  return Array.from({ length: count }, (_, i) => {
    return cases[(offset + Math.floor(i * step)) % cases.length];
  });
}

/** The number of states that were explored. */
export function statesOf(cases: readonly Case[]): number {
  return cases.reduce(
    (total, { storage, jobs, ...options }) => total + exploreRollups(storage, jobs, options).states,
    0,
  );
}

/** At least so many, unless RUNS draws cases, which may be small. */
export function expectMany(states: number, least: number): void {
  expect(states).toBeGreaterThan(runs === undefined ? least : 1);
}
