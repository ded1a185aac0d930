/**
 * Which quick suites execute a place of `src/`. One run of all of them records it (FUNCTION_COVERAGE,
 * scripts/jest/function-coverage.cjs), and is kept in .tmp/mutants until sources or tests change.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { hashOf } from '../source-hash.mjs';
import { functionsOf } from './functions.mjs';
import { runJest } from './run-tests.mjs';

/**
 * @typedef {object} Recording
 * @property {string} hash Of everything that it depends on.
 * @property {{ path: string, seconds: number }[]} suites The cheapest first.
 * @property {Record<string, Source>} sources By path.
 *
 * @typedef {object} Source
 * @property {number[]} loadedBy Numbers of suites.
 * @property {Record<string, number[]>} executedBy The same, by where a function begins: `line:column`.
 */

const inputs = [
  ...['src', 'decorators', 'test', 'scripts/jest', 'jest.config.mjs', 'package-lock.json'],
];
/** The suites of a mutant may have taken so long in the recorded run. */
const maxSuiteSeconds = 120;
const maxRunSeconds = 3600;

export class Coverage {
  #root;
  #recording;

  /** @param {string} root @param {Recording} recording */
  constructor(root, recording) {
    this.#root = root;
    this.#recording = recording;
  }

  /**
   * Those that execute the innermost function around the place, and outside of functions those that
   * load the module.
   *
   * @param {string} file @param {number} offset @returns {string[]}
   */
  suitesAt(file, offset) {
    const source = this.#recording.sources[file];
    if (source === undefined) return [];
    const functions = functionsOf(readFileSync(join(this.#root, file), 'utf8'));
    const around = functions.at(offset);
    const numbers =
      around === undefined
        ? source.loadedBy
        : Object.entries(source.executedBy)
            .filter(([start]) => functions.at(functions.offsetOf(start)) === around)
            .flatMap(([, suites]) => suites);
    let seconds = 0;
    return [...new Set(numbers)]
      .sort((a, b) => a - b)
      .map((number) => this.#recording.suites[number])
      .filter((suite) => (seconds += suite.seconds) <= maxSuiteSeconds)
      .map(({ path }) => path);
  }
}

/**
 * Of the checkout, from a run in a copy if there is none yet.
 *
 * @param {string} root @param {string} copy @param {{ jobs: number, signal: AbortSignal }} options
 */
export async function coverageOf(root, copy, options) {
  const file = join(root, '.tmp/mutants/coverage.json');
  const paths = inputs.filter((path) => existsSync(join(root, path)));
  const hash = hashOf(root, paths);
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    if (kept.hash === hash) return new Coverage(root, kept);
  }
  console.error('recording which functions each quick suite executes');
  const recording = { hash, ...(await record(copy, options)) };
  writeFileSync(file, JSON.stringify(recording));
  return new Coverage(root, recording);
}

/** @param {string} copy @param {{ jobs: number, signal: AbortSignal }} options */
async function record(copy, { jobs, signal }) {
  const scratch = mkdtempSync(join(tmpdir(), 'rowsmith-coverage-'));
  const [functions, results] = [join(scratch, 'functions'), join(scratch, 'results')];
  const options = ['-w', `${jobs}`, '--ignoreProjects', 'slow', '--json', '--outputFile', results];
  try {
    const env = { FUNCTION_COVERAGE: functions };
    const ended = await runJest(copy, options, { maxSeconds: maxRunSeconds, signal, env });
    if (signal.aborted) throw new Error('interrupted');
    if (ended === undefined) throw new Error(`the quick suites took over ${maxRunSeconds} s`);
    if (!existsSync(results)) throw new Error(`Jest failed:\n${ended.output}`);
    return recordingOf(copy, readFileSync(results, 'utf8'), readFileSync(functions, 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param {string} copy @param {string} results @param {string} functions */
function recordingOf(copy, results, functions) {
  /** @type {{ name: string, status: string, startTime: number, endTime: number }[]} */
  const ran = JSON.parse(results).testResults;
  /** @param {{ name: string }} suite */
  const pathOf = ({ name }) => relative(copy, name).replaceAll('\\', '/');
  const failed = ran.filter(({ status }) => status === 'failed').map(pathOf);
  if (failed.length > 0)
    console.error(`left out, because they fail without mutants: ${failed.join(' ')}`);
  const suites = ran
    .filter(({ status }) => status !== 'failed')
    .map((suite) => ({
      path: pathOf(suite),
      seconds: (suite.endTime - suite.startTime) / 1000,
    }))
    .sort((a, b) => a.seconds - b.seconds);
  const numbers = new Map(suites.map(({ path }, number) => [path, number]));
  /** @type {Record<string, Source>} */
  const sources = {};
  for (const line of functions.trim().split('\n')) {
    /** @type {{ path: string, functions: Record<string, string[]> }} */
    const suite = JSON.parse(line);
    const number = numbers.get(suite.path);
    if (number === undefined) continue;
    for (const [source, starts] of Object.entries(suite.functions)) {
      const { loadedBy, executedBy } = (sources[source] ??= { loadedBy: [], executedBy: {} });
      loadedBy.push(number);
      for (const start of starts) (executedBy[start] ??= []).push(number);
    }
  }
  return { suites, sources };
}
