/**
 * More suites of folders of `src/`, for drawn mutants that no quick suite notices: slow ones, and those
 * of the command, which runs in threads. How paths of sources begin, and what Jest takes; the longest
 * beginning counts.
 */

/** @type {Readonly<Record<string, readonly string[]>>} */
export const folderSuites = {
  'src/data/key/': ['test/data/key/shards.slow'],
  'src/entities/mapping/': ['test/entities/mapping/large-values.slow'],
  'src/entities/derived/': ['test/entities/derived/(requests|write-at-once|write-batches).slow'],
  'src/entities/derived/protocol/': [
    'test/entities/derived/(requests|protocol/protocol|write-at-once|write-batches).slow',
    'test/entities/derived/rollup/protocol/collection.slow',
  ],
  'src/entities/derived/write/': [
    'test/entities/derived/(requests|write-at-once|write-batches).slow',
  ],
  'src/entities/derived/check/': ['test/entities/derived/check/.*\\.slow'],
  'src/entities/derived/copy/': [
    'test/entities/derived/copy/protocol/protocol.slow',
    'test/pairs/.*\\.slow',
  ],
  'src/entities/derived/source/': [
    'test/entities/derived/copy/protocol/protocol.slow',
    'test/pairs/.*\\.slow',
  ],
  'src/entities/derived/rollup/': [
    'test/entities/derived/rollup/protocol/(collection|readers|sabotage|whole).slow',
    'test/pairs/.*\\.slow',
  ],
  'src/entities/derived/index/': ['test/entities/derived/expiry/.*\\.slow', 'test/pairs/.*\\.slow'],
  'src/engines/local/': [
    'test/cli/gc/compact.slow',
    'test/engines/local/(close|collected-merges|large-values|merge-policy|merges-on-disk|presence).slow',
  ],
  'src/engines/local/kv/': [
    'test/engines/local/(close|collected-merges|large-values|merge-policy|merges-on-disk|power-loss|presence).slow',
  ],
  'src/engines/local/kv/log/': [
    'test/engines/local/(close|failing-calls|large-values|log-crash|buffer-order|write-log-damage).slow',
  ],
  'src/engines/local/kv/tables/': [
    'test/engines/local/(buffer-order|collected-merges|large-values|many-scans|merges-on-disk|presence).slow',
  ],
  'src/engines/local/kv/readonly/': [
    'test/engines/local/(conformance-read-only|read-only-damage|media-read-only).slow',
  ],
  'src/engines/local/kv/directory/': [
    'test/engines/local/(claim-steps|close|compact|damage|failing-calls|full-disk|lazy|one-owner).slow',
  ],
  'src/engines/bigtable/': [
    'test/engines/bigtable/(connect|conformance-generated|exact-bytes|faulty-writes|fidelity|read-flow|routing-cookies).slow',
  ],
  'src/engines/protocol/': ['test/engines/protocol/mutate-rows.slow'],
  'src/tools/heat/': ['test/tools/heat/(collect|file|findings|heatmap|patterns|rates|record).slow'],
  'src/entities/repository/delete-all/': [
    'test/entities/repository/scope/(delete-all|killed-deletion).slow',
  ],
  'src/entities/repository/read/': ['test/entities/repository/read/(hide-expired|scans).slow'],
  'src/entities/repository/schema-plan/': ['test/entities/repository/schema-plan/apply-plan.slow'],
  'src/entities/repository/write/': ['test/entities/repository/write/(bulk-write|silence).slow'],
  'src/tools/codegen/': ['test/cli/(project|pull).slow'],
  'src/tools/transfer/': [
    'test/tools/transfer/(import|import-position|import-resume).slow',
    'test/cli/(export-query|transfer).slow',
  ],
  'src/server/': ['test/server/(idempotency|request-fields/request-fields).slow'],
  'src/tools/simulate/': ['test/tools/simulate/.*\\.slow', 'test/cli/workloads.slow'],
  'src/tools/conformance/': ['test/tools/conformance/.*\\.slow'],
  'src/tools/testing/': ['test/tools/testing/factory.slow'],
  'src/tools/studio/': [
    'test/tools/studio/(back-ends|large|simulate|transfers).slow',
    'test/tools/studio/page/(changes|data|hostile|slow-back-end).slow',
  ],
  'src/tools/studio/page/': [
    'test/tools/studio/page/(changes|data|demo|hostile|keyboard|rules|slow-back-end).slow',
  ],
  'src/tools/page/': ['test/tools/heat/page.slow', 'test/tools/studio/simulate.slow'],
  'src/tools/gc/': ['test/cli/gc/.*\\.slow'],
  'src/tools/vite/': ['test/(compilers/compilers|package/vite).slow'],
  'src/cli/': ['test/cli/', 'test/cli/(derived|doctor|pull|seed|transfer|words).slow'],
  'src/cli/commands/rows/': ['test/cli/rows/', 'test/cli/rows/.*\\.slow'],
  'src/cli/completion/': ['test/cli/completion.slow'],
  'src/cli/commands/completion/': ['test/cli/completion.slow'],
  'src/cli/commands/derived/': ['test/cli/derived.slow'],
  'src/cli/commands/doctor/': ['test/cli/doctor.slow'],
  'src/cli/commands/files/': ['test/cli/backup', 'test/cli/transfer.slow'],
  'src/cli/commands/gc/': ['test/cli/gc/', 'test/cli/gc/(compact|gc-samples).slow'],
  'src/cli/commands/heatmap/': ['test/tools/heat/(heatmap|page|picture).slow'],
  'src/cli/commands/generate/': ['test/cli/(generate|new-directory)'],
  'src/cli/commands/init/': ['test/cli/(init|new-directory)'],
  'src/cli/commands/lint/': ['test/cli/lint'],
  'src/cli/commands/load/': ['test/cli/load', 'test/cli/workloads.slow'],
  'src/cli/commands/transfer/': ['test/cli/undecodable/', 'test/cli/(export-query|transfer).slow'],
  'src/tools/pull/': ['test/cli/(pull|pull-guesses).slow'],
  'src/cli/commands/schema/': ['test/cli/schema', 'test/cli/evolution.slow'],
  'src/cli/commands/simulate/': ['test/cli/workloads.slow'],
  'src/cli/commands/verify-live/': ['test/cli/verify-live', 'test/cli/verify-live.slow'],
  'src/cli/project/': [
    'test/cli/(boundaries|generate|new-directory|options)',
    'test/cli/project.slow',
  ],
};
