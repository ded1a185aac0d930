/** Every verb, each loaded when it is asked for: nobody waits for what another verb needs. */
import type { Verb } from './verb.js';

/** A verb in the list of `rowsmith --help`. */
export interface VerbEntry {
  /** One line. */
  readonly summary: string;
  readonly load: () => Promise<Verb>;
}

/** By name, in the order of the list. */
export const verbs: ReadonlyMap<string, VerbEntry> = new Map<string, VerbEntry>([
  ['init', { summary: 'Write a first entity, config and program', load: async () => (await import('./init/init.js')).init }],
  ['describe', { summary: 'Print what the entities store, and where', load: async () => (await import('./describe.js')).describe }],
  ['generate', { summary: 'Write what other tools read: .proto, schema, SQL views', load: async () => (await import('./generate/generate.js')).generate }],
  ['serve', { summary: 'Serve the Bigtable API over a local database', load: async () => (await import('./serve.js')).serve }],
]);
