/**
 * Which quick suites execute a place of `src/`. A run of them records it (FUNCTION_COVERAGE,
 * scripts/jest/function-coverage.cjs). It is kept in .tmp/mutants until sources change; suites that
 * change run again.
 */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { hashOf } from '../source-hash.mjs';
import { functionsOf } from './functions.mjs';
import { runJest } from './run-tests.mjs';

/**
 * @typedef {object} Recording
 * @property {string} hash Of everything that it depends on, except test files.
 * @property {Record<string, Suite>} suites By path.
 *
 * @typedef {object} Suite
 * @property {string} hash Of its file.
 * @property {number} seconds
 * @property {Record<string, string[]>} functions By source, where executed functions begin. Nothing if
 *   it is slow.
 */

const inputs = ['src', 'decorators', 'scripts/jest', 'jest.config.mjs', 'package-lock.json'];
/** The suites of a mutant may have taken so long in the recorded run. */
const maxSuiteSeconds = 120;
const maxRunSeconds = 3600;

export class Coverage {
  #root;
  /** The quickest first. */
  #suites;

  /** @param {string} root @param {Recording} recording */
  constructor(root, { suites }) {
    this.#root = root;
    this.#suites = Object.entries(suites).sort(([, a], [, b]) => a.seconds - b.seconds);
  }

  /**
   * Those that execute the innermost function around the place, and outside of functions those that
   * load the module: the ones written for the folder first, so that a function that all suites execute
   * keeps them.
   *
   * @param {string} file @param {number} offset @returns {string[]}
   */
  suitesAt(file, offset) {
    const functions = functionsOf(readFileSync(join(this.#root, file), 'utf8'));
    const around = functions.at(offset);
    /** @type {Map<string, boolean>} */
    const known = new Map();
    /** @param {string} start */
    const isAround = (start) => {
      const is = known.get(start) ?? functions.at(functions.offsetOf(start)) === around;
      known.set(start, is);
      return is;
    };
    let seconds = 0;
    return this.#suites
      .map(([path, suite]) => ({ path, seconds: suite.seconds, starts: suite.functions[file] }))
      .filter(({ starts }) => starts !== undefined)
      .filter(({ starts }) => around === undefined || starts.some(isAround))
      .sort((a, b) => nearness(b.path, file) - nearness(a.path, file))
      .filter((suite) => (seconds += suite.seconds) <= maxSuiteSeconds)
      .map(({ path }) => path);
  }
}

/** How many folders a suite has in common with a source. @param {string} suite @param {string} source */
function nearness(suite, source) {
  const [own, folders] = [suite, source].map((path) => path.split('/').slice(1, -1));
  const other = own.findIndex((folder, i) => folder !== folders[i]);
  return other === -1 ? own.length : other;
}

/**
 * Of the checkout. What is not recorded yet runs in a copy.
 *
 * @param {string} root @param {string} copy @param {{ jobs: number, signal: AbortSignal }} options
 */
export async function coverageOf(root, copy, options) {
  const file = join(root, '.tmp/mutants/coverage.json');
  const paths = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  const others = paths.filter((path) => !path.endsWith('.test.ts'));
  const hash = hashOf(root, [...inputs.filter((path) => existsSync(join(root, path))), ...others]);
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  /** @type {Recording['suites']} */
  const before = kept?.hash === hash ? kept.suites : {};
  /** @type {Recording['suites']} */
  const suites = {};
  for (const path of tests) {
    const known = { hash: hashOf(root, [path]), seconds: 0, functions: {} };
    suites[path] = before[path]?.hash === known.hash ? before[path] : known;
  }
  const changed = tests.filter((path) => suites[path] !== before[path]);
  if (changed.length > 0) {
    console.error(`recording what ${changed.length} of ${tests.length} test files execute`);
    await record(copy, changed.length === tests.length ? [] : changed, suites, options);
    writeFileSync(`${file}.new`, JSON.stringify({ hash, suites }));
    renameSync(`${file}.new`, file);
  }
  return new Coverage(root, { hash, suites });
}

/**
 * @param {string} copy @param {readonly string[]} paths All if there are none.
 * @param {Recording['suites']} suites @param {{ jobs: number, signal: AbortSignal }} options
 */
async function record(copy, paths, suites, { jobs, signal }) {
  const scratch = mkdtempSync(join(tmpdir(), 'rowsmith-coverage-'));
  const [functions, results] = [join(scratch, 'functions'), join(scratch, 'results')];
  const options = ['-w', `${jobs}`, '--ignoreProjects', 'slow', '--silent', '--passWithNoTests'];
  const args = [...options, '--json', '--outputFile', results, '--', ...paths];
  try {
    const env = { FUNCTION_COVERAGE: functions };
    const ended = await runJest(copy, args, { maxSeconds: maxRunSeconds, signal, env });
    if (signal.aborted) throw new Error('interrupted');
    if (ended === undefined) throw new Error(`the quick suites took over ${maxRunSeconds} s`);
    if (!existsSync(results)) throw new Error(`Jest failed:\n${ended.output}`);
    const lines = existsSync(functions) ? readFileSync(functions, 'utf8').trim().split('\n') : [];
    addRecorded(suites, lines, readResults(copy, results));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The seconds that each suite took; undefined if it has failed. @param {string} copy @param {string} file */
function readResults(copy, file) {
  /** @type {{ name: string, status: string, startTime: number, endTime: number }[]} */
  const ran = JSON.parse(readFileSync(file, 'utf8')).testResults;
  return new Map(
    ran.map(({ name, status, startTime, endTime }) => [
      relative(copy, name).replaceAll('\\', '/'),
      status === 'failed' ? undefined : (endTime - startTime) / 1000,
    ]),
  );
}

/**
 * @param {Recording['suites']} suites @param {readonly string[]} lines
 * @param {ReadonlyMap<string, number | undefined>} secondsOf
 */
function addRecorded(suites, lines, secondsOf) {
  for (const line of lines) {
    /** @type {{ path: string, functions: Record<string, string[]> }} */
    const { path, functions } = JSON.parse(line);
    suites[path] = { ...suites[path], seconds: secondsOf.get(path) ?? 0, functions };
  }
  for (const [path, seconds] of secondsOf) {
    if (seconds !== undefined) continue;
    console.error(`left out: ${path} fails without mutants`);
    delete suites[path];
  }
}
