/** Runs the steps of one campaign that have not passed yet. */
import { join } from 'node:path';
import { sumOf } from './counts.mjs';
import { failuresOf, hasFailedBefore, variablesFor } from './failures.mjs';
import { revisionOf } from './revision.mjs';
import { runStep } from './run-step.mjs';
import { stepsOf } from './steps.mjs';

/**
 * @typedef {object} Context
 * @property {string} root
 * @property {string} folder For logs.
 * @property {import('./revision.mjs').Revision} revision
 * @property {number} seed
 * @property {boolean} isSlice
 * @property {boolean} isRepeat Only what has failed in the last slice.
 * @property {boolean} again Steps that have passed run again.
 * @property {number} maxSeconds Of a campaign.
 * @property {AbortSignal} signal
 * @property {import('./journal.mjs').Journal} journal
 * @property {import('./report.mjs').Report} report
 *
 * @typedef {object} Outcome
 * @property {string} name
 * @property {'passed' | 'passed before' | 'failed' | 'skipped' | 'timed out' | 'interrupted'} state
 * @property {import('./revision.mjs').Revision} revision
 * @property {number} seed
 * @property {number} seconds Of all steps, also of those that had passed before.
 * @property {import('./counts.mjs').Counts} counts
 * @property {(Pick<Result, 'line' | 'state' | 'seconds' | 'failures'>)[]} steps
 *
 * @typedef {object} Result
 * @property {string} line
 * @property {import('./run-step.mjs').StepResult['state']} state
 * @property {number} seconds
 * @property {import('./counts.mjs').Counts} counts
 * @property {readonly string[]} [failures] What CI may repeat.
 */

/** @param {import('./steps.mjs').Campaign} campaign @param {Context} context @returns {Promise<Outcome>} */
export async function runCampaign({ name, ...rest }, context) {
  const { root, seed, isSlice, isRepeat, maxSeconds, signal, report } = context;
  const steps = stepsOf({ name, ...rest }, seed, isSlice);
  const passed = passedSteps(name, context);
  const started = performance.now();
  /** @type {Result[]} */
  const results = [];
  let isDirty = context.revision.isDirty;
  for (const [i, step] of steps.entries()) {
    const before = passed.get(step.line);
    if (before !== undefined) {
      results.push({ line: step.line, state: 'passed', ...secondsAndCounts(before) });
      continue;
    }
    const log = join(context.folder, isSlice ? 'slice' : '', `${name}-${i + 1}.log`);
    if (isRepeat && !hasFailedBefore(log)) continue;
    const left = maxSeconds - (performance.now() - started) / 1000;
    report.startStep(name, `${i + 1}/${steps.length} ${step.name}`);
    const env = isSlice ? { ...step.env, ...variablesFor(log, isRepeat) } : step.env;
    const options = { root, log, maxSeconds: Math.max(left, 0), signal };
    const result = await runStep({ ...step, env }, options);
    report.endStep(name, step, result, log);
    const { state } = result;
    const failures = isSlice && state === 'failed' ? failuresOf(step, log) : undefined;
    results.push({ line: step.line, state, failures, ...secondsAndCounts(result) });
    const now = revisionOf(root);
    isDirty ||= now.isDirty || now.commit !== context.revision.commit;
    if (!isSlice) {
      context.journal.add({
        at: new Date().toISOString(),
        commit: context.revision.commit,
        isDirty,
        node: process.version,
        campaign: name,
        line: step.line,
        state,
        ...secondsAndCounts(result),
      });
    }
    if (state === 'interrupted' || state === 'timed out') break;
  }
  return {
    name,
    state: stateOf(results, passed.size === steps.length && steps.length > 0),
    revision: { ...context.revision, isDirty },
    seed,
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
    counts: sumOf(results.map(({ counts }) => counts)),
    steps: results.map(({ line, state, seconds, failures }) => ({
      line,
      state,
      seconds,
      failures,
    })),
  };
}

/** @param {string} name @param {Context} context */
function passedSteps(name, { isSlice, again, revision, journal }) {
  if (isSlice || again || revision.isDirty) return new Map();
  return journal.passedSteps(name, revision.commit);
}

/** @param {{ seconds: number, counts: import('./counts.mjs').Counts }} result */
function secondsAndCounts({ seconds, counts }) {
  return { seconds, counts };
}

/**
 * @param {readonly { state: string }[]} results @param {boolean} isBefore
 * @returns {Outcome['state']}
 */
function stateOf(results, isBefore) {
  for (const state of /** @type {const} */ (['interrupted', 'timed out', 'failed'])) {
    if (results.some((result) => result.state === state)) return state;
  }
  if (results.every(({ state }) => state === 'skipped')) return 'skipped';
  return isBefore ? 'passed before' : 'passed';
}
