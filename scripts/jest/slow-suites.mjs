/** Which of the slow suites a run has: all, or those that SLOW_PART and WITHOUT_CAMPAIGNS leave. */
import { createHash } from 'node:crypto';
import { campaigns } from '../campaigns/list.mjs';
import { itemsOf, parsePart } from '../parts.mjs';

/**
 * The suites that take longest, so ordered that every sixth one makes a part of about the same time.
 * The part of any other suite follows from its path: a new suite moves no other one.
 */
const heavy = [
  ...[
    'tools/studio/page/rules',
    'cli/verify-live',
    'tools/simulate/published',
    'engines/local/torture',
    'cli/workloads',
    'cli/doctor',
  ],
  ...[
    'tools/studio/page/demo',
    'compile-errors/compile-errors',
    'package/package',
    'tools/simulate/designs',
    'package/bundlers',
    'tools/heat/workloads',
  ],
  ...[
    'compilers/type-costs',
    'engines/row-size',
    'package/vite',
    'tools/studio/page/million',
    'server/request-fields/request-fields',
    'tools/simulate/population',
  ],
  ...[
    'tools/transfer/live-faults',
    'tools/heat/file',
    'cli/examples',
    'campaigns/runner',
    'cli/transfer',
    'tools/simulate/recommendation',
  ],
  ...[
    'tools/studio/page/hostile',
    'tools/heat/heatmap',
    'campaigns/mutants',
    'entities/derived/rollup/histories/killed-rebuild',
    'entities/derived/copy/protocol/protocol',
    'tools/simulate/conclusions',
  ],
  ...[
    'tools/simulate/derived-rows',
    'engines/local/power-loss',
    'cli/completion',
    'cli/project',
    'engines/local/expensive-check',
    'entities/derived/rollup/faults',
  ],
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
