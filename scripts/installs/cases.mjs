/**
 * The programs of the matrix: folders with a package.json, whose scripts `types`, `build` and `test`
 * are run in this order, and a case.json.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Case
 * @property {string} name The folder.
 * @property {string} title
 * @property {boolean} ci Whether CI runs it.
 * @property {string} folder
 * @property {string} set Cases of one set share an installation; by default each has its own.
 * @property {number} node Oldest major version of Node that its tools support.
 * @property {number} weight Larger ones start first.
 * @property {string} prints A regular expression that the output of the tests matches, so that a
 *   runner that found no tests fails.
 * @property {readonly [string, string][]} scripts Names and commands, in the order of their runs.
 * @property {Record<string, string>} dependencies
 * @property {object} packageJson
 * @property {readonly string[]} shares Files of the folder `shared` beside the cases.
 * @property {string} [from] Another case, whose files this one has, except for those of its own.
 */

const steps = ['types', 'build', 'test'];

/** @param {string} folder @returns {Case[]} */
export function readCases(folder) {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'case.json')));
  return names.sort().map((name) => readCase(folder, name));
}

/** @param {string} folder @param {string} name @returns {Case} */
function readCase(folder, name) {
  /** @param {string} file */
  const read = (file) => JSON.parse(readFileSync(join(folder, name, file), 'utf8'));
  const {
    title,
    ci = false,
    set = name,
    node = 20,
    weight = 1,
    prints,
    shares = [],
    from,
  } = read('case.json');
  const packageJson = read('package.json');
  const { scripts, dependencies, devDependencies } = packageJson;
  for (const [what, value] of Object.entries({ title, prints, 'script test': scripts?.test })) {
    if (typeof value !== 'string') throw new Error(`${name}: ${what} is missing`);
  }
  return {
    name,
    title,
    ci,
    folder: join(folder, name),
    set,
    node,
    weight,
    prints,
    scripts: steps.filter((step) => step in scripts).map((step) => [step, scripts[step]]),
    dependencies: { ...dependencies, ...devDependencies },
    packageJson,
    shares,
    from,
  };
}

/**
 * The cases with these names, or all.
 *
 * @param {Case[]} cases @param {string[]} names @param {boolean} onlyCi
 */
export function selectCases(cases, names, onlyCi) {
  for (const name of names) {
    if (!cases.some((each) => each.name === name))
      throw new Error(`no program '${name}': ${cases.map((each) => each.name).join(', ')}`);
  }
  if (names.length > 0) return cases.filter(({ name }) => names.includes(name));
  return onlyCi ? cases.filter(({ ci }) => ci) : cases;
}
