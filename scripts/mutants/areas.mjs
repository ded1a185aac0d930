/** The tests of each area of `src/`: quick ones, and a wider set for what these do not notice. */

/** Suites that use most of the library, in about half a minute. */
const whole = [
  'test/repository/(combinations|query|write|read|entity|database)/',
  'test/derived/(index|rollup|together)/write-paths',
  'test/engines/agreement',
];

/** @param {string} source @param {readonly string[]} tests @param {readonly string[]} wider */
const area = (source, tests, wider = whole) => ({ source, tests, wider });

/** @type {readonly import('./area-of.mjs').Area[]} */
export const areas = [
  area('src/', ['test/repository/database/']),
  area('src/errors.ts', ['test/errors', 'test/model/faults']),
  area('src/base/', ['test/base/', 'test/bytes/', 'test/store/', 'test/key/']),
  area('src/bytes/', ['test/bytes/', 'test/key/', 'test/query/']),
  area('src/key/', ['test/key/', 'test/query/'], ['test/repository/query/', 'test/cli/rows/']),
  area('src/cell/', ['test/cell/', 'test/mapping/'], ['test/repository/entity/', 'test/codegen/']),
  area('src/text/', ['test/repository/entity/', 'test/transfer/', 'test/cli/rows/']),
  area('src/store/', ['test/store/', 'test/engines/memory', 'test/protocol/']),
  area(
    'src/model/',
    ['test/model/', 'test/schema/'],
    ['test/mapping/', 'test/derived/index/', ...whole],
  ),
  area('src/mapping/', ['test/mapping/', 'test/repository/(entity|write)/']),
  area('src/query/', ['test/query/', 'test/repository/query/', 'test/repository/combinations/']),
  area('src/derived/', [
    'test/derived/(requests|format|write)',
    'test/derived/(protocol|together)/',
  ]),
  area(
    'src/derived/check/',
    ['test/derived/(check|admin)/', 'test/derived/(rollup|together)/(verify|boundaries)'],
    ['test/derived/(copy|rollup|index|together)/[^/]+$'],
  ),
  area(
    'src/derived/copy/',
    ['test/derived/copy/[^/]+$'],
    ['test/derived/copy/protocol/', 'test/derived/together/', 'test/pairs/'],
  ),
  area(
    'src/derived/source/',
    ['test/derived/copy/[^/]+$'],
    ['test/derived/copy/protocol/', 'test/derived/together/', 'test/pairs/'],
  ),
  area(
    'src/derived/rollup/',
    ['test/derived/rollup/[^/]+$', 'test/derived/write-'],
    ['test/derived/(together|protocol)/', 'test/derived/rollup/protocol/', 'test/pairs/'],
  ),
  area(
    'src/derived/index/',
    ['test/derived/(index|expiry)/[^/]+$', 'test/derived/write-'],
    ['test/derived/(together|protocol)/', 'test/derived/index/histories/', 'test/pairs/'],
  ),
  area('src/lint/', ['test/lint/'], ['test/cli/lint']),
  area('src/engines/', [
    'test/engines/(memory|bad-input|wrong-types)',
    'test/repository/database/',
  ]),
  area(
    'src/engines/local/',
    ['test/engines/(memory|bad-input)', 'test/engines/local/(boundaries|many|pending|presence)'],
    ['test/engines/(disk|agreement)', 'test/engines/local/', 'test/fidelity/'],
  ),
  area('src/engines/local/kv/', ['test/engines/disk', 'test/engines/local/'], whole),
  area(
    'src/engines/local/kv/log/',
    ['test/engines/disk', 'test/engines/local/(write|boundaries|failing|large)'],
    ['test/engines/local/', 'test/engines/local/(log-crash|buffer-order|followed-log).slow'],
  ),
  area(
    'src/engines/local/kv/block/',
    ['test/engines/(disk|memory)', 'test/engines/local/(block|many|large|skip)'],
    ['test/engines/local/', 'test/engines/local/buffer-order.slow'],
  ),
  area(
    'src/engines/local/kv/readonly/',
    ['test/engines/local/read-only'],
    ['test/engines/local/(read-only-damage|followed-log).slow', 'test/cli/read-only'],
  ),
  area(
    'src/engines/local/kv/disk/',
    ['test/engines/disk', 'test/engines/local/(claim|close|disk|failing|large|lazy|lmdb|one)'],
    ['test/engines/local/(compact|damage|full-disk|expensive-check).slow'],
  ),
  area(
    'src/engines/bigtable/',
    ['test/engines/bigtable/'],
    ['test/fidelity/', 'test/engines/(agreement|bad-input)', 'test/server/'],
  ),
  area('src/protocol/', ['test/protocol/', 'test/engines/bigtable/conformance', 'test/server/']),
  area('src/observe/', ['test/observe/']),
  area('src/heat/', ['test/heat/'], ['test/heat/.*slow', 'test/cli/']),
  area('src/repository/', ['test/repository/(query|read|write|entity|database)/']),
  area('src/repository/aggregate/', ['test/repository/(aggregate|query)/']),
  area('src/repository/collection/', ['test/repository/(collection|combinations)/']),
  area('src/repository/counters/', ['test/repository/counters/']),
  area('src/repository/database/', ['test/repository/(database|schema-plan|scope)/']),
  area('src/repository/delete-all/', ['test/repository/scope/']),
  area('src/repository/derived/', ['test/derived/(index|rollup|admin|check)/']),
  area('src/repository/managed/', ['test/repository/(revisions|write)/']),
  area('src/repository/read/', ['test/repository/(read|query|combinations|collection)/']),
  area('src/repository/schema-plan/', ['test/repository/(schema-plan|database)/'], ['test/cli/']),
  area('src/repository/scope/', ['test/repository/scope/']),
  area('src/repository/write/', ['test/repository/(write|revisions|database)/']),
  area(
    'src/codegen/',
    ['test/codegen/', 'test/cli/(generate|init|pull)'],
    ['test/cli/project.slow'],
  ),
  area('src/schema/', [
    'test/schema/',
    'test/cli/(schema|evolution)',
    'test/repository/schema-plan/',
  ]),
  area('src/transfer/', ['test/transfer/', 'test/cli/export-query'], ['test/cli/transfer.slow']),
  area('src/server/', ['test/server/'], ['test/fidelity/', 'test/engines/bigtable/conformance']),
  area('src/simulate/', ['test/simulate/'], ['test/simulate/.*slow', 'test/cli/(workloads|load)']),
  area('src/testing/', ['test/testing/'], ['test/derived/index/', 'test/derived/rollup/']),
  area('src/vite/', ['test/compilers/'], ['test/package/']),
  area(
    'src/cli/',
    ['test/cli/(boundaries|options|parsing|run|read-only)'],
    ['test/cli/', 'test/cli/(derived|transfer|doctor).slow'],
  ),
  area('src/cli/completion/', ['test/cli/(run|parsing)'], ['test/cli/completion.slow']),
  area('src/cli/commands/completion/', ['test/cli/(run|parsing)'], ['test/cli/completion.slow']),
  area('src/cli/commands/doctor/', ['test/cli/run'], ['test/cli/doctor.slow']),
  area('src/cli/commands/gc/', ['test/cli/gc/', 'test/cli/run']),
  area('src/cli/commands/generate/', ['test/cli/(generate|new-directory)']),
  area('src/cli/commands/heatmap/', ['test/heat/page'], ['test/heat/heatmap.slow']),
  area('src/cli/commands/init/', ['test/cli/(init|new-directory)']),
  area('src/cli/commands/lint/', ['test/cli/lint']),
  area('src/cli/commands/load/', ['test/cli/load'], ['test/cli/workloads.slow']),
  area('src/cli/commands/pull/', ['test/cli/(boundaries|pull)'], ['test/cli/pull-guesses.slow']),
  area('src/cli/commands/rows/', ['test/cli/rows/', 'test/cli/(boundaries|escape)'], ['test/cli/']),
  area('src/cli/commands/schema/', ['test/cli/(evolution|schema)']),
  area('src/cli/commands/simulate/', ['test/cli/run'], ['test/cli/workloads.slow']),
  area(
    'src/cli/project/',
    ['test/cli/(generate|new-directory|options)'],
    ['test/cli/project.slow'],
  ),
  area('src/cli/terminal/', ['test/cli/(escape|progress|run|table|text-diff)'], ['test/cli/']),
];
