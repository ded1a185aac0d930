/** Runs tests in a copy of the checkout until one fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const sequencer = join(here, 'in-order.cjs');
/** Ends the tests when this process was killed. */
const guard = join(here, '../campaigns/guard.mjs');

/**
 * @typedef {object} TestResult
 * @property {'passed' | 'failed' | 'hung' | 'without tests'} state
 * @property {string} [file] The test file that failed first.
 * @property {string} [test] The name of its first test that failed; the file was not loaded if there is none.
 * @property {number} seconds
 */

/**
 * Runs the quick suites that the paths name, in this order, and then the slow ones, which a path names
 * by `.slow`.
 *
 * @param {string} folder @param {readonly string[]} tests
 * @param {{ maxSeconds: number, signal: AbortSignal }} options @returns {Promise<TestResult>}
 */
export async function runTests(folder, tests, { maxSeconds, signal }) {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  /** @type {TestResult['state']} */
  let state = 'without tests';
  for (const isSlow of [false, true]) {
    const paths = tests.filter((path) => path.includes('.slow') === isSlow);
    if (paths.length === 0) continue;
    const project = isSlow ? ['--selectProjects', 'slow'] : ['--ignoreProjects', 'slow'];
    const args = ['--runInBand', '--bail', '--silent', '--testSequencer', sequencer];
    const options = { maxSeconds: maxSeconds - seconds(), signal };
    const ended = await runJest(folder, [...args, ...project, '--', ...paths], options);
    if (signal.aborted) throw new Error('interrupted');
    if (ended === undefined) return { state: 'hung', seconds: seconds() };
    const { code, output } = ended;
    if (code === 0) state = 'passed';
    else if (!output.includes('No tests found')) {
      // With --bail Jest ends before it writes a report in JSON.
      const file = /^FAIL (?:\S+ )?(test\/\S+)/m.exec(output)?.[1];
      const test = /^ {2}\u25cf (.+)$/m.exec(output)?.[1];
      return { state: 'failed', file, test, seconds: seconds() };
    }
  }
  return { state, seconds: seconds() };
}

/**
 * Returns undefined if Jest did not end in time.
 *
 * @param {string} folder @param {readonly string[]} args
 * @param {{ maxSeconds: number, signal: AbortSignal, env?: Record<string, string> }} options
 * @returns {Promise<{ code: number, output: string } | undefined>}
 */
export async function runJest(folder, args, { maxSeconds, signal, env }) {
  const { BIGTABLE_EMULATOR_HOST, NODE_OPTIONS, SEED, RUNS, ...inherited } = process.env;
  const jest = join(folder, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [guard, jest, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...inherited, CI: 'true', ...env },
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  let isEnded = true;
  const stop = () => {
    isEnded = false;
    killGroup(child.pid);
  };
  const timer = setTimeout(stop, maxSeconds * 1000);
  signal.addEventListener('abort', stop);
  const code = await new Promise((done) => child.on('exit', (status) => done(status ?? 1)));
  // Processes that a failed test has left behind. One that is in no group may keep the output open.
  killGroup(child.pid);
  await Promise.race([once(child.stderr, 'close'), pause(500)]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  return isEnded ? { code, output } : undefined;
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
