/**
 * Giving the free pages of an lmdb file back: lmdb's files never shrink, so a copy without them
 * takes the file's place. The copy is made beside the file while reads and writes go on; what is
 * written meanwhile is brought over, the last of it in the same turn of the event loop as the
 * exchange. Until the rename the old file is whole, and after it the new one is; what a killed
 * process leaves behind is removed by the next holder of the directory.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Name of the copy, beside the file. */
export function copyName(file: string): string {
  return `${file}.new`;
}

/** Removes a copy that never came into use. Only the holder of the directory may. */
export function removeCopy(file: string): void {
  for (const name of [copyName(file), `${copyName(file)}-lock`]) rmSync(name, { force: true });
}

/** Pairs by their store keys; without a value where there is none any more. */
type Pairs = readonly (readonly [key: Uint8Array, value: Uint8Array | undefined])[];

/** What compacting needs of the store. */
export interface CompactedStore {
  /** Writes the copy, from a snapshot. */
  backup(path: string): Promise<void>;
  /** The keys written since the last call, as latin1 text; the first call begins the record. */
  takeWritten(): ReadonlySet<string>;
  /** Ends the record. */
  forgetWritten(): void;
  /** A copy of the value. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Opens the copy: what puts pairs into it, durably, and what closes it, at once. */
  openCopy(path: string): { put(pairs: Pairs): void; close(): void };
  /**
   * Closes the file, calls `exchange`, and opens what then has its name; all in this turn of the
   * event loop.
   */
  reopen(exchange: () => void): void;
}

/** Keys that may be left for the turn of the exchange. */
const lastKeys = 1000;
/** Bytes of pairs brought over in one commit. */
const stepBytes = 8 * 1024 * 1024;

/**
 * Compacts the file; answers the bytes it became smaller. `check` throws when the store is to be
 * closed.
 */
export async function compactFile(
  store: CompactedStore,
  file: string,
  check: () => void,
): Promise<number> {
  const copy = copyName(file);
  removeCopy(file);
  store.takeWritten();
  try {
    await store.backup(copy);
    check();
    flush(copy);
    const before = statSync(file).size;
    const target = store.openCopy(copy);
    try {
      let written = store.takeWritten();
      while (written.size > lastKeys) {
        for (const pairs of steps(store, written)) {
          target.put(pairs);
          await new Promise((resolve) => void setImmediate(resolve));
          check();
        }
        written = store.takeWritten();
      }
      // No turn of the event loop from here on, so nothing is written that would be missed.
      for (const pairs of steps(store, written)) target.put(pairs);
    } finally {
      target.close();
    }
    store.reopen(() => {
      renameSync(copy, file);
      if (process.platform !== 'win32') flush(dirname(file));
    });
    return Math.max(0, before - statSync(file).size);
  } finally {
    store.forgetWritten();
    removeCopy(file);
  }
}

/** What the keys hold now, in portions. */
function* steps(store: CompactedStore, keys: ReadonlySet<string>): Generator<Pairs> {
  let pairs: [Uint8Array, Uint8Array | undefined][] = [];
  let bytes = 0;
  for (const text of keys) {
    const key = Buffer.from(text, 'latin1');
    const value = store.get(key);
    pairs.push([key, value]);
    bytes += key.length + (value?.length ?? 0);
    if (bytes < stepBytes) continue;
    yield pairs;
    pairs = [];
    bytes = 0;
  }
  if (pairs.length > 0) yield pairs;
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
