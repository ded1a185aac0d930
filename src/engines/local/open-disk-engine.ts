/** Opens the embedded engine on disk. */
import type { Durability, Engine } from '../../store/index.js';
import { BlockStore } from './kv/block/block-store.js';
import { CheckedStore } from './kv/checked-store.js';
import { claimDirectory, prepareDirectory } from './kv/disk/data-directory.js';
import { openDiskStore } from './kv/disk/disk-store.js';
import { loadLmdb } from './kv/disk/load-lmdb.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';
import { beginUpgrade, finishUpgrade } from './maintenance/upgrade-format.js';
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
   * reported as CORRUPT_DATA. By default files of up to 64 MiB are, which takes about 0.1 s; for
   * larger files it takes as long as reading them. Stored pairs are always verified when they are
   * read.
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
): Promise<Engine> {
  // Before the directory is created, so that a failure leaves nothing behind.
  await loadLmdb();
  const file = prepareDirectory(directory, options.verify);
  const disk = await openDiskStore(file, options.durability ?? 'durable');
  const name = `file:${directory}`;
  const store = new BlockStore(new CheckedStore(disk, name));
  let releaseOwner: (() => void) | undefined;
  try {
    releaseOwner = claimDirectory(disk, directory, beginUpgrade);
    await finishUpgrade(disk);
    const { cellClock } = options;
    const engine = new LocalEngine(name, store, options, {
      onClose: releaseOwner,
      compactFile: (checkOpen) => disk.compact(checkOpen),
      newest: cellClock && new NewestTimestamp(store, cellClock),
    });
    await engine.finishDrops();
    return engine;
  } catch (error) {
    releaseQuietly(releaseOwner);
    await store.close();
    throw error;
  }
}

/** Releases the directory after an error, which must not be replaced by one thrown here. */
function releaseQuietly(releaseOwner: (() => void) | undefined): void {
  try {
    releaseOwner?.();
  } catch {
    // The owner record remains, and is replaced once this process has ended.
  }
}
