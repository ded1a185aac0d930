/** Entry point `rowsmith/config`: the configuration of the `rowsmith` command, and workloads. */
import type { LintOptions } from '../tools/lint/index.js';
import type { Duration, EntityClass } from '../entities/model/index.js';
import type { Workload } from '../tools/simulate/index.js';

export {
  type ColumnLoad,
  defineWorkload,
  type ReadLoad,
  type SegmentDistribution,
  type Workload,
  type WorkloadOptions,
} from '../tools/simulate/index.js';

/** Settings of one table. What is left out is not compared and not changed. */
export interface TableSettings {
  /** Whether the table and its families are protected from deletion. */
  readonly deletionProtection?: boolean;
  /** Live only: how long changes of rows can be read, `'1d'` to `'7d'`; false for no stream. */
  readonly changeStream?: Duration | false;
  /**
   * Live only: daily backups, kept for 3 days with true, or as long as given, `'3d'` to `'90d'`;
   * false for none.
   */
  readonly automatedBackup?: Duration | boolean;
  /**
   * Live only: whether SQL reads the segments of row keys by name. Set on a table with rows only
   * by `rowsmith schema apply --verify-keys`.
   */
  readonly rowKeySchema?: boolean;
}

/** The default export of `rowsmith.config.ts`. Paths are relative to the folder of that file. */
export interface RowsmithConfig {
  /**
   * Entity classes, and globs of modules that export entities: `'./src/entities/*.ts'`.
   */
  readonly entities: readonly (EntityClass | string)[];
  /**
   * The database: `file:./data`, `bigtable://project/instance`. The `--url` option of a command
   * overrides it.
   */
  readonly url?: string;
  /** Folder of generated files. Default: `./generated`. */
  readonly output?: string;
  /** The lock file. Default: `./rowsmith.lock.json`. */
  readonly lock?: string;
  /** Levels of the rules of `rowsmith lint`, and what they need to know of the cluster. */
  readonly lint?: LintOptions;
  /** Workloads that `simulate` and `load` run when they are given no file. */
  readonly workloads?: readonly Workload[];
  /**
   * The module that `rowsmith seed` runs: its default export is a function of the open database and
   * `{ seed, signal }`, which writes rows.
   */
  readonly seed?: string;
  /** Settings of tables by name, which `rowsmith schema` compares and sets. */
  readonly tables?: Readonly<Record<string, TableSettings>>;
}

/**
 * Returns the config unchanged; it gives an editor the type: `export default defineConfig({
 * entities: [Reading] })`.
 */
export function defineConfig(config: RowsmithConfig): RowsmithConfig {
  return config;
}
