/** All commands. A command is imported only when it runs, so that the rest start faster. */
import type { Command } from './command.js';

/** A command in the list of `rowsmith --help`. */
export interface CommandEntry {
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** By name, in the order in which help lists them. */
export const commands: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'init',
    {
      summary: 'Create a first entity, config and program',
      load: async () => (await import('./commands/init/init.js')).init,
    },
  ],
  [
    'pull',
    {
      summary: 'Generate entities from an existing table',
      load: async () => (await import('./commands/pull/pull.js')).pull,
    },
  ],
  [
    'describe',
    {
      summary: 'Print what the entities store, and where',
      load: async () => (await import('./commands/describe.js')).describe,
    },
  ],
  [
    'generate',
    {
      summary: 'Generate files for other tools: .proto, schemas, SQL views',
      load: async () => (await import('./commands/generate/generate.js')).generate,
    },
  ],
  [
    'check',
    {
      summary: 'Compare the entities with the lock file of released declarations',
      load: async () => (await import('./commands/check.js')).check,
    },
  ],
  [
    'lint',
    {
      summary: "Check the entities against Google's guidance for schemas",
      load: async () => (await import('./commands/lint/lint.js')).lint,
    },
  ],
  [
    'schema',
    {
      summary: 'Compare stored tables with the declared ones, or update them',
      load: async () => (await import('./commands/schema/schema.js')).schema,
    },
  ],
  [
    'gc',
    {
      summary: 'Print what the garbage collection rules remove, now and later',
      load: async () => (await import('./commands/gc/gc.js')).gc,
    },
  ],
  [
    'compact',
    {
      summary: 'Remove what the garbage collection rules collect from the files',
      load: async () => (await import('./commands/gc/compact.js')).compact,
    },
  ],
  [
    'derived',
    {
      summary: 'Check, repair, build and drop indexes',
      load: async () => (await import('./commands/derived.js')).derived,
    },
  ],
  [
    'ls',
    {
      summary: 'List entities, and the values of their segments',
      load: async () => (await import('./commands/rows/ls.js')).ls,
    },
  ],
  [
    'get',
    {
      summary: 'Print one row by its key',
      load: async () => (await import('./commands/rows/get.js')).get,
    },
  ],
  [
    'scan',
    {
      summary: 'Print the rows of a prefix, a range, an index or an access pattern',
      load: async () => (await import('./commands/rows/scan.js')).scan,
    },
  ],
  [
    'count',
    {
      summary: 'Count rows',
      load: async () => (await import('./commands/rows/count.js')).count,
    },
  ],
  [
    'explain',
    {
      summary: 'Print the plan of a read',
      load: async () => (await import('./commands/rows/explain.js')).explain,
    },
  ],
  [
    'put',
    {
      summary: 'Write one row',
      load: async () => (await import('./commands/rows/put.js')).put,
    },
  ],
  [
    'patch',
    {
      summary: 'Change some columns of a row',
      load: async () => (await import('./commands/rows/patch.js')).patch,
    },
  ],
  [
    'delete',
    {
      summary: 'Delete one row, or all rows of a prefix',
      load: async () => (await import('./commands/rows/delete.js')).deleteCommand,
    },
  ],
  [
    'delete-scope',
    {
      summary: 'Delete whatever belongs to a tenant, in all entities',
      load: async () => (await import('./commands/rows/delete-scope.js')).deleteScope,
    },
  ],
  [
    'keys',
    {
      summary: 'Encode, decode and verify row keys',
      load: async () => (await import('./commands/rows/keys.js')).keys,
    },
  ],
  [
    'import',
    {
      summary: 'Import rows of an entity from JSON Lines or CSV',
      load: async () => (await import('./commands/import.js')).importCommand,
    },
  ],
  [
    'export',
    {
      summary: 'Export the rows of an entity as JSON Lines or CSV',
      load: async () => (await import('./commands/export.js')).exportCommand,
    },
  ],
  [
    'migrate',
    {
      summary: 'Move rows from an old declaration to a new one',
      load: async () => (await import('./commands/migrate.js')).migrateCommand,
    },
  ],
  [
    'heatmap',
    {
      summary: 'Show where tables are read and written over time',
      load: async () => (await import('./commands/heatmap/heatmap.js')).heatmap,
    },
  ],
  [
    'simulate',
    {
      summary: 'Simulate the table of a workload, and compare key designs',
      load: async () => (await import('./commands/simulate/simulate.js')).simulate,
    },
  ],
  [
    'load',
    {
      summary: 'Run a workload against a database, and measure it',
      load: async () => (await import('./commands/load/load.js')).load,
    },
  ],
  [
    'serve',
    {
      summary: 'Serve the Bigtable API over a local database',
      load: async () => (await import('./commands/serve.js')).serve,
    },
  ],
  [
    'doctor',
    {
      summary: 'Say what is wrong with a set-up',
      load: async () => (await import('./commands/doctor/doctor.js')).doctor,
    },
  ],
  [
    'completion',
    {
      summary: 'Print a completion script for bash, zsh or fish',
      load: async () => (await import('./commands/completion/completion.js')).completion,
    },
  ],
]);
