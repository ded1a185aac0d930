/** The door `rowsmith/config`: what a project tells the `rowsmith` command. */
import type { EntityClass } from '../model/index.js';

/**
 * What `rowsmith.config.ts` exports by default. Relative paths are from the folder of that file.
 */
export interface RowsmithConfig {
  /**
   * Entity classes, and globs of modules whose exported entities are taken:
   * `'./src/entities/*.ts'`.
   */
  readonly entities: readonly (EntityClass | string)[];
  /**
   * The database: `file:./data`, `bigtable://project/instance`. Verbs that need one take `--url` as
   * well.
   */
  readonly url?: string;
  /** Folder of generated files; default `./generated`. */
  readonly output?: string;
  /** The lock file; default `./rowsmith.lock.json`. */
  readonly lock?: string;
}

/**
 * Gives the config back as it is; so that an editor knows its type: `export default defineConfig({
 * entities: [Reading] })`.
 */
export function defineConfig(config: RowsmithConfig): RowsmithConfig {
  return config;
}
