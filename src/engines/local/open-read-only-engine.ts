/** Opens the embedded engine on disk for reading, beside the process that has it open. */
import { join } from 'node:path';
import { RowsmithError } from '../../base/index.js';
import type { Engine } from '../../data/store/index.js';
import { BlockStore } from './kv/block/block-store.js';
import { CheckedStore } from './kv/checked-store.js';
import { findDatabase } from './kv/disk/data-directory.js';
import { checkDataFile } from './kv/disk/data-file.js';
import { parseFormatRecord } from './kv/disk/marker-file.js';
import { LmdbReader } from './kv/readonly/lmdb-reader.js';
import { FollowedStore } from './kv/log/followed-store.js';
import { PageStore } from './kv/readonly/page-store.js';
import { readOnlyError } from './kv/readonly/read-only-error.js';
import { SnapshotStore } from './kv/readonly/snapshot-store.js';
import type { OrderedStore } from './kv/ordered-store.js';
import { metaKey } from './kv/store-key.js';
import { LocalEngine } from './local-engine.js';
import type { LocalEngineOptions } from './local-engine-options.js';

/**
 * Opens the database in the directory, which it does not change: another process may have it open,
 * and the directory need not be writable. Reads see what that process has committed. Writes are
 * UNSUPPORTED. Does not load lmdb.
 */
export async function openReadOnlyEngine(
  directory: string,
  options: LocalEngineOptions = {},
): Promise<Engine> {
  const name = `file:${directory}`;
  const pages = new PageStore(findDatabase(directory, openFile));
  try {
    const snapshots = new SnapshotStore(pages, () => pages.renew());
    checkFormat(snapshots, directory);
    const blocks = new BlockStore(new CheckedStore(pages, name));
    const followed = new FollowedStore(blocks, directory, () => {
      if (!pages.renew()) return false;
      blocks.version++;
      return true;
    });
    const store = new SnapshotStore(followed, () => followed.renew());
    return openEngine(name, store, options);
  } catch (error) {
    await pages.close();
    throw error;
  }
}

/** Attempts to check a file to which another process writes. */
const maxChecks = 5;

function openFile(file: string): LmdbReader {
  const reader = new LmdbReader(file);
  for (let checks = 1; ; checks++) {
    try {
      checkDataFile(file, false);
      return reader;
    } catch (error) {
      if (checks < maxChecks && reader.renew()) continue;
      reader.close();
      throw error;
    }
  }
}

function openEngine(name: string, store: SnapshotStore, options: LocalEngineOptions): Engine {
  let known = -1;
  return new LocalEngine(name, store, options, {
    onClose: () => undefined,
    flush: () => Promise.resolve(),
    compactFile: () => Promise.reject(readOnlyError(name)),
    newest: undefined,
    haveTablesChanged() {
      store.beginTurn();
      const hasChanged = store.version !== known;
      known = store.version;
      return hasChanged;
    },
  });
}

/** Throws FORMAT_TOO_NEW for a newer format, and CORRUPT_DATA without a format record. */
function checkFormat(store: OrderedStore, directory: string): void {
  const format = store.get(metaKey('format'));
  if (format === undefined) {
    const problem = `its '${join(directory, 'data.mdb')}' has no format record`;
    const fix = 'restore the directory from a backup';
    throw new RowsmithError('CORRUPT_DATA', { directory, problem, fix });
  }
  parseFormatRecord(Buffer.from(format).toString(), directory);
}
