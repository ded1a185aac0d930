/** All commands. A command is imported only when it runs, so that the rest start faster. */
import type { Command } from './command.js';

/** A command in the list of `rowsmith --help`. */
export interface CommandEntry {
  /** The heading above it in the list. */
  readonly group: string;
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

type Entry = readonly [
  name: string,
  summary: string,
  load: () => Promise<{ readonly command: Command }>,
];

/** The commands by group, in the order in which help lists them. */
const groups: Readonly<Record<string, readonly Entry[]>> = {
  'Set up a project': [
    ['init', 'Create a first entity, config and program', () => import('./commands/init/init.js')],
    ['pull', 'Generate entities from an existing table', () => import('./commands/pull/pull.js')],
    ['doctor', 'Say what is wrong with a set-up', () => import('./commands/doctor/doctor.js')],
    [
      'completion',
      'Print a completion script for bash, zsh or fish',
      () => import('./commands/completion/completion.js'),
    ],
  ],
  Declarations: [
    [
      'describe',
      'Print what the entities store, and where',
      () => import('./commands/describe.js'),
    ],
    [
      'generate',
      'Generate files for other tools: .proto, schemas, SQL views',
      () => import('./commands/generate/generate.js'),
    ],
    [
      'check',
      'Compare the entities with the lock file of released declarations',
      () => import('./commands/check.js'),
    ],
    [
      'lint',
      "Check the entities against Google's guidance for schemas",
      () => import('./commands/lint/lint.js'),
    ],
  ],
  Tables: [
    [
      'schema',
      'Compare stored tables with the declared ones, or update them',
      () => import('./commands/schema/schema.js'),
    ],
    [
      'gc',
      'Print what the garbage collection rules remove, now and later',
      () => import('./commands/gc/gc.js'),
    ],
    [
      'compact',
      'Remove what the garbage collection rules collect from the files',
      () => import('./commands/gc/compact.js'),
    ],
    ['backup', 'Copy a database in files', () => import('./commands/files/backup.js')],
    ['restore', 'Copy a backup back', () => import('./commands/files/restore.js')],
    ['verify', 'Read all files of a database', () => import('./commands/files/verify.js')],
    [
      'derived',
      'Check, repair, build and drop indexes, copies and rollups',
      () => import('./commands/derived/derived.js'),
    ],
  ],
  'Read rows': [
    [
      'ls',
      'List entities, and the values of their segments',
      () => import('./commands/rows/ls.js'),
    ],
    ['get', 'Print one row by its key', () => import('./commands/rows/get.js')],
    [
      'scan',
      'Print the rows of a prefix, a range, an index or an access pattern',
      () => import('./commands/rows/scan.js'),
    ],
    ['count', 'Count rows', () => import('./commands/rows/count.js')],
    ['explain', 'Print the plan of a read', () => import('./commands/rows/explain.js')],
    ['keys', 'Encode, decode and verify row keys', () => import('./commands/rows/keys.js')],
  ],
  'See and change': [
    [
      'studio',
      'Open a page in the browser that shows tables, rows and plans',
      () => import('./commands/studio/studio.js'),
    ],
  ],
  'Write rows': [
    ['put', 'Write one row', () => import('./commands/rows/put.js')],
    ['patch', 'Change some columns of a row', () => import('./commands/rows/patch.js')],
    [
      'delete',
      'Delete one row, or all rows of a prefix',
      () => import('./commands/rows/delete.js'),
    ],
    [
      'delete-scope',
      'Delete whatever belongs to a tenant, in all entities',
      () => import('./commands/rows/delete-scope.js'),
    ],
    ['seed', 'Write the rows that a project begins with', () => import('./commands/seed/seed.js')],
  ],
  'Many rows': [
    [
      'import',
      'Import rows of an entity from JSON Lines or CSV',
      () => import('./commands/transfer/import.js'),
    ],
    [
      'export',
      'Export the rows of an entity as JSON Lines or CSV',
      () => import('./commands/transfer/export.js'),
    ],
    [
      'migrate',
      'Move rows from an old declaration to a new one',
      () => import('./commands/transfer/migrate.js'),
    ],
  ],
  Load: [
    [
      'heatmap',
      'Show where tables are read and written over time',
      () => import('./commands/heatmap/heatmap.js'),
    ],
    [
      'simulate',
      'Simulate the table of a workload, and compare key designs',
      () => import('./commands/simulate/simulate.js'),
    ],
    [
      'load',
      'Run a workload against a database, and measure it',
      () => import('./commands/load/load.js'),
    ],
  ],
  Servers: [
    ['serve', 'Serve the Bigtable API over a local database', () => import('./commands/serve.js')],
    ['health', 'Ask a server whether it serves', () => import('./commands/health.js')],
    [
      'verify-live',
      'Run the conformance tests on a live instance',
      () => import('./commands/verify-live/verify-live.js'),
    ],
  ],
};

/** By name, in the order in which help lists them. */
export const commands: ReadonlyMap<string, CommandEntry> = new Map(
  Object.entries(groups).flatMap(([group, entries]) =>
    entries.map(([name, summary, load]): [string, CommandEntry] => [
      name,
      { group, summary, load: async () => (await load()).command },
    ]),
  ),
);
