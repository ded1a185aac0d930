/** Which of the slow suites a run has: all, or those that SLOW_PART and WITHOUT_CAMPAIGNS leave. */
import { createHash } from 'node:crypto';
import { campaigns } from '../campaigns/list.mjs';
import { itemsOf, parsePart } from '../parts.mjs';

/**
 * The suites that take longest, by kind: neighbours go to different parts. The other suites take a
 * few seconds each, and their part follows from their path: a new suite moves no other one.
 */
const heavy = [
  'engines/local/torture',
  'engines/local/power-loss',
  'engines/local/compact',
  'campaigns/runner',
  'campaigns/mutants',
  'samples',
  'compile-errors/compile-errors',
  'compilers/compilers',
  'compilers/type-costs',
  'compilers/type-projects',
  'compilers/hovers',
  'compilers/completions',
  'package/bundlers',
  'package/installed',
  'package/package',
  'package/vite',
  'package/jest',
  'package/copies',
  'server/serve',
  'server/held-requests',
  'server/streams',
  'entities/derived/protocol/protocol',
  'entities/derived/copy/protocol/protocol',
  'entities/derived/rollup/protocol/builds',
  'entities/derived/rollup/protocol/writers',
  'tools/simulate/conclusions',
  'tools/simulate/published',
].map((name) => `${name}.slow.test.ts`);

/** Paths below test/ of suites that the slices of the campaigns run with more cases. */
const inCampaigns = campaigns
  .flatMap(({ parts }) => parts)
  .flatMap(({ test, sliceHasMore }) => (sliceHasMore ? [`${test}`.replace(/^test\//, '')] : []));

/**
 * @param {readonly string[]} suites Paths below test/.
 * @param {{ SLOW_PART?: string, WITHOUT_CAMPAIGNS?: string }} variables
 * @returns {string[]}
 */
export function chosenSuites(suites, { SLOW_PART, WITHOUT_CAMPAIGNS }) {
  const left = suites.filter(
    (name) => WITHOUT_CAMPAIGNS !== '1' || !inCampaigns.some((path) => name.startsWith(path)),
  );
  if (SLOW_PART === undefined) return left;
  const part = parsePart(SLOW_PART);
  const heavyOnes = itemsOf(heavy, part);
  return left.filter((name) =>
    heavy.includes(name)
      ? heavyOnes.includes(name)
      : numberOf(name) % part.count === part.number - 1,
  );
}

/** @param {string} name */
function numberOf(name) {
  return createHash('sha256').update(name).digest().readUInt32BE();
}
