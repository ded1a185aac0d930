/**
 * The file FAILED_SUITES, which the sections of .ci/run keep: a run writes its failed suites there,
 * one a line, with what it counted in all other suites. With ONLY_SUITES a run repeats them, and
 * counts the others as they were.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @param {string} file @param {Counts} others @param {readonly string[]} suites */
exports.writeSuites = (file, { passed, skipped }, suites) =>
  writeFileSync(file, [`# ${passed} passed, ${skipped} skipped`, ...suites, ''].join('\n'));

/** @param {string} file @returns {string[]} */
exports.suitesIn = (file) => linesOf(file).filter((line) => !line.startsWith('#'));

/** Of the suites that did not fail. @param {string} file @returns {Counts} */
exports.othersIn = (file) => {
  const [, passed = 0, skipped = 0] =
    /^# (\d+) passed, (\d+) skipped$/.exec(linesOf(file)[0] ?? '')?.map(Number) ?? [];
  return { passed, failed: 0, skipped };
};

/** @param {string} file */
function linesOf(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}
