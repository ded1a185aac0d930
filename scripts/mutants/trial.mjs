/** Applies one mutant to a copy of the checkout and finds out whether its tests notice it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withText } from './checkout.mjs';
import { runTests } from './run-tests.mjs';

/**
 * @typedef {object} Mutant
 * @property {'chosen' | 'drawn'} kind
 * @property {string} id
 * @property {string} file
 * @property {(text: string) => string} change
 * @property {string} title One line for the report.
 * @property {number} [start] Where a drawn one changes the file.
 * @property {readonly string[]} tests That a chosen one names, or that execute its place.
 * @property {readonly string[]} ofFolder Suites of its folder, for a drawn one that survives these.
 *
 * @typedef {object} Verdict
 * @property {Mutant} mutant
 * @property {'noticed' | 'hung' | 'noticed by folder' | 'survived' | 'broken'} state Hung: the tests
 *   did not end in time, which counts as noticed. Broken: without the mutant the tests
 *   fail or do not end either, or there is none.
 * @property {string} by The test that failed.
 * @property {number} seconds
 *
 * @typedef {object} Options
 * @property {number} maxSeconds Of a run of tests.
 * @property {AbortSignal} signal
 * @property {boolean} isTrusted All tests pass without mutants.
 * @property {Set<string>} knownGood Tests that have passed without mutants.
 */

/** @param {string} folder @param {Mutant} mutant @param {Options} options @returns {Promise<Verdict>} */
export async function tryMutant(folder, mutant, options) {
  const started = performance.now();
  /** @param {Verdict['state']} state @param {string} [by] @returns {Verdict} */
  const verdict = (state, by = '') => ({
    ...{ mutant, state, by },
    seconds: (performance.now() - started) / 1000,
  });
  const path = join(folder, mutant.file);
  const text = mutant.change(readFileSync(path, 'utf8'));
  const { maxSeconds } = options;
  for (const tests of [mutant.tests, mutant.ofFolder]) {
    if (tests.length === 0) continue;
    const result = await withText(path, text, () => runTests(folder, tests, options));
    if (result.state === 'passed') continue;
    if (result.state === 'hung') {
      const { state } = await runTests(folder, tests, options);
      if (state === 'hung') return verdict('broken', `no end in ${maxSeconds} s without it either`);
      return verdict('hung', `no end in ${maxSeconds} s`);
    }
    if (result.state === 'without tests') return verdict('broken', `no test in ${tests.join(' ')}`);
    const { file, test = 'not loaded' } = result;
    const isGood = await isGoodTest(folder, file === undefined ? tests : [file], options);
    if (!isGood) return verdict('broken', `${file ?? tests.join(' ')} fails without it`);
    return verdict(
      tests === mutant.ofFolder ? 'noticed by folder' : 'noticed',
      `${file ?? 'jest'}: ${test}`,
    );
  }
  return verdict('survived');
}

/** Whether tests pass without the mutant. @param {string} folder @param {readonly string[]} tests @param {Options} options */
async function isGoodTest(folder, tests, options) {
  const key = tests.join(' ');
  if (options.isTrusted || options.knownGood.has(key)) return true;
  const { state } = await runTests(folder, tests, options);
  if (state === 'passed') options.knownGood.add(key);
  return state === 'passed';
}
