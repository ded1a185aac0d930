/** Ends jest's report with one line that any program can read: `N passed, N failed, N skipped`. */
module.exports = class PlainReporter {
  onRunComplete(_contexts, results) {
    // A suite that could not even start has no tests of its own to count, but it did fail.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    // At exit, because jest always prints its own summary after the other reporters.
    process.once('exit', () =>
      process.stdout.write(
        `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`,
      ),
    );
  }
};
