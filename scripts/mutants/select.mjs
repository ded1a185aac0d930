/** Which mutants a call runs. */
import { createHash } from 'node:crypto';
import { mutated } from './chosen-text.mjs';
import { allMutants, draw } from './draw.mjs';

/**
 * @typedef {object} Chosen
 * @property {string} id
 * @property {string} file
 * @property {string} is A text that occurs once in the file; spaces and line breaks do not count.
 * @property {string} becomes
 * @property {string} suffers What a user would suffer.
 * @property {readonly string[]} tests Those that must notice it.
 *
 * @typedef {object} Equivalent A drawn mutant that changes nothing that a user can observe.
 * @property {string} file
 * @property {string} before The line, as the report prints it.
 * @property {string} after
 * @property {string} why
 *
 * @typedef {object} Data
 * @property {readonly Chosen[]} chosen
 * @property {readonly Equivalent[]} equivalents
 * @property {Readonly<Record<string, readonly string[]>>} folderSuites By how paths of sources begin.
 *
 * @typedef {import('./trial.mjs').Mutant} Selected
 *
 * @typedef {object} Selection
 * @property {readonly string[]} [only] IDs, in the order in which they run.
 * @property {boolean} chosen @property {boolean} drawn @property {number} seed
 * @property {number} [count] Of each. By default all chosen ones, and 100 drawn ones.
 */

/** @param {string} root @param {Data} data @param {Selection} selection @returns {Selected[]} */
export function select(
  root,
  { chosen, equivalents, folderSuites },
  { only, count, seed, ...kinds },
) {
  const ofChosen = chosen.map(fromChosen);
  /** @param {import('./draw.mjs').DrawnMutant} mutant */
  const ofDrawn = (mutant) => fromDrawn(mutant, folderSuites);
  const all = kinds.drawn || only !== undefined ? allMutants(root, 'src') : [];
  if (only !== undefined) {
    const known = [...ofChosen, ...all.map(ofDrawn)];
    return only.flatMap((id) => known.filter((each) => each.id === id));
  }
  const named = new Set(equivalents.map(keyOf));
  const other = all.filter((each) => !named.has(keyOf(each)));
  return [
    ...(kinds.chosen ? some(ofChosen, count, seed) : []),
    ...(kinds.drawn ? draw(other, count ?? 100, seed).map(ofDrawn) : []),
  ];
}

/** @param {Chosen} mutant @returns {Selected} */
function fromChosen(mutant) {
  const { id, file, suffers, tests } = mutant;
  const change = (/** @type {string} */ text) => mutated(text, mutant);
  return { kind: 'chosen', id, file, title: `${file}: ${suffers}`, tests, ofFolder: [], change };
}

/** @param {import('./draw.mjs').DrawnMutant} mutant @param {Data['folderSuites']} folderSuites @returns {Selected} */
function fromDrawn({ id, file, line, operator, before, after, ...rest }, folderSuites) {
  const title = `${file}:${line} ${operator}\n    - ${short(before)}\n    + ${short(after)}`;
  const { start, end, replacement } = rest;
  const change = (/** @type {string} */ text) =>
    text.slice(0, start) + replacement + text.slice(end);
  const folder = Object.keys(folderSuites)
    .filter((beginning) => file.startsWith(beginning))
    .sort((a, b) => b.length - a.length)
    .at(0);
  const ofFolder = folder === undefined ? [] : folderSuites[folder];
  return { kind: 'drawn', id, file, title, start, tests: [], ofFolder, change };
}

/** @param {{ file: string, before: string, after: string }} mutant */
export function keyOf({ file, before, after }) {
  return JSON.stringify([file, before, after]);
}

/** @param {Selected[]} all @param {number | undefined} count @param {number} seed */
function some(all, count, seed) {
  if (count === undefined) return all;
  /** @param {Selected} mutant */
  const rank = ({ id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return [...all].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count);
}

/** @param {string} text */
function short(text) {
  return text.length > 200 ? `${text.slice(0, 200)} ...` : text;
}
