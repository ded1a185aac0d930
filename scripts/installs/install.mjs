/**
 * Installs sets of cases: one package.json with the dependencies of all of its cases, and the
 * package. A set is installed again if this file changes, which it does with the tarball.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * @typedef {object} Installed
 * @property {string} folder
 * @property {'ok' | 'failed' | 'skipped'} state
 * @property {string} output
 * @property {number} seconds 0 if it was installed before, or for another case.
 */

/** npm could not reach or has no package: the machine is at fault, not this package. */
const unreachable =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|EBADPLATFORM|EBADENGINE|E404|ETARGET|E403|E5\d\d)\b/;

/**
 * @param {string} into @param {import('./cases.mjs').Case[]} cases @param {string} tarball
 * @param {import('./report.mjs').Report} report
 * @returns {(set: string) => Promise<Installed>}
 */
export function installer(into, cases, tarball, report) {
  /** @type {Map<string, Promise<Installed>>} */
  const sets = new Map();
  return async (set) => {
    const running = sets.get(set);
    if (running !== undefined) return { ...(await running), seconds: 0 };
    const members = cases.filter((each) => each.set === set);
    const installing = installSet(join(into, set), members, tarball, report);
    sets.set(set, installing);
    return installing;
  };
}

/**
 * @param {string} folder @param {import('./cases.mjs').Case[]} members @param {string} tarball
 * @param {import('./report.mjs').Report} report
 * @returns {Promise<Installed>}
 */
async function installSet(folder, members, tarball, report) {
  const dependencies = dependenciesOf(members);
  dependencies.rowsmith = `file:${relative(folder, tarball)}`;
  const isAlone = members[0].set === members[0].name;
  const content = isAlone ? members[0].packageJson : { private: true };
  const text = `${JSON.stringify({ ...content, devDependencies: {}, dependencies }, null, 2)}\n`;
  const stamp = join(folder, 'node_modules/.installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text)
    return { folder, state: 'ok', output: '', seconds: 0 };
  report.progress(`installing ${members[0].set}: ${Object.keys(dependencies).join(', ')}`);
  mkdirSync(folder, { recursive: true });
  rmSync(stamp, { force: true });
  writeFileSync(join(folder, 'package.json'), text);
  // Without scripts, which many companies block. Without a lock file, as in a new project.
  // With messages also under `npm run --silent`: they tell whether the machine is at fault.
  const options =
    '--ignore-scripts --no-package-lock --no-audit --no-fund --fetch-retries=2 --loglevel=error';
  const command = `npm install --prefer-offline ${options}`;
  let result = await runCommand(command, folder);
  // What the network refuses once is asked for again.
  if (!result.ok && unreachable.test(result.output)) result = await runCommand(command, folder);
  if (result.ok) writeFileSync(stamp, text);
  else rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  return { ...result, folder, state: stateOf(result) };
}

/** @param {import('./run-command.mjs').Result} result @returns {Installed['state']} */
function stateOf({ ok, output }) {
  if (ok) return 'ok';
  return unreachable.test(output) ? 'skipped' : 'failed';
}

/** @param {import('./cases.mjs').Case[]} members */
function dependenciesOf(members) {
  /** @type {Record<string, string>} */
  const dependencies = {};
  for (const { name, set, dependencies: wanted } of members) {
    for (const [dependency, version] of Object.entries(wanted)) {
      const other = (dependencies[dependency] ??= version);
      if (other !== version)
        throw new Error(`${name}: ${dependency} ${version}, but set ${set} has ${other}`);
    }
  }
  return dependencies;
}
