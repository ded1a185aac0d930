/** One program: copied into its installation, type checked, built and tested. */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from './run-command.mjs';

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {string} title
 * @property {'ok' | 'failed' | 'skipped'} state
 * @property {Record<string, number>} seconds Of each step that has run.
 * @property {string} [step] The step that failed.
 * @property {string} [output] Of this step.
 */

/**
 * @param {import('./cases.mjs').Case} program
 * @param {(set: string) => Promise<import('./install.mjs').Installed>} install
 * @returns {Promise<Outcome>}
 */
export async function runCase(program, install) {
  const { name, title, set } = program;
  /** @type {Outcome} */
  const outcome = { name, title, state: 'ok', seconds: {} };
  const major = Number(process.versions.node.split('.')[0]);
  if (major < program.node)
    return { ...outcome, state: 'skipped', step: 'node', output: `needs Node ${program.node}` };
  const installed = await install(set);
  if (installed.seconds > 0) outcome.seconds.install = installed.seconds;
  const { state, output } = installed;
  if (state !== 'ok') return { ...outcome, state, step: 'install', output };
  const folder = copyProgram(program, installed.folder);
  const bins = [join(installed.folder, 'node_modules/.bin')];
  for (const [step, line] of program.scripts) {
    const result = await runCommand(line, folder, bins);
    outcome.seconds[step] = result.seconds;
    const problem = problemOf(program, step, result);
    if (problem !== '') return { ...outcome, state: 'failed', step, output: problem };
  }
  return outcome;
}

/**
 * What is wrong; empty if nothing.
 *
 * @param {import('./cases.mjs').Case} program @param {string} step
 * @param {import('./run-command.mjs').Result} result
 */
function problemOf(program, step, { ok, output }) {
  if (!ok) return output === '' ? 'failed without output' : output;
  if (step !== 'test' || new RegExp(program.prints, 'm').test(output)) return '';
  return `${output}\nThe tests must print ${program.prints}.`;
}

/**
 * A program with its own installation is copied beside its node_modules, others into a folder of the
 * installation. What an earlier run has left is removed.
 *
 * @param {import('./cases.mjs').Case} program @param {string} installation
 */
function copyProgram(program, installation) {
  const isAlone = program.set === program.name;
  const folder = isAlone ? installation : join(installation, program.name);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!isAlone || !['node_modules', 'package.json'].includes(name))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  // Not a package.json of the installation: it has the dependency on the package as well.
  /** @param {string} path */
  const filter = (path) => !isAlone || !path.endsWith('/package.json');
  if (program.from !== undefined)
    cpSync(join(dirname(program.folder), program.from), folder, { recursive: true, filter });
  const shared = join(dirname(program.folder), 'shared');
  for (const name of program.shares) cpSync(join(shared, name), join(folder, name));
  cpSync(program.folder, folder, { recursive: true, filter });
  return folder;
}
