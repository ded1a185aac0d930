/**
 * Compacts an lmdb file. lmdb never shrinks its file, so the file is replaced by a copy without
 * free pages. The copy is written while reads and writes go on, and the pairs written meanwhile are
 * then applied to it; the last of them in the same turn of the event loop as the rename. The old
 * file is complete until the rename, and the new one after it. A copy left by a killed process is
 * removed by the next holder of the directory.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Path of the copy, next to the file. */
export function copyPath(file: string): string {
  return `${file}.new`;
}

/** Removes an unfinished copy. Only the holder of the directory may call this. */
export function removeCopy(file: string): void {
  for (const name of [copyPath(file), `${copyPath(file)}-lock`]) rmSync(name, { force: true });
}

/** Changed pairs; the value is undefined where the pair was removed. */
type Changes = readonly (readonly [key: Uint8Array, value: Uint8Array | undefined])[];

/** The operations of the store that compacting uses. */
export interface CompactedStore {
  /** Writes a snapshot of the file, without free pages, to another path. */
  backup(path: string): Promise<void>;
  /**
   * Returns the keys written since the last call, as latin1 text. The first call starts recording.
   */
  takeWrittenKeys(): ReadonlySet<string>;
  /** Stops recording the keys that are written. */
  stopRecording(): void;
  /** Returns a copy of the value. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Opens the copy. `put` is durable, `close` synchronous. */
  openCopy(path: string): { put(changes: Changes): void; close(): void };
  /** Closes the file, calls `replaceFile` and opens the file again, all synchronously. */
  reopen(replaceFile: () => void): void;
}

/** At most this many keys are applied in the same turn of the event loop as the rename. */
const maxFinalKeys = 1000;
/** Bytes of pairs applied to the copy in one commit. */
const maxStepBytes = 8 * 1024 * 1024;

/**
 * Compacts the file and returns by how many bytes it shrank. `check` throws when the store is to be
 * closed.
 */
export async function compactFile(
  store: CompactedStore,
  file: string,
  check: () => void,
): Promise<number> {
  const copy = copyPath(file);
  removeCopy(file);
  store.takeWrittenKeys();
  try {
    await store.backup(copy);
    check();
    syncFile(copy);
    const before = statSync(file).size;
    const target = store.openCopy(copy);
    try {
      let keys = store.takeWrittenKeys();
      while (keys.size > maxFinalKeys) {
        for (const changes of changesOf(store, keys)) {
          target.put(changes);
          await new Promise((resolve) => void setImmediate(resolve));
          check();
        }
        keys = store.takeWrittenKeys();
      }
      // Synchronous from here on, so that no write is missed.
      for (const changes of changesOf(store, keys)) target.put(changes);
    } finally {
      target.close();
    }
    store.reopen(() => {
      renameSync(copy, file);
      if (process.platform !== 'win32') syncFile(dirname(file));
    });
    return Math.max(0, before - statSync(file).size);
  } finally {
    store.stopRecording();
    removeCopy(file);
  }
}

/** The current pairs of the keys, in batches. */
function* changesOf(store: CompactedStore, keys: ReadonlySet<string>): Generator<Changes> {
  let pairs: [Uint8Array, Uint8Array | undefined][] = [];
  let bytes = 0;
  for (const text of keys) {
    const key = Buffer.from(text, 'latin1');
    const value = store.get(key);
    pairs.push([key, value]);
    bytes += key.length + (value?.length ?? 0);
    if (bytes < maxStepBytes) continue;
    yield pairs;
    pairs = [];
    bytes = 0;
  }
  if (pairs.length > 0) yield pairs;
}

function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
