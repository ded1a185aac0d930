/** Every verb, each loaded when it is asked for: nobody waits for what another verb needs. */
import type { Verb } from './command.js';

/** A verb in the list of `rowsmith --help`. */
export interface VerbEntry {
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Verb>;
}

/** By name, in the order of the list. */
export const verbs: ReadonlyMap<string, VerbEntry> = new Map<string, VerbEntry>([
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
      load: async () => (await import('./commands/import.js')).importVerb,
    },
  ],
  [
    'export',
    {
      summary: 'Write the rows of an entity as JSON Lines or CSV',
      load: async () => (await import('./commands/export.js')).exportVerb,
    },
  ],
  [
    'migrate',
    {
      summary: 'Move rows from an old declaration to a new one',
      load: async () => (await import('./commands/migrate.js')).migrateVerb,
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
