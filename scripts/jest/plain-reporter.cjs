/**
 * Ends Jest's report with the line `N passed, N failed, N skipped`. Needed because CI, the Node
 * matrix and the campaigns read the counts from the output that they also show; `--json` is a file.
 */
module.exports = class PlainReporter {
  onRunComplete(_contexts, results) {
    // A suite that could not start counts as one failure: it has no tests to count.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    // At exit, because jest prints its own summary after all reporters.
    process.once('exit', () =>
      process.stdout.write(
        `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`,
      ),
    );
  }
};
