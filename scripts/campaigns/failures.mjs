/**
 * What a slice leaves for the run that repeats its failures (scripts/jest/failed-suites.cjs): a file
 * beside the log of each failed step, and one for all of them, which CI has asked for.
 */
import { existsSync, rmSync } from 'node:fs';
import failedSuites from '../jest/failed-suites.cjs';

const { suitesIn, writeSuites } = failedSuites;
const none = { passed: 0, failed: 0, skipped: 0 };

/** @param {string} log */
const fileOf = (log) => `${log}.failed`;

/** Whether a run that repeats failures has the step. @param {string} log */
export function hasFailedBefore(log) {
  return existsSync(fileOf(log));
}

/**
 * Variables by which Jest writes its failed suites, or repeats them.
 *
 * @param {string} log @param {boolean} isRepeat @returns {Record<string, string>}
 */
export function variablesFor(log, isRepeat) {
  if (isRepeat) return { ONLY_SUITES: fileOf(log) };
  rmSync(fileOf(log), { force: true });
  return { FAILED_SUITES: fileOf(log) };
}

/**
 * The suites of a failed step, or its script. Empty: it is not repeated.
 *
 * @param {import('./steps.mjs').Step} step @param {string} log @returns {string[]}
 */
export function failuresOf({ repeats, args }, log) {
  if (repeats === 'nothing') return [];
  if (repeats === 'all') writeSuites(fileOf(log), none, [args[0]]);
  return suitesIn(fileOf(log));
}

/**
 * Writes the file of all. If anything has failed that is not repeated, nothing is.
 *
 * @param {string | undefined} file
 * @param {readonly import('./run-campaign.mjs').Outcome[]} outcomes
 */
export function writeFailures(file, outcomes) {
  const failed = outcomes.flatMap(({ steps }) =>
    steps.filter(({ state }) => state === 'failed' || state === 'timed out'),
  );
  const suites = failed.map(({ failures }) => failures ?? []);
  if (file === undefined || suites.some(({ length }) => length === 0)) return;
  if (suites.length > 0) writeSuites(file, none, suites.flat());
}
