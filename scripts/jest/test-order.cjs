/**
 * The order of test files: those that take longest first, so that the workers end together. Jest
 * does this itself only where it has durations of an earlier run; otherwise it sorts by file size,
 * and the longest files are small.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

/** Paths below test/, in descending order of duration. */
const longest = [
  'differential/shard-1',
  'differential/shard-2',
  'package/package',
  'transfer/live-faults',
  'engines/local/torture',
  'transfer/import',
  'transfer/migrate',
  'transfer/export-resume',
  'engines/agreement',
  'entry-points',
  'samples',
  'compilers/compilers',
  'transfer/live',
  'engines/bigtable/fidelity',
  'cli/transfer',
  'server/streams',
  'engines/limits',
  'server/connections',
  'key/laws',
];

module.exports = class TestOrder extends Sequencer {
  sort(tests) {
    const order = (test) => {
      const index = longest.findIndex((name) =>
        test.path.replaceAll('\\', '/').endsWith(`/test/${name}.test.ts`),
      );
      return index === -1 ? longest.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => order(a) - order(b));
  }
};
