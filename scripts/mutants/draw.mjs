/** Draws mechanical mutants of all of `src/` by a seed. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { operators, sitesOf } from './operators.mjs';

/**
 * @typedef {object} DrawnMutant
 * @property {string} id It survives changes of other lines.
 * @property {string} file
 * @property {number} line
 * @property {import('./operators.mjs').Operator} operator
 * @property {string} before The changed lines, in one.
 * @property {string} after
 * @property {number} start @property {number} end @property {string} replacement
 */

/** All mechanical mutants. @param {string} root @param {string} folder @returns {DrawnMutant[]} */
export function allMutants(root, folder) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  return files.sort().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** @param {string} file @param {string} text @returns {DrawnMutant[]} */
export function mutantsOf(file, text) {
  /** Equal changes of equal lines are counted. @type {Map<string, number>} */
  const seen = new Map();
  return sitesOf(text).map(({ operator, start, end, replacement }) => {
    const from = text.lastIndexOf('\n', start) + 1;
    const next = text.indexOf('\n', end);
    const to = next === -1 ? text.length : next;
    const before = inOneLine(text.slice(from, to));
    const after = inOneLine(text.slice(from, start) + replacement + text.slice(end, to));
    const key = [file, operator, before, after].join('\n');
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    const id = `m${hash(`${key}\n${count}`).slice(0, 8)}`;
    const line = text.slice(0, start).split('\n').length;
    return { id, file, line, operator, before, after, start, end, replacement };
  });
}

/**
 * As many of each operator. A mutant's place in the order depends on itself and the seed alone, so
 * that an edit elsewhere hardly changes the draw.
 *
 * @param {readonly DrawnMutant[]} all @param {number} count @param {number} seed
 */
export function draw(all, count, seed) {
  /** @param {DrawnMutant} mutant */
  const rank = ({ id }) => hash(`${seed} ${id}`);
  const ranked = operators.map((operator) =>
    all
      .filter((each) => each.operator === operator)
      .map((mutant) => ({ mutant, rank: rank(mutant) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1)),
  );
  const drawn = [];
  for (let i = 0; drawn.length < count && ranked.some((each) => i < each.length); i++)
    drawn.push(...ranked.flatMap((each) => each.slice(i, i + 1)));
  return drawn.slice(0, count).map(({ mutant }) => mutant);
}

/** @param {string} text */
function inOneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}
