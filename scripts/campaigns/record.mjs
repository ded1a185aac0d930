/**
 * The record of campaigns, which is committed: the last result of each, with its commit. Slices and
 * interrupted campaigns are not recorded.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { textOf } from './counts.mjs';

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {'passed' | 'failed' | 'skipped' | 'timed out'} state
 * @property {import('./revision.mjs').Revision} revision
 * @property {number} seed
 * @property {number} seconds
 * @property {import('./counts.mjs').Counts} counts
 */

const heading = `# Results of the campaigns

The last result of each campaign of \`npm run test:all\`, which writes this file. Commit it with the change
that the campaigns were run for. \`dirty\`: the working tree differed from the commit.

| Campaign | Result | Commit | Seed | Node | Day (UTC) | Minutes | Checked |
|---|---|---|---|---|---|---|---|
`;

/**
 * Replaces the row of a campaign.
 *
 * @param {string} file @param {readonly string[]} order Names of all campaigns; others are removed.
 * @param {Result} result
 */
export function record(file, order, result) {
  const rows = existsSync(file) ? rowsOf(readFileSync(file, 'utf8')) : new Map();
  rows.set(result.name, rowOf(result));
  const lines = order.flatMap((name) => rows.get(name) ?? []);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, `${heading}${lines.join('\n')}\n`);
  renameSync(`${file}.part`, file);
}

/** @param {string} text @returns {Map<string, string>} */
function rowsOf(text) {
  const rows = [...text.matchAll(/^\| ([a-z][\w-]*) \|.*$/gm)];
  return new Map(rows.map((match) => [match[1], match[0]]));
}

/** @param {Result} result */
function rowOf({ name, state, revision, seed, seconds, counts }) {
  const commit = revision.commit.slice(0, 12) + (revision.isDirty ? ' dirty' : '');
  const cells = [
    name,
    state === 'passed' ? 'passed' : state.toUpperCase(),
    commit,
    seed,
    process.versions.node,
    new Date().toISOString().slice(0, 10),
    (seconds / 60).toFixed(1),
    textOf(counts),
  ];
  return `| ${cells.join(' | ')} |`;
}
