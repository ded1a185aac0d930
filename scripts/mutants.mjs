/**
 * Mutants: small wrong changes of `src/`, one by one. A test that fails has noticed it. `npm run
 * test:mutants` runs those that scripts/mutants/chosen lists, with the tests that each names: all must
 * be noticed. It draws 100 more by a seed from mechanical operators, of which 85 % must be noticed by
 * the quick suites that execute the changed function, or by the slow ones of the folder.
 *
 * `--chosen` or `--drawn` runs only these, `--count N` so many of each, drawn by `--seed N`, and
 * `--only ID` one. `--list` prints them, `--json` the verdicts as JSON. `--jobs N` runs N at a time,
 * `--limit SECONDS` ends a run of tests. A test that fails is also run without the mutant, unless
 * `--trust` says that all tests have passed. Sources are changed in copies of the checkout in
 * .tmp/mutants, never in the checkout.
 */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { copyCheckout } from './mutants/checkout.mjs';
import { coverageOf } from './mutants/coverage.mjs';
import { Report } from './mutants/report.mjs';
import { select } from './mutants/select.mjs';
import { tryMutant } from './mutants/trial.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    chosen: { type: 'boolean', default: false },
    drawn: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    limit: { type: 'string', default: '300' },
    trust: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    // For tests of this script: another checkout, with other mutants.
    root: { type: 'string', default: join(here, '..') },
    data: { type: 'string', default: join(here, 'mutants/data.mjs') },
  },
});
process.exitCode = await main();

async function main() {
  const root = resolve(values.root);
  /** @type {import('./mutants/select.mjs').Data} */
  const data = await import(pathToFileURL(resolve(values.data)).href);
  const isBoth = values.chosen === values.drawn;
  const mutants = select(root, data, {
    only: values.only,
    seed: Number(values.seed),
    chosen: isBoth || values.chosen,
    drawn: isBoth || values.drawn,
    count: values.count === undefined ? undefined : Number(values.count),
  });
  if (mutants.length === 0) {
    console.error(`no mutant ${values.only?.join(', ')}: --list prints all chosen ones`);
    return 2;
  }
  const report = new Report(mutants.length, Number(values.seed), values.json);
  if (values.list) return report.list(mutants);
  const interruption = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(name, () => interruption.abort());
  const { signal } = interruption;
  try {
    const copies = Array.from({ length: Number(values.jobs) }, () => copyCheckout(root));
    const waiting = await withSuites(root, copies, mutants, signal);
    await Promise.all(copies.map((copy) => work(copy, waiting, report, signal)));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return report.end(signal.aborted);
}

/**
 * Drawn mutants get the suites that execute their places.
 *
 * @param {string} root @param {readonly string[]} copies
 * @param {import('./mutants/select.mjs').Selected[]} mutants @param {AbortSignal} signal
 */
async function withSuites(root, copies, mutants, signal) {
  if (mutants.every(({ start }) => start === undefined)) return mutants;
  const coverage = await coverageOf(root, copies[0], { jobs: copies.length, signal });
  return mutants.map((mutant) =>
    mutant.start === undefined
      ? mutant
      : { ...mutant, tests: coverage.suitesAt(mutant.file, mutant.start) },
  );
}

/**
 * @param {string} folder @param {import('./mutants/select.mjs').Selected[]} waiting
 * @param {Report} report @param {AbortSignal} signal
 */
async function work(folder, waiting, report, signal) {
  const options = {
    maxSeconds: Number(values.limit),
    signal,
    isTrusted: values.trust,
    knownGood: new Set(),
  };
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    report.add(await tryMutant(folder, next, options));
}
