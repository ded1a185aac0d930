/** The tests of each area of `src/`: quick ones, and a wider set for what these do not notice. */

/** Suites that use most of the library, in about half a minute. */
const whole = [
  'test/entities/repository/(combinations|query|write|read|entity|database)/',
  'test/entities/derived/(index|rollup|together)/write-paths',
  'test/engines/agreement',
];

/** @param {string} source @param {readonly string[]} tests @param {readonly string[]} wider */
const area = (source, tests, wider = whole) => ({ source, tests, wider });

/** @type {readonly import('./area-of.mjs').Area[]} */
export const areas = [
  area('src/', ['test/entities/repository/database/']),
  area('src/base/errors.ts', ['test/base/errors', 'test/entities/model/faults']),
  area('src/base/', ['test/base/', 'test/base/bytes/', 'test/data/store/', 'test/data/key/']),
  area('src/base/bytes/', ['test/base/bytes/', 'test/data/key/', 'test/entities/query/']),
  area(
    'src/data/key/',
    ['test/data/key/', 'test/entities/query/'],
    ['test/data/key/shards.slow', 'test/entities/repository/query/', 'test/cli/rows/'],
  ),
  area(
    'src/data/cell/',
    ['test/data/cell/', 'test/entities/mapping/'],
    ['test/entities/repository/entity/', 'test/tools/codegen/'],
  ),
  area('src/data/text/', [
    'test/entities/repository/entity/',
    'test/tools/transfer/',
    'test/cli/rows/',
  ]),
  area('src/data/store/', ['test/data/store/', 'test/engines/memory', 'test/engines/protocol/']),
  area(
    'src/entities/model/',
    ['test/entities/model/', 'test/tools/schema/'],
    ['test/entities/mapping/', 'test/entities/derived/index/', ...whole],
  ),
  area(
    'src/entities/mapping/',
    ['test/entities/mapping/', 'test/entities/repository/(entity|write)/'],
    ['test/entities/mapping/large-values.slow', ...whole],
  ),
  area('src/entities/query/', [
    'test/entities/query/',
    'test/entities/repository/query/',
    'test/entities/repository/combinations/',
  ]),
  area(
    'src/entities/derived/',
    ['test/entities/derived/(format|pending|write)', 'test/entities/derived/(protocol|together)/'],
    ['test/entities/derived/(requests|write-at-once|write-batches).slow', ...whole],
  ),
  area(
    'src/entities/derived/protocol/',
    ['test/entities/derived/(format|pending|write)', 'test/entities/derived/(protocol|together)/'],
    ['test/entities/derived/(requests|protocol/protocol|write-at-once|write-batches).slow'],
  ),
  area(
    'src/entities/derived/write/',
    ['test/entities/derived/(format|pending|write)', 'test/entities/derived/(protocol|together)/'],
    [
      'test/entities/derived/copy/[^/]+$',
      'test/entities/derived/(requests|write-at-once|write-batches).slow',
      ...whole,
    ],
  ),
  area(
    'src/entities/derived/check/',
    [
      'test/entities/derived/(check|admin)/',
      'test/entities/derived/(rollup|together)/(verify|boundaries)',
    ],
    [
      'test/entities/derived/(copy|rollup|index|together)/[^/]+$',
      'test/entities/derived/check/.*\\.slow',
    ],
  ),
  area(
    'src/entities/derived/copy/',
    ['test/entities/derived/copy/[^/]+$'],
    [
      'test/entities/derived/copy/protocol/protocol.slow',
      'test/entities/derived/together/',
      'test/pairs/.*\\.slow',
    ],
  ),
  area(
    'src/entities/derived/source/',
    ['test/entities/derived/copy/[^/]+$'],
    [
      'test/entities/derived/copy/protocol/protocol.slow',
      'test/entities/derived/together/',
      'test/pairs/.*\\.slow',
    ],
  ),
  area(
    'src/entities/derived/rollup/',
    ['test/entities/derived/rollup/[^/]+$', 'test/entities/derived/write-'],
    [
      'test/entities/derived/(together|protocol)/',
      'test/entities/derived/rollup/protocol/',
      'test/entities/derived/rollup/protocol/(collection|readers|sabotage|whole).slow',
      'test/pairs/.*\\.slow',
    ],
  ),
  area(
    'src/entities/derived/index/',
    ['test/entities/derived/(index|expiry)/[^/]+$', 'test/entities/derived/write-'],
    [
      'test/entities/derived/(together|protocol)/',
      'test/entities/derived/index/histories/',
      'test/entities/derived/expiry/.*\\.slow',
      'test/pairs/.*\\.slow',
    ],
  ),
  area('src/tools/lint/', ['test/tools/lint/'], ['test/cli/lint']),
  area('src/engines/', [
    'test/engines/(memory|bad-input|wrong-types)',
    'test/entities/repository/database/',
  ]),
  area(
    'src/engines/local/',
    [
      'test/engines/(memory|bad-input)',
      'test/engines/local/(boundaries|many|pending|presence|transactions)',
    ],
    [
      'test/engines/(disk|agreement)',
      'test/engines/local/',
      'test/engines/local/(close|collected-merges|large-values|merge-policy|merges-on-disk|presence).slow',
      'test/fidelity/',
    ],
  ),
  area(
    'src/engines/local/kv/',
    ['test/engines/(disk|memory)', 'test/engines/local/(checksum|existing|table-store|write)'],
    [
      'test/engines/local/',
      'test/engines/local/(close|collected-merges|large-values|merge-policy|merges-on-disk|power-loss|presence).slow',
      ...whole,
    ],
  ),
  area(
    'src/engines/local/kv/log/',
    ['test/engines/disk', 'test/engines/local/(write|boundaries)'],
    [
      'test/engines/local/',
      'test/engines/local/(close|failing-calls|large-values|log-crash|buffer-order|write-log-damage).slow',
    ],
  ),
  area(
    'src/engines/local/kv/tables/',
    ['test/engines/(disk|memory)', 'test/engines/local/(table-store|many|skip)'],
    [
      'test/engines/local/',
      'test/engines/local/(buffer-order|collected-merges|large-values|many-scans|merges-on-disk|presence).slow',
    ],
  ),
  area(
    'src/engines/local/kv/readonly/',
    ['test/engines/local/read-only'],
    [
      'test/engines/local/(conformance-read-only|read-only-damage|media-read-only).slow',
      'test/cli/read-only',
    ],
  ),
  area(
    'src/engines/local/kv/directory/',
    ['test/engines/disk', 'test/engines/local/disk'],
    [
      'test/engines/local/(claim-steps|close|compact|damage|failing-calls|full-disk|lazy|one-owner).slow',
    ],
  ),
  area(
    'src/engines/bigtable/',
    ['test/engines/bigtable/'],
    [
      'test/engines/bigtable/(connect|conformance-generated|exact-bytes|faulty-writes|fidelity|read-flow|routing-cookies).slow',
      'test/entities/repository/database/client',
      'test/fidelity/',
      'test/engines/(agreement|bad-input)',
      'test/server/',
    ],
  ),
  area(
    'src/engines/protocol/',
    ['test/engines/protocol/', 'test/engines/bigtable/conformance', 'test/server/'],
    ['test/engines/protocol/mutate-rows.slow'],
  ),
  area('src/engines/observe/', ['test/engines/observe/']),
  area(
    'src/tools/heat/',
    ['test/tools/heat/'],
    ['test/tools/heat/(collect|file|rates|record).slow', 'test/cli/'],
  ),
  area('src/entities/repository/', [
    'test/entities/repository/(query|read|write|entity|database|views)/',
  ]),
  area('src/entities/repository/aggregate/', ['test/entities/repository/(aggregate|query)/']),
  area('src/entities/repository/collection/', [
    'test/entities/repository/(collection|combinations)/',
  ]),
  area('src/entities/repository/counters/', ['test/entities/repository/counters/']),
  area('src/entities/repository/database/', [
    'test/entities/repository/(database|schema-plan|scope)/',
  ]),
  area(
    'src/entities/repository/delete-all/',
    ['test/entities/repository/scope/'],
    ['test/entities/repository/scope/(delete-all|killed-deletion).slow'],
  ),
  area('src/entities/repository/derived/', ['test/entities/derived/(index|rollup|admin|check)/']),
  area('src/entities/repository/managed/', ['test/entities/repository/(revisions|write)/']),
  area(
    'src/entities/repository/read/',
    ['test/entities/repository/(read|query|requests|combinations|collection)/'],
    ['test/entities/repository/read/(hide-expired|scans).slow', ...whole],
  ),
  area(
    'src/entities/repository/schema-plan/',
    ['test/entities/repository/(schema-plan|database)/'],
    ['test/cli/', 'test/entities/repository/schema-plan/apply-plan.slow'],
  ),
  area('src/entities/repository/scope/', ['test/entities/repository/scope/']),
  area(
    'src/entities/repository/write/',
    ['test/entities/repository/(write|revisions|database)/'],
    ['test/entities/repository/write/(bulk-write|silence).slow', ...whole],
  ),
  area(
    'src/tools/codegen/',
    ['test/tools/codegen/', 'test/cli/(generate|init)'],
    ['test/cli/(project|pull).slow'],
  ),
  area('src/tools/schema/', [
    'test/tools/schema/',
    'test/cli/schema',
    'test/entities/repository/schema-plan/',
  ]),
  area(
    'src/tools/transfer/',
    ['test/tools/transfer/'],
    [
      'test/tools/transfer/(import|import-position|import-resume).slow',
      'test/cli/(export-query|transfer).slow',
    ],
  ),
  area(
    'src/server/',
    ['test/server/'],
    [
      'test/fidelity/',
      'test/engines/bigtable/conformance',
      'test/server/(idempotency|request-fields/request-fields).slow',
    ],
  ),
  area(
    'src/tools/simulate/',
    ['test/tools/simulate/'],
    ['test/tools/simulate/.*\\.slow', 'test/cli/load', 'test/cli/workloads.slow'],
  ),
  area(
    'src/tools/conformance/',
    ['test/tools/conformance/', 'test/engines/memory'],
    ['test/engines/disk', 'test/tools/conformance/.*\\.slow'],
  ),
  area(
    'src/tools/testing/',
    ['test/tools/testing/'],
    [
      'test/tools/testing/factory.slow',
      'test/entities/derived/index/',
      'test/entities/derived/rollup/',
    ],
  ),
  area(
    'src/tools/studio/',
    ['test/tools/studio/[^/]+$'],
    [
      'test/tools/studio/(back-ends|large|simulate|transfers).slow',
      'test/tools/studio/page/(changes|data|hostile|slow-back-end).slow',
    ],
  ),
  area(
    'src/tools/studio/page/',
    ['test/tools/studio/page/'],
    ['test/tools/studio/page/(changes|data|demo|hostile|keyboard|rules|slow-back-end).slow'],
  ),
  area(
    'src/tools/page/',
    ['test/tools/page/'],
    ['test/tools/heat/page.slow', 'test/tools/studio/simulate.slow'],
  ),
  area('src/tools/gc/', ['test/cli/gc/'], ['test/cli/gc/.*\\.slow']),
  area('src/tools/rows/', ['test/tools/rows/', 'test/cli/rows/', 'test/tools/studio/[^/]+$']),
  area('src/tools/values/', ['test/tools/values/'], ['test/tools/(testing|simulate)/']),
  area('src/tools/vite/', ['test/package/'], ['test/(compilers/compilers|package/vite).slow']),
  area('src/tools/nest/', ['test/tools/nest/']),
  area(
    'src/cli/',
    ['test/cli/(boundaries|options|parsing|run|read-only)'],
    ['test/cli/', 'test/cli/(derived|doctor|pull|seed|transfer|words).slow'],
  ),
  area(
    'src/cli/commands/rows/',
    ['test/cli/rows/', 'test/cli/(boundaries|options|parsing)'],
    ['test/cli/rows/.*\\.slow'],
  ),
  area(
    'src/cli/completion/',
    ['test/cli/(completion-names|parsing)'],
    ['test/cli/completion.slow'],
  ),
  area('src/cli/commands/completion/', ['test/cli/(run|parsing)'], ['test/cli/completion.slow']),
  area('src/cli/commands/derived/', ['test/cli/options'], ['test/cli/derived.slow']),
  area('src/cli/commands/doctor/', ['test/cli/run'], ['test/cli/doctor.slow']),
  area('src/cli/commands/files/', ['test/cli/backup'], ['test/cli/', 'test/cli/transfer.slow']),
  area(
    'src/cli/commands/gc/',
    ['test/cli/gc/', 'test/cli/options'],
    ['test/cli/gc/(compact|gc-samples).slow'],
  ),
  area('src/cli/commands/generate/', ['test/cli/(generate|new-directory)']),
  area(
    'src/cli/commands/heatmap/',
    ['test/cli/run'],
    ['test/tools/heat/(heatmap|page|picture).slow'],
  ),
  area('src/cli/commands/init/', ['test/cli/(init|new-directory)']),
  area('src/cli/commands/lint/', ['test/cli/lint']),
  area('src/cli/commands/load/', ['test/cli/load'], ['test/cli/workloads.slow']),
  area(
    'src/cli/commands/transfer/',
    ['test/cli/undecodable/'],
    ['test/cli/(export-query|transfer).slow'],
  ),
  area('src/tools/pull/', ['test/cli/boundaries'], ['test/cli/(pull|pull-guesses).slow']),
  area('src/cli/commands/rows/', ['test/cli/rows/', 'test/cli/(boundaries|escape)'], ['test/cli/']),
  area('src/cli/commands/schema/', ['test/cli/schema'], ['test/cli/evolution.slow']),
  area('src/cli/commands/simulate/', ['test/cli/run'], ['test/cli/workloads.slow']),
  area('src/cli/commands/verify-live/', ['test/cli/verify-live'], ['test/cli/verify-live.slow']),
  area(
    'src/cli/project/',
    ['test/cli/(boundaries|generate|new-directory|options)'],
    ['test/cli/project.slow'],
  ),
  area('src/cli/terminal/', ['test/cli/(escape|progress|run|table|text-diff)'], ['test/cli/']),
];
