/** The embedded engine in a directory. */
import type { Durability, Engine } from '../../store/index.js';
import { BlockStore } from './kv/block/block-store.js';
import { CheckedStore } from './kv/checked-store.js';
import { claimDirectory, prepareDirectory } from './kv/disk/data-directory.js';
import { openDiskStore } from './kv/disk/disk-store.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';
import { finishUpgrade } from './maintenance/upgrade-format.js';

/** How an engine on disk behaves. */
export interface DiskEngineOptions extends LocalEngineOptions {
  /**
   * `durable` (default): a resolved write is on the disk. `relaxed`: it survives the end of the
   * process, but a crash of the machine may lose it or damage the file; for data that can be made
   * again.
   */
  readonly durability?: Durability;
  /**
   * Whether every page of the file is looked through before it is used, so that a damaged one is
   * CORRUPT_DATA and nothing else. By default files of up to 64 MiB are, in about 0.1 s; true for
   * larger ones costs as much as reading the file, false nothing. What pages hold is checked
   * whenever it is read.
   */
  readonly verify?: boolean;
}

/**
 * Opens the database in the directory, creating both when there is nothing; one process at a time
 * may hold it.
 */
export async function openDiskEngine(
  directory: string,
  options: DiskEngineOptions = {},
): Promise<Engine> {
  const file = prepareDirectory(directory, options.verify);
  const disk = await openDiskStore(file, options.durability ?? 'durable');
  const name = `file:${directory}`;
  const store = new BlockStore(new CheckedStore(disk, name));
  let release: (() => void) | undefined;
  try {
    release = claimDirectory(disk, directory);
    await finishUpgrade(disk);
    const engine = new LocalEngine(name, store, options, release, (check) => disk.compact(check));
    await engine.finishDrops();
    return engine;
  } catch (error) {
    letGo(release);
    await store.close();
    throw error;
  }
}

/** After an error that is to be told: one that follows from it would hide it. */
function letGo(release: (() => void) | undefined): void {
  try {
    release?.();
  } catch {
    // The next holder takes the place of a process that ended.
  }
}
