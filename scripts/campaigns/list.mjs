/**
 * The campaigns. Each takes at most an hour on two cores, in rounds of a few minutes: `minutes` are
 * extrapolated from shorter runs on a machine that was busy with other tests. A slice takes up to a
 * minute and a half; its tests with the same variables run in one step.
 *
 * A test that reads RUNS or OPERATIONS belongs to a campaign (test/campaigns checks this).
 */

/** @type {readonly import('./steps.mjs').Campaign[]} */
export const campaigns = [
  {
    name: 'differential',
    about: 'random histories on all engines, our server and the emulator, against an oracle',
    minutes: 45,
    parts: [
      {
        test: 'test/differential/shard',
        slow: true,
        sliceHasMore: true,
        env: { FIRST_SEED: '{seed}', OPERATIONS: 200_000 },
        rounds: 4,
        slice: { OPERATIONS: 12_000 },
      },
    ],
  },
  {
    name: 'agreement',
    about: 'random operations: the results of all engines are equal, byte for byte',
    minutes: 40,
    parts: [{ test: 'test/engines/agreement', env: { RUNS: 150 }, rounds: 8, slice: { RUNS: 15 } }],
  },
  {
    name: 'keys',
    about: 'order, round trips and ranges of keys, of every kind and format',
    minutes: 40,
    parts: [
      { test: 'test/data/key/laws', env: { RUNS: 300 }, rounds: 6, slice: { RUNS: 15 } },
      { test: 'test/data/key/plain-codec', env: { RUNS: 50_000 }, slice: { RUNS: 2000 } },
      { test: 'test/data/key/patterns', env: { RUNS: 100_000 }, slice: { RUNS: 2000 } },
    ],
  },
  {
    name: 'queries',
    about: 'random queries on every back end, against plain JavaScript',
    minutes: 30,
    parts: [
      {
        test: 'test/entities/repository/combinations',
        env: { RUNS: 250 },
        rounds: 6,
        slice: { RUNS: 10 },
      },
      {
        test: 'test/entities/repository/query/where',
        env: { RUNS: 400 },
        rounds: 2,
        slice: { RUNS: 25 },
      },
      {
        test: 'test/entities/repository/collection/collections',
        env: { RUNS: 200 },
        rounds: 2,
        slice: { RUNS: 10 },
      },
      { test: 'test/entities/repository/query/queries', env: { RUNS: 600 } },
      { test: 'test/entities/repository/query/groups', env: { RUNS: 600 }, slice: { RUNS: 25 } },
      { test: 'test/entities/repository/query/floored-times', env: { RUNS: 2000 } },
      { test: 'test/entities/repository/read/hide-expired', slow: true, env: { RUNS: 400 } },
    ],
  },
  {
    name: 'indexes',
    about: 'indexes while requests fail, are lost or late, and programs are killed',
    minutes: 30,
    parts: [
      {
        test: 'test/entities/derived/index/histories/histories',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 2500 },
        rounds: 8,
        slice: { RUNS: 200 },
      },
      {
        test: 'test/entities/derived/index/reads',
        env: { RUNS: 600 },
        rounds: 2,
        slice: { RUNS: 40 },
      },
    ],
  },
  {
    name: 'tenants',
    about: 'tenants that leave, in random layouts of tables, and from programs that are killed',
    minutes: 30,
    parts: [
      {
        test: 'test/entities/repository/scope/random-tenants',
        env: { RUNS: 150 },
        rounds: 4,
        slice: { RUNS: 4 },
      },
      {
        test: 'test/entities/repository/scope/killed-deletion',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 60 },
        rounds: 3,
        slice: { RUNS: 4 },
      },
      { test: 'test/entities/repository/scope/scopes', env: { RUNS: 2000 }, slice: { RUNS: 100 } },
    ],
  },
  {
    name: 'derived',
    about: 'entries that expire, and writes in one transaction beside writes in several requests',
    minutes: 30,
    parts: [
      {
        test: 'test/entities/derived/expiry/histories',
        slow: true,
        env: { RUNS: 2000 },
        rounds: 3,
        slice: { RUNS: 30 },
      },
      {
        test: 'test/entities/derived/write-at-once',
        slow: true,
        env: { RUNS: 1000 },
        rounds: 4,
        slice: { RUNS: 30 },
      },
      {
        test: 'test/entities/derived/write-batches',
        slow: true,
        env: { RUNS: 1000 },
        rounds: 4,
        slice: { RUNS: 30 },
      },
    ],
  },
  {
    name: 'copies',
    about: 'copied values while requests fail, are lost or late, and programs are killed',
    minutes: 40,
    parts: [
      {
        test: 'test/entities/derived/copy/histories/histories',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 2500 },
        rounds: 6,
        slice: { RUNS: 100 },
      },
    ],
  },
  {
    name: 'rollups',
    about: 'rollups while requests fail, are lost or late, and programs are killed',
    minutes: 40,
    parts: [
      {
        test: 'test/entities/derived/rollup/histories',
        env: { RUNS: 300 },
        rounds: 10,
        slice: { RUNS: 25 },
      },
      { test: 'test/entities/derived/rollup/concurrent', env: { RUNS: 50 } },
      {
        test: 'test/entities/derived/rollup/damage',
        env: { RUNS: 400 },
        rounds: 3,
        slice: { RUNS: 25 },
      },
    ],
  },
  {
    name: 'pairs',
    about: 'pairs and triples of features while requests fail, are lost or late, and programs stop',
    minutes: 40,
    parts: [
      {
        test: 'test/pairs/pairs',
        slow: true,
        env: { RUNS: 4000 },
        rounds: 6,
        slice: { RUNS: 200 },
      },
    ],
  },
  {
    name: 'interleavings',
    about: 'every interleaving of writes, rollups, builds, copies and propagations',
    minutes: 45,
    parts: [
      // 18 are all of them.
      {
        test: 'test/entities/derived/copy/protocol',
        slow: true,
        env: { RUNS: 18 },
        slice: { RUNS: 2 },
      },
      {
        test: 'test/entities/derived/rollup/protocol',
        slow: true,
        env: { RUNS: 40 },
        slice: { RUNS: 1 },
      },
    ],
  },
  {
    name: 'versions',
    about: 'revisions and counters: random histories of several writers, while storage fails',
    minutes: 20,
    parts: [
      {
        test: 'test/entities/repository/revisions/histories',
        env: { RUNS: 6000 },
        rounds: 4,
        slice: { RUNS: 250 },
      },
      {
        test: 'test/entities/repository/counters/histories',
        env: { RUNS: 4000 },
        rounds: 4,
        slice: { RUNS: 250 },
      },
    ],
  },
  {
    name: 'bytes',
    about: 'qualifiers, requests, the write buffer on disk, snapshots, factories, printed rows',
    minutes: 20,
    parts: [
      { test: 'test/data/key/qualifiers', env: { RUNS: 10_000 }, slice: { RUNS: 300 } },
      {
        test: 'test/engines/protocol/mutate-rows',
        slow: true,
        env: { RUNS: 20_000 },
        slice: { RUNS: 1000 },
      },
      { test: 'test/engines/protocol/chunk', env: { RUNS: 20_000 }, slice: { RUNS: 1000 } },
      { test: 'test/server/random-bytes', env: { RUNS: 500 }, slice: { RUNS: 25 } },
      { test: 'test/tools/testing/test-database', env: { RUNS: 500 }, slice: { RUNS: 25 } },
      { test: 'test/tools/testing/factory-property', env: { RUNS: 500 }, slice: { RUNS: 25 } },
      { test: 'test/engines/local/table-store', env: { RUNS: 2000 }, slice: { RUNS: 60 } },
      { test: 'test/engines/local/tables', env: { RUNS: 1000 }, slice: { RUNS: 50 } },
      {
        test: 'test/engines/local/merge-policy',
        slow: true,
        env: { RUNS: 10_000 },
        slice: { RUNS: 500 },
      },
      {
        test: 'test/engines/local/failing-calls',
        slow: true,
        env: { RUNS: 200 },
        slice: { RUNS: 10 },
      },
      { test: 'test/engines/local/prepared-rows', env: { RUNS: 3000 }, slice: { RUNS: 50 } },
      { test: 'test/engines/local/presence', slow: true, env: { RUNS: 1000 }, slice: { RUNS: 50 } },
      { test: 'test/cli/rows/round-trip', env: { RUNS: 400 }, slice: { RUNS: 50 } },
    ],
  },
  {
    name: 'live-faults',
    about: 'live reads and writes over a faulty server and network',
    minutes: 30,
    parts: [
      {
        test: 'test/engines/bigtable/faulty-scans',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 20_000 },
        rounds: 3,
        slice: { RUNS: 1000 },
      },
      {
        test: 'test/engines/bigtable/faulty-writes',
        slow: true,
        env: { RUNS: 20_000 },
        rounds: 3,
        slice: { RUNS: 1000 },
      },
    ],
  },
  {
    name: 'declarations',
    about: 'changed entities over stored rows, the lock file, guesses of `pull`, messages, JSON',
    minutes: 15,
    parts: [
      {
        test: 'test/entities/mapping/evolving-columns',
        env: { RUNS: 4000 },
        rounds: 4,
        slice: { RUNS: 200 },
      },
      { test: 'test/data/cell/message-laws', env: { RUNS: 3000 }, rounds: 2, slice: { RUNS: 200 } },
      { test: 'test/data/cell/message-hostile', env: { RUNS: 5000 } },
      { test: 'test/tools/codegen/static-', env: { RUNS: 1500 } },
      {
        test: 'test/entities/repository/entity/json',
        env: { RUNS: 6000 },
        rounds: 2,
        slice: { RUNS: 1000 },
      },
      { test: 'test/tools/schema/lock', env: { RUNS: 8000 }, rounds: 4, slice: { RUNS: 200 } },
      {
        test: 'test/cli/pull-guesses',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 3000 },
        rounds: 4,
        slice: { RUNS: 300 },
      },
    ],
  },
  {
    name: 'languages',
    about: 'keys and rows of random entities that generated code and TypeScript write and read',
    minutes: 15,
    parts: [
      {
        test: 'test/languages/random-rows',
        languages: true,
        env: { RUNS: 50 },
        rounds: 2,
        slice: { RUNS: 4 },
      },
      { test: 'test/languages/python-keys', languages: true, env: { ENTITIES: 300 } },
      { test: 'test/languages/go-keys', languages: true, env: { ENTITIES: 300 } },
      { test: 'test/languages/java-keys', languages: true, env: { ENTITIES: 300 } },
    ],
  },
  {
    name: 'transfer',
    about: 'imports, exports and migrations that fail and resume',
    minutes: 20,
    parts: [
      {
        test: 'test/tools/transfer/round-trip',
        env: { RUNS: 500 },
        rounds: 3,
        slice: { RUNS: 15 },
      },
      {
        test: 'test/tools/transfer/export-resume',
        env: { RUNS: 100 },
        rounds: 3,
        slice: { RUNS: 15 },
      },
      { test: 'test/tools/transfer/migrate', env: { RUNS: 200 }, rounds: 3, slice: { RUNS: 15 } },
      {
        test: 'test/tools/transfer/csv-records',
        env: { RUNS: 20_000 },
        rounds: 3,
        slice: { RUNS: 1000 },
      },
    ],
  },
  {
    name: 'damage',
    about: 'damaged files, full disks, races of processes and compactions of large values',
    minutes: 40,
    parts: [
      {
        test: 'test/engines/local/damage',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 1500 },
        rounds: 2,
        slice: { RUNS: 50 },
      },
      {
        test: 'test/engines/local/read-only',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 1500 },
        rounds: 2,
        slice: { RUNS: 50 },
      },
      {
        test: 'test/engines/local/full-disk',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 40 },
        rounds: 2,
        slice: { RUNS: 2 },
      },
      { test: 'test/engines/local/one-owner', env: { RUNS: 100 } },
      // Every flush.
      { test: 'test/engines/local/power-loss', env: { RUNS: 3 } },
      { test: 'test/engines/local/compact', env: { RUNS: 120 } },
    ],
  },
  {
    name: 'advice',
    about: 'random workloads: the recommended keys and the alternatives, run for real',
    minutes: 10,
    parts: [
      {
        test: 'test/tools/simulate/random',
        slow: true,
        sliceHasMore: true,
        env: { RUNS: 50 },
        rounds: 4,
        slice: { RUNS: 3 },
      },
    ],
  },
  torture('storm', 'processes killed while they write, compact, open and close', 15, 1600, 40),
  torture('power', 'power losses at recorded calls', 10, 2000, 40),
  torture('corruption', 'damaged manifests, tables and logs', 45, 3600, 40),
  torture('full-disk', 'limits of files and space, and every call that fails', 35, 60, 1),
  torture('compact', 'compactions with large values while they are written', 15, 800, 9),
  torture('steps', 'a process killed at each call that changes a file', 15, 1600, 20),
  torture('stops', 'an owner stopped at each such call, and taken over', 25, 800, 12),
  torture('copies', 'directories copied beside writers', 10, 400, 20),
  torture('races', 'eight processes open one directory', 10, 1600, 30),
  {
    name: 'mutants',
    about: 'small wrong changes of the sources, which the tests must notice',
    minutes: 60,
    parts: [
      {
        script: 'scripts/mutants.mjs',
        args: ['--chosen', '--jobs', '2'],
        slice: ['--chosen', '--count', '4', '--seed', '{seed}'],
      },
      {
        script: 'scripts/mutants.mjs',
        args: ['--drawn', '--jobs', '2', '--seed', '{seed}'],
      },
    ],
  },
  {
    name: 'installs',
    about: 'the whole matrix of installs, from the network',
    minutes: 15,
    section: 'installs',
    parts: [{ script: 'scripts/installs.mjs', slice: ['--ci'] }],
  },
  {
    name: 'nodes',
    about: 'every supported version of Node',
    minutes: 10,
    section: 'nodes',
    parts: [{ script: 'scripts/node-matrix.mjs', slice: ['--others'] }],
  },
];

/**
 * A scenario of scripts/torture.mjs, in four rounds.
 *
 * @param {string} scenario @param {string} about @param {number} minutes
 * @param {number} trials Of the campaign. @param {number} sliceTrials
 * @returns {import('./steps.mjs').Campaign}
 */
function torture(scenario, about, minutes, trials, sliceTrials) {
  /** @param {number} count */
  const args = (count) => [scenario, '--rounds', `${count}`, '--seed', '{seed}'];
  return {
    name: `torture-${scenario}`,
    about: `the engine on disk: ${about}`,
    minutes,
    parts: [
      {
        script: 'scripts/torture.mjs',
        args: args(trials / 4),
        rounds: 4,
        slice: args(sliceTrials),
      },
    ],
  };
}
