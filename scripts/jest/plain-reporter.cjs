/**
 * Ends Jest's report with the line `N passed, N failed, N skipped`. Needed because CI, the Node
 * matrix and the campaigns read the counts from the output that they also show; `--json` is a file.
 * Keeps the file of failed suites as well (failed-suites.cjs).
 */
const { relative } = require('node:path');
const { othersIn, writeSuites } = require('./failed-suites.cjs');

module.exports = class PlainReporter {
  #failedFile = process.env.FAILED_SUITES;
  #onlyFile = process.env.ONLY_SUITES;
  #root;

  constructor({ rootDir }) {
    this.#root = rootDir;
    // The workers start later: what their tests run has other suites.
    delete process.env.FAILED_SUITES;
    delete process.env.ONLY_SUITES;
  }

  onRunComplete(_contexts, { testResults }) {
    const failing = testResults.filter(hasFailed);
    const others = countsOf(testResults.filter((suite) => !hasFailed(suite)));
    if (this.#failedFile !== undefined && failing.length > 0)
      writeSuites(this.#failedFile, others, this.#namesOf(failing));
    const before = this.#onlyFile === undefined ? countsOf([]) : othersIn(this.#onlyFile);
    const all = [before, others, countsOf(failing)];
    const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((name) =>
      all.reduce((sum, counts) => sum + counts[name], 0),
    );
    // At exit, because jest prints its own summary after all reporters.
    process.once('exit', () =>
      process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }

  #namesOf(suites) {
    return suites.map(({ testFilePath }) =>
      relative(this.#root, testFilePath).replaceAll('\\', '/'),
    );
  }
};

function hasFailed({ numFailingTests, testExecError }) {
  return numFailingTests > 0 || Boolean(testExecError);
}

function countsOf(suites) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of suites) {
    counts.passed += suite.numPassingTests;
    // A suite that could not start counts as one failure: it has no tests to count.
    counts.failed += suite.numFailingTests + (suite.testExecError ? 1 : 0);
    counts.skipped += suite.numPendingTests + suite.numTodoTests;
  }
  return counts;
}
