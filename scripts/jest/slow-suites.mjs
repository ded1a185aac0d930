/** Which of the slow suites a run has: all, or those that SLOW_PART and WITHOUT_CAMPAIGNS leave. */
import { createHash } from 'node:crypto';
import { campaigns } from '../campaigns/list.mjs';
import { itemsOf, parsePart } from '../parts.mjs';

/**
 * The suites that take longest, so ordered that every third one makes a part of about the same time.
 * The part of any other suite follows from its path: a new suite moves no other one.
 */
const heavy = [
  ...['cli/transfer', 'cli/verify-live', 'package/package'],
  ...['tools/simulate/derived-rows', 'compile-errors/compile-errors', 'tools/simulate/published'],
  ...['compilers/type-costs', 'compilers/type-projects', 'cli/workloads'],
  ...['cli/doctor', 'tools/heat/page', 'samples'],
  ...['cli/project', 'cli/evolution', 'engines/local/compact'],
  ...['tools/simulate/designs', 'cli/completion', 'engines/local/torture'],
  ...['compilers/compilers', 'cli/rows/guide', 'server/serve'],
  ...['campaigns/runner', 'cli/rows/reads', 'server/hostile-requests'],
  ...['server/streams', 'compilers/completions', 'cli/gc/compact'],
  // Not measured.
  ...['engines/local/power-loss', 'package/bundlers', 'package/installed'],
  ...['entities/derived/protocol/protocol', 'package/vite', 'installs/runner'],
  'entities/derived/copy/protocol/protocol',
  'entities/derived/rollup/protocol/builds',
  'entities/derived/rollup/protocol/writers',
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
