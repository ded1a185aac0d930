/** Opens the embedded engine on disk. */
import type { Durability } from '../../data/store/index.js';
import { type OpenDirectory, openDirectory } from './kv/directory/database-directory.js';
import { defaultTuning, type DiskTuning } from './kv/directory/disk-tuning.js';
import { storageError } from './kv/directory/storage-error.js';
import { openDiskStore } from './kv/store/open-disk-store.js';
import { defaultLimits, type StoreLimits } from './kv/store/store-limits.js';
import type { TableStore } from './kv/store/table-store.js';
import { LocalEngine } from './local-engine.js';
import type { LocalEngineOptions } from './local-engine-options.js';
import { NewestTimestamp } from './table/newest-timestamp.js';

/** Options of an engine on disk. */
export interface DiskEngineOptions extends LocalEngineOptions {
  /**
   * `durable` (default): a resolved write has been flushed to disk. `relaxed`: it survives the end
   * of the process, but a crash of the machine may lose it or damage the file; for data that can be
   * recreated.
   */
  readonly durability?: Durability;
  /**
   * Whether all files are read and verified when the database is opened; default false. What is
   * read is always verified.
   */
  readonly verify?: boolean;
  /** Sizes, which tests change. @internal */
  readonly limits?: StoreLimits;
}

/**
 * Opens the database in the directory, and creates both if they do not exist. One process at a time
 * may open a database.
 */
export async function openDiskEngine(
  directory: string,
  options: DiskEngineOptions = {},
  tuning: DiskTuning = defaultTuning,
): Promise<LocalEngine> {
  const { verify = false, durability = 'durable', limits = defaultLimits } = options;
  const claim = await openDirectory(directory, { durability, tuning }).catch((error: unknown) => {
    throw storageError(error, directory);
  });
  let store: TableStore | undefined;
  try {
    store = await openDiskStore(claim, { durability, limits, verify });
    return openEngine(`file:${directory}`, store, claim, options);
  } catch (error) {
    await store?.close().catch(() => undefined);
    // The error must not be replaced: the owner file is replaced once this process has ended.
    await claim.withdraw().catch(() => undefined);
    throw storageError(error, directory);
  }
}

function openEngine(
  name: string,
  store: TableStore,
  claim: OpenDirectory,
  options: DiskEngineOptions,
): LocalEngine {
  const { cellClock } = options;
  return new LocalEngine(name, store, options, {
    onClose: () => claim.release(),
    compact: (onStep) => store.compact(onStep),
    bytes: () => store.bytes,
    snapshot: () => ({ ...store.snapshot(), source: claim }),
    newest: cellClock && new NewestTimestamp(store, cellClock),
  });
}
