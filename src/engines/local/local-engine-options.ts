/** The options of a local engine, and what it needs on disk. */
import type { CellClock, GcMode } from '../../data/store/index.js';
import type { StoreSnapshot } from './kv/store/snapshot.js';
import type { BackupSource } from './kv/store/write-backup.js';
import type { LazyCollection } from './maintenance/background-collection.js';
import type { NewestTimestamp } from './table/newest-timestamp.js';

/** Options of a local engine. */
export interface LocalEngineOptions {
  /** Milliseconds since 1970, for server timestamps and the age of cells; default Date.now. */
  readonly clock?: () => number;
  /** Issues server timestamps, which then never go back; default: the times of `clock`. */
  readonly cellClock?: CellClock;
  /**
   * When the garbage collection rules take effect. `onRead` (default): reads hide the cells that
   * the rules collect, and writes remove them from the row they write. `lazy`: cells stay visible
   * until they are collected in the background, as in production. `manual`: until `compact` is
   * called.
   */
  readonly gc?: GcMode;
  /** When tables are collected in the mode `lazy`. */
  readonly lazy?: LazyCollection;
  /** Returns a random number in `0 <= n < 1`, for rowSample; default Math.random. */
  readonly random?: () => number;
}

/** What an engine on disk has more than one in memory. */
export interface DiskParts {
  /** Called after the store was closed. */
  readonly onClose: () => Promise<void>;
  /** Merges all tables. Calls `onStep` with the part that is done, 0 to 1, estimated. */
  readonly compact: (onStep: (fraction: number) => void) => Promise<void>;
  /** Bytes of the tables and the log. */
  readonly bytes: () => number;
  /** What the store holds now, and which database it is. */
  readonly snapshot: () => StoreSnapshot & { readonly source: BackupSource };
  /** Undefined if server timestamps follow the clock, wherever it is set. */
  readonly newest: NewestTimestamp | undefined;
  /** True when another process may have changed the tables since the last call. */
  readonly haveTablesChanged?: () => boolean;
}
