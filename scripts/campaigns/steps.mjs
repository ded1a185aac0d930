/** The steps of a campaign: commands of at most a few minutes, after each of which it can resume. */

/**
 * @typedef {object} Part
 * @property {string} [test] A path that Jest runs; several, with spaces between them, in a slice.
 * @property {string} [script] A script that Node runs, with `args`.
 * @property {readonly string[]} [args] `{seed}` stands for the seed.
 * @property {Readonly<Record<string, number | string>>} [env] `{seed}` stands for the seed, which
 *   is SEED if no variable has it.
 * @property {number} [rounds] How many steps, each with another seed. By default 1.
 * @property {Readonly<Record<string, number | string>> | readonly string[]} [slice] Variables or
 *   arguments that replace those of the campaign in a slice. Without it a slice leaves the part out.
 * @property {true} [slow] Its suites are slow ones. A slice runs suites of every back end in memory
 *   only: on other back ends, the slow section of .ci/run runs them.
 * @property {true} [languages] Its suites are programs in other languages, with a configuration of
 *   their own.
 * @property {true} [sliceHasMore] A slice has at least the cases that `npm run test:slow` has, so CI
 *   leaves the suites out of its slow section.
 * @property {'slow' | 'quick'} [suites] Which suites a slice runs: `stepsOf` sets it.
 *
 * @typedef {object} Campaign
 * @property {string} name
 * @property {string} about One line.
 * @property {number} minutes How long it takes, roughly.
 * @property {readonly Part[]} parts
 * @property {string} [section] The section of .ci/run that runs its slice.
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {string} line The command to repeat it. It identifies the step.
 * @property {readonly string[]} args Arguments of Node.
 * @property {Record<string, string>} env
 * @property {'suites' | 'all' | 'nothing'} repeats What runs once more if it fails in a slice. A fault
 *   of the torture is lost data, which chance shows and no second run refutes.
 */

/** Distance of the seeds of two rounds: more than the number of cases of a round. */
const seedsOfRound = 1_000_000;
const jest = 'node_modules/jest/bin/jest.js';
/** The campaign ends its tests itself. */
const longTests = '--testTimeout=3600000';

/**
 * @param {Campaign} campaign @param {number} seed @param {boolean} isSlice
 * @returns {Step[]}
 */
export function stepsOf(campaign, seed, isSlice) {
  const parts = isSlice ? together(campaign.parts.flatMap(sliceOf)) : campaign.parts;
  return parts.flatMap((part) =>
    Array.from({ length: part.rounds ?? 1 }, (_, i) => stepOf(part, i, seed + i * seedsOfRound)),
  );
}

/**
 * Tests with the same variables are one step of a slice: starting Jest takes longer than most of
 * them.
 *
 * @param {Part[]} parts @returns {Part[]}
 */
function together(parts) {
  /** @type {Map<string, Part>} */
  const byVariables = new Map();
  for (const part of parts) {
    const key = JSON.stringify(
      part.test === undefined ? part : [part.env, part.suites, part.languages],
    );
    const same = byVariables.get(key);
    const test = same === undefined ? part.test : `${same.test} ${part.test}`;
    byVariables.set(key, { ...part, test });
  }
  return [...byVariables.values()];
}

/** @param {Part} part @returns {Part[]} */
function sliceOf(part) {
  const { slice } = part;
  if (slice === undefined) return [];
  if (Array.isArray(slice)) return [{ ...part, rounds: 1, args: slice }];
  const suites = part.slow ? 'slow' : 'quick';
  return [{ ...part, suites, rounds: 1, env: { ...part.env, ...slice } }];
}

/** Arguments of Jest before the paths. */
const selections = {
  slow: ['--selectProjects', 'slow', '--'],
  quick: ['--ignoreProjects', 'slow', '--'],
};

/** @param {Part} part @param {number} round @param {number} seed @returns {Step} */
function stepOf(part, round, seed) {
  const { test, script, args = [], env = {}, rounds = 1 } = part;
  /** @param {string | number} value */
  const filled = (value) => String(value).replaceAll('{seed}', `${seed}`);
  const variables = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, filled(value)]),
  );
  const all = args.map(filled);
  const needsSeed = test !== undefined && !Object.values(env).includes('{seed}');
  if (needsSeed) variables.SEED = `${seed}`;
  const selection = selectionOf(part);
  const command =
    test === undefined ? ['node', script, ...all] : ['npx jest', ...selection, test, ...all];
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const title = [test ?? script, ...args.filter((arg) => /^[a-z]/.test(arg))].join(' ');
  return {
    name: rounds === 1 ? title : `${title}, round ${round + 1}`,
    line: [...assignments, ...command].join(' '),
    args:
      test === undefined
        ? [String(script), ...all]
        : [jest, '--silent', longTests, ...selection, ...test.split(' '), ...all],
    env: variables,
    repeats: repeatsOf(script),
  };
}

/** @param {Part} part @returns {readonly string[]} */
function selectionOf({ suites, languages }) {
  if (languages) return ['--config', 'scripts/jest/languages.mjs'];
  return suites === undefined ? [] : selections[suites];
}

/** @param {string | undefined} script @returns {Step['repeats']} */
function repeatsOf(script) {
  if (script === undefined) return 'suites';
  return script === 'scripts/torture.mjs' ? 'nothing' : 'all';
}
