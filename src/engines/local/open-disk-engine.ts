/** The embedded engine in a directory. */
import type { Engine } from '../../store/engine.js';
import { BlockStore } from './block-store.js';
import { claimDirectory, prepareDirectory } from './disk-directory.js';
import { openDiskStore, type Durability } from './disk-store.js';
import { LocalEngine, type LocalEngineOptions } from './local-engine.js';

/** How an engine on disk behaves. */
export interface DiskEngineOptions extends LocalEngineOptions {
  /**
   * `durable` (default): a resolved write is on the disk. `relaxed`: it survives the end of the process, but a crash of the machine may
   * lose it or damage the file; for data that can be made again.
   */
  readonly durability?: Durability;
}

/** Opens the database in the directory, creating both when there is nothing; one process at a time may hold it. */
export async function openDiskEngine(directory: string, options: DiskEngineOptions = {}): Promise<Engine> {
  const file = prepareDirectory(directory);
  const disk = await openDiskStore(file, options.durability ?? 'durable');
  const store = new BlockStore(disk);
  try {
    const release = claimDirectory(store, directory);
    const engine = new LocalEngine(`file:${directory}`, store, options, release, (check) => disk.compact(check));
    await engine.finishDrops();
    return engine;
  } catch (error) {
    await store.close();
    throw error;
  }
}
