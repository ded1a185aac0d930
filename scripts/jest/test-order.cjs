/**
 * The order of test files: those that take longest first, so that the workers end together. Jest
 * does this itself only where it has durations of an earlier run; otherwise it sorts by file size,
 * and the longest files are small.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

/** Paths below test/, in descending order of duration. */
const longest = [
  'package/package.slow',
  'differential/shard-2.slow',
  'differential/shard-1.slow',
  'package/vite.slow',
  'package/bundlers.slow',
  'cli/completion.slow',
  'engines/local/torture.slow',
  'derived/check/rebuild',
  'transfer/live-faults.slow',
  'engines/local/full-disk.slow',
  'derived/rollup/histories/histories',
  'derived/check/verify',
  'compilers/type-costs.slow',
  'engines/local/read-only',
  'cli/workloads.slow',
  'simulate/designs.slow',
  'cli/derived.slow',
  'cli/doctor.slow',
  'heat/workloads.slow',
  'derived/copy/protocol/protocol.slow',
  'cli/transfer.slow',
  'compile-errors/compile-errors.slow',
  'transfer/import',
  'heat/page',
  'engines/local/expensive-check.slow',
  'transfer/migrate',
  'transfer/export-resume',
  'simulate/population.slow',
  'derived/together/write-paths',
  'samples.slow',
  'engines/agreement',
  'repository/query/where',
  'compilers/compilers.slow',
  'repository/write/skew.slow',
  'entry-points.slow',
  'transfer/live.slow',
  'engines/bigtable/fidelity',
  'server/streams',
  'engines/limits.slow',
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
