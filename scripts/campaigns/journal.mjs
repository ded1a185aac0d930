/** The steps that have run on this machine: one line of JSON each, which survives a killed runner. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * @typedef {object} Entry
 * @property {string} at
 * @property {string} commit
 * @property {boolean} isDirty
 * @property {string} node
 * @property {string} campaign
 * @property {string} line The command.
 * @property {string} state
 * @property {number} seconds
 * @property {import('./counts.mjs').Counts} counts
 */

export class Journal {
  #file;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }

  /** @param {Entry} entry */
  add(entry) {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /**
   * The last time each step of the campaign passed at this commit, by command.
   *
   * @param {string} campaign @param {string} commit
   */
  passedSteps(campaign, commit) {
    const passed = this.#entries().filter(
      (entry) =>
        entry.campaign === campaign &&
        entry.commit === commit &&
        !entry.isDirty &&
        entry.node === process.version &&
        entry.state === 'passed',
    );
    return new Map(passed.map((entry) => [entry.line, entry]));
  }

  /** @returns {Entry[]} */
  #entries() {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        // The runner was killed while it wrote the line.
        return [];
      }
    });
  }
}
