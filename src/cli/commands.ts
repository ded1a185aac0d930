/** Every verb, each loaded when it is asked for: nobody waits for what another verb needs. */
import type { Command } from './command.js';

/** A verb in the list of `rowsmith --help`. */
export interface CommandEntry {
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** By name, in the order of the list. */
export const commands: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'init',
    {
      summary: 'Write a first entity, config and program',
      load: async () => (await import('./commands/init/init.js')).init,
    },
  ],
  [
    'pull',
    {
      summary: 'Draft entities from a table that exists',
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
      summary: 'Write what other tools read: .proto, schema, SQL views',
      load: async () => (await import('./commands/generate/generate.js')).generate,
    },
  ],
  [
    'check',
    {
      summary: 'Compare the entities with the lock of what was released',
      load: async () => (await import('./commands/check.js')).check,
    },
  ],
  [
    'schema',
    {
      summary: 'Compare the stored tables with the declared ones, or change them',
      load: async () => (await import('./commands/schema.js')).schema,
    },
  ],
  [
    'import',
    {
      summary: 'Read rows of an entity from JSON Lines or CSV',
      load: async () => (await import('./commands/import.js')).importCommand,
    },
  ],
  [
    'export',
    {
      summary: 'Write the rows of an entity as JSON Lines or CSV',
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
    'serve',
    {
      summary: 'Serve the Bigtable API over a local database',
      load: async () => (await import('./commands/serve.js')).serve,
    },
  ],
]);
