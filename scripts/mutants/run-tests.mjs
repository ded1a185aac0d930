/** Runs tests in a copy of the checkout until one fails. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const sequencer = join(dirname(fileURLToPath(import.meta.url)), 'quick-first.cjs');
const resultFile = '.tmp/mutant.json';

/**
 * @typedef {object} TestResult
 * @property {'passed' | 'failed' | 'hung' | 'without tests'} state
 * @property {string} [file] The test file that failed first.
 * @property {string} [test] The name of the test; none if the file was not loaded.
 * @property {number} seconds
 */

/**
 * @param {string} folder @param {readonly string[]} tests
 * @param {{ maxSeconds: number, signal: AbortSignal }} options @returns {Promise<TestResult>}
 */
export async function runTests(folder, tests, { maxSeconds, signal }) {
  const started = performance.now();
  const outputFile = join(folder, resultFile);
  rmSync(outputFile, { force: true });
  const args = ['--json', '--outputFile', outputFile, ...projectsOf(tests), '--', ...tests];
  const isEnded = await runJest(folder, args, maxSeconds, signal);
  const seconds = (performance.now() - started) / 1000;
  if (signal.aborted) throw new Error('interrupted');
  if (!isEnded) return { state: 'hung', seconds };
  return { ...resultIn(outputFile, folder), seconds };
}

/**
 * Returns whether Jest ended in time.
 *
 * @param {string} folder @param {readonly string[]} args @param {number} maxSeconds
 * @param {AbortSignal} signal
 */
async function runJest(folder, args, maxSeconds, signal) {
  const { BIGTABLE_EMULATOR_HOST, NODE_OPTIONS, SEED, RUNS, ...env } = process.env;
  const jest = join(folder, 'node_modules/jest/bin/jest.js');
  const options = ['--runInBand', '--bail', '--silent', '--testSequencer', sequencer];
  const child = spawn(process.execPath, [jest, ...options, ...args], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { ...env, CI: 'true' },
  });
  let isEnded = true;
  const stop = () => {
    isEnded = false;
    killGroup(child.pid);
  };
  const timer = setTimeout(stop, maxSeconds * 1000);
  signal.addEventListener('abort', stop);
  await new Promise((done) => child.on('close', done));
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  // Processes that a failed test has left behind.
  killGroup(child.pid);
  return isEnded;
}

/** `npm test` leaves slow suites out; a mutant that needs one names it. @param {readonly string[]} tests */
function projectsOf(tests) {
  return tests.some((test) => test.includes('.slow.')) ? [] : ['--ignoreProjects', 'slow'];
}

/** @param {string} outputFile @param {string} folder @returns {Omit<TestResult, 'seconds'>} */
function resultIn(outputFile, folder) {
  let report;
  try {
    report = JSON.parse(readFileSync(outputFile, 'utf8'));
  } catch {
    // Jest itself failed: it wrote no result.
    return { state: 'failed' };
  }
  const failed = report.testResults.find((/** @type {any} */ each) => each.status === 'failed');
  if (failed !== undefined) {
    const test = failed.assertionResults.find(
      (/** @type {any} */ each) => each.status === 'failed',
    );
    const file = relative(folder, failed.name).replaceAll('\\', '/');
    return { state: 'failed', file, test: test?.fullName };
  }
  if (!report.success) return { state: 'failed' };
  return { state: report.numPassedTests > 0 ? 'passed' : 'without tests' };
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
