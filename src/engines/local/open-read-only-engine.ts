/** Opens the embedded engine on disk for reading, beside the process that has it open. */
import { findDatabase } from './kv/directory/database-directory.js';
import { storageError } from './kv/directory/storage-error.js';
import { Follower } from './kv/readonly/follower.js';
import { readOnlyError } from './kv/readonly/read-only-error.js';
import { defaultLimits } from './kv/store/store-limits.js';
import { LocalEngine } from './local-engine.js';
import type { LocalEngineOptions } from './local-engine-options.js';

/**
 * Opens the database in the directory, which it does not change: another process may have it open,
 * and the directory need not be writable. Reads see what that process has committed. Writes are
 * UNSUPPORTED.
 */
export function openReadOnlyEngine(
  directory: string,
  options: LocalEngineOptions = {},
): Promise<LocalEngine> {
  return new Promise((resolve) => void resolve(openFollower(directory, options)));
}

function openFollower(directory: string, options: LocalEngineOptions): LocalEngine {
  const name = `file:${directory}`;
  try {
    const database = findDatabase(directory);
    const store = new Follower(database, defaultLimits.cache);
    let known = -1;
    return new LocalEngine(name, store, options, {
      onClose: () => Promise.resolve(),
      compact: () => Promise.reject(readOnlyError(name)),
      bytes: () => 0,
      snapshot() {
        const snapshot = store.snapshot();
        return { ...snapshot, source: { ...database, owner: snapshot.owner } };
      },
      newest: undefined,
      haveTablesChanged() {
        store.beginTurn();
        const hasChanged = store.version !== known;
        known = store.version;
        return hasChanged;
      },
    });
  } catch (error) {
    throw storageError(error, directory);
  }
}
