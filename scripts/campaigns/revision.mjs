/** What a campaign runs at: the commit, and whether the working tree differs from it. */
import { execFileSync } from 'node:child_process';

/** The file that the runner writes itself, and which makes no tree dirty. */
export const recordFile = 'test/campaigns/RESULTS.md';

/** @typedef {{ commit: string, isDirty: boolean }} Revision */

/** @param {string} root @returns {Revision} */
export function revisionOf(root) {
  /** @param {string[]} args */
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const commit = git('rev-parse', 'HEAD').trim();
  const changes = git('status', '--porcelain', '--', '.', `:(exclude)${recordFile}`);
  return { commit, isDirty: changes !== '' };
}

/**
 * The seed: SEED if it is set, otherwise a number that depends on the commit, so that every commit
 * is tested with different cases and a failure at a commit can be repeated. Below 2^28, because
 * seeds of later rounds are larger and must stay below 2^31.
 *
 * @param {string} commit @param {string | undefined} variable
 */
export function seedOf(commit, variable) {
  if (variable === undefined) return Number.parseInt(commit.slice(0, 7), 16);
  const seed = Number(variable);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 28)
    throw new Error(`SEED=${variable} is not a whole number from 0 to ${2 ** 28 - 1}.`);
  return seed;
}
