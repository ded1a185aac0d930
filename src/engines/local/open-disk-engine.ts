/** Opens the embedded engine on disk. */
import type { Durability, Engine } from '../../data/store/index.js';
import { BlockStore } from './kv/block/block-store.js';
import { CheckedStore } from './kv/checked-store.js';
import { type ClaimedDirectory, openDirectory } from './kv/disk/data-directory.js';
import { type DiskStore, openDiskStore } from './kv/disk/disk-store.js';
import { defaultTuning, type DiskTuning } from './kv/disk/disk-tuning.js';
import { loadLmdb } from './kv/disk/load-lmdb.js';
import { storageError } from './kv/disk/storage-error.js';
import type { LoggedStore } from './kv/log/logged-store.js';
import { openLoggedStore } from './kv/log/open-logged-store.js';
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
   * Whether all pages of the file are verified when it is opened, so that a damaged page is
   * reported as CORRUPT_DATA. By default the pages of files up to 64 MiB are, which takes about 0.1
   * s; the pages of larger files are verified before they are used. With `false` none are, and a
   * damaged page can end the process. Stored pairs are always verified when they are read.
   */
  readonly verify?: boolean;
}

/**
 * Opens the database in the directory, and creates both if they do not exist. One process at a time
 * may open a database. Throws MISSING_PACKAGE when lmdb cannot be loaded.
 */
export async function openDiskEngine(
  directory: string,
  options: DiskEngineOptions = {},
  tuning: DiskTuning = defaultTuning,
): Promise<Engine> {
  const { verify, durability = 'durable' } = options;
  // Before the directory is created, so that a failure leaves nothing behind.
  await loadLmdb();
  const claim = await openDirectory(directory, verify, tuning).catch((error: unknown) => {
    throw storageError(error, directory);
  });
  let disk: DiskStore | undefined;
  let store: LoggedStore | undefined;
  try {
    disk = await openDiskStore(claim.file, durability, verify, tuning.maxVerifiedBytes);
    const checkOwner = (): void => claim.check();
    disk.checkOwner = checkOwner;
    if (durability === 'durable') claim.flush();
    claim.adopt(disk);
    const blocks = new BlockStore(new CheckedStore(disk, `file:${directory}`));
    store = openLoggedStore(blocks, directory, durability, { checkOwner });
    return await openEngine(`file:${directory}`, disk, store, claim, options);
  } catch (error) {
    await closeQuietly(store ?? disk, claim);
    throw error;
  }
}

async function openEngine(
  name: string,
  disk: DiskStore,
  store: LoggedStore,
  claim: ClaimedDirectory,
  options: DiskEngineOptions,
): Promise<Engine> {
  const { cellClock } = options;
  const engine = new LocalEngine(name, store, options, {
    checkOwner: () => claim.check(),
    onClose: () => claim.release(),
    flush: () => store.flush(),
    compactFile: async (hooks) => {
      await store.flush();
      hooks.check();
      // On a full disk, there may be just enough space for a small copy.
      store.releaseReserve();
      return disk.compact(hooks);
    },
    newest: cellClock && new NewestTimestamp(store, cellClock),
  });
  await engine.finishDrops();
  return engine;
}

/** Closes and releases after an error, which must not be replaced by one thrown here. */
async function closeQuietly(
  store: LoggedStore | DiskStore | undefined,
  claim: ClaimedDirectory,
): Promise<void> {
  await store?.close().catch(() => undefined);
  try {
    claim.release();
  } catch {
    // The owner file remains, and is replaced once this process has ended.
  }
}
