/** Runs one step, with its output in a file. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsIn } from './counts.mjs';

const guard = join(dirname(fileURLToPath(import.meta.url)), 'guard.mjs');
/** Between the request to end and the end. */
const graceMs = 3000;

/**
 * @typedef {object} StepResult
 * @property {'passed' | 'failed' | 'skipped' | 'timed out' | 'interrupted'} state Skipped: it has
 *   succeeded without checking anything, because a tool is not installed.
 * @property {number} seconds
 * @property {import('./counts.mjs').Counts} counts
 * @property {string} output
 */

/**
 * @param {import('./steps.mjs').Step} step
 * @param {{ root: string, log: string, maxSeconds: number, signal: AbortSignal }} options
 * @returns {Promise<StepResult>}
 */
export async function runStep({ args, env }, { root, log, maxSeconds, signal }) {
  const started = performance.now();
  mkdirSync(dirname(log), { recursive: true });
  const file = openSync(log, 'w');
  const { BIGTABLE_EMULATOR_HOST, NODE_OPTIONS, SEED, ...others } = process.env;
  const { FAILED_SUITES, ONLY_SUITES, ...inherited } = others;
  const child = spawn(process.execPath, [guard, ...args], {
    cwd: root,
    detached: true,
    stdio: ['pipe', file, file],
    env: { ...inherited, ...env },
  });
  closeSync(file);
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), maxSeconds * 1000);
  const either = AbortSignal.any([signal, ended.signal]);
  const stop = () => void endGroup(child.pid);
  either.addEventListener('abort', stop);
  if (either.aborted) stop();
  const code = await new Promise((done) => {
    child.on('error', () => done(1));
    child.on('close', done);
  });
  clearTimeout(timer);
  either.removeEventListener('abort', stop);
  // Processes that the step has left behind.
  killGroup(child.pid, 'SIGKILL');
  const output = readFileSync(log, 'utf8');
  const counts = countsIn(output);
  const seconds = (performance.now() - started) / 1000;
  /** @returns {StepResult['state']} */
  const stateOf = () => {
    if (signal.aborted) return 'interrupted';
    if (ended.signal.aborted) return 'timed out';
    if (code !== 0) return 'failed';
    return Object.keys(counts).length === 0 ? 'skipped' : 'passed';
  };
  return { state: stateOf(), seconds, counts, output };
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  killGroup(pid, 'SIGTERM');
  setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs).unref();
}

/** @param {number | undefined} pid @param {NodeJS.Signals} signal */
function killGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
