/**
 * Compacts an lmdb file. lmdb never shrinks its file, so the file is replaced by a copy without
 * free pages. lmdb's own copy is not used (LMDB.md): the pairs are read in key order and appended
 * to a new file while reads and writes go on. Pairs that are written meanwhile, and were copied
 * before, are then written again, the last of them in the same turn of the event loop as the
 * rename. The old file is complete until the rename, and the new one after it. A copy left by a
 * killed process is removed by the next holder of the directory.
 */
import { renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compareBytes, copyBytes, nextKey } from '../../../../base/index.js';
import type { PairCursor, PairWriter } from '../ordered-store.js';
import { syncDirectory } from './sync-directory.js';

/** Path of the copy, next to the file. */
export function copyPath(file: string): string {
  return `${file}.new`;
}

/** Removes an unfinished copy. Only the holder of the directory may call this. */
export function removeCopy(file: string): void {
  for (const name of [copyPath(file), `${copyPath(file)}-lock`]) rmSync(name, { force: true });
}

/** Writes of a commit to the copy. */
export interface CopyWriter extends PairWriter {
  /** Writes a pair after all other pairs, which fills pages completely. */
  append(key: Uint8Array, value: Uint8Array): void;
}

/** The copy while it is written. */
export interface CopyTarget {
  /** Writes pairs, which are not flushed. */
  commit(work: (writer: CopyWriter) => void): void;
  sync(): void;
  close(): void;
}

/** What the compaction of a file calls between its steps. */
export interface CompactionHooks {
  /** Throws when the store is to be closed. */
  readonly check: () => void;
  /** The part of the file that has been copied, 0 to 1, estimated. */
  readonly onCopied?: ((fraction: number) => void) | undefined;
}

/** The operations of the store that compacting uses. */
export interface CompactedStore {
  /** Bytes of the pages that hold pairs. */
  usedBytes(): number;
  /** Calls `onWritten` with each key that is written from now on; undefined to stop. */
  recordKeys(onWritten: ((key: Uint8Array) => void) | undefined): void;
  /** Returns a copy of the value. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** The pairs with `start <= key < end` in key order. */
  scan(start: Uint8Array, end: Uint8Array): PairCursor;
  openCopy(path: string): CopyTarget;
  /** Throws DATABASE_IN_USE if another process owns the directory. */
  checkOwner(): void;
  /** Closes the file, calls `replaceFile` and opens the file again, all synchronously. */
  reopen(replaceFile: () => void): void;
}

/** At most this many keys are written again in the same turn of the event loop as the rename. */
const maxFinalKeys = 1000;
/** With constant writes there are always more, but the passes become shorter. */
const maxPasses = 10;
/** Bytes of pairs in one commit. */
const maxStepBytes = 4 * 1024 * 1024;
/** After all keys. */
const endKey = Uint8Array.of(255, 255, 255, 255);

type Pair = readonly [key: Uint8Array, value: Uint8Array | undefined];

/**
 * Compacts the file and returns by how many bytes it shrank. A process that another one has
 * succeeded neither replaces nor removes anything.
 */
export async function compactFile(
  store: CompactedStore,
  file: string,
  hooks: CompactionHooks,
): Promise<number> {
  const path = copyPath(file);
  store.checkOwner();
  removeCopy(file);
  try {
    const before = statSync(file).size;
    const target = store.openCopy(path);
    try {
      await new Copy(store, target, path, hooks).run();
    } finally {
      target.close();
    }
    store.reopen(() => {
      store.checkOwner();
      renameSync(path, file);
      syncDirectory(dirname(file));
    });
    return Math.max(0, before - statSync(file).size);
  } finally {
    store.recordKeys(undefined);
    store.checkOwner();
    removeCopy(file);
  }
}

class Copy {
  /** The first key that has not been copied. */
  #next: Uint8Array = Uint8Array.of(0);
  /** Keys that were written after they were copied, as latin1 text. */
  #written = new Set<string>();

  readonly #store: CompactedStore;
  readonly #target: CopyTarget;
  readonly #path: string;
  readonly #hooks: CompactionHooks;
  #copiedBytes = 0;

  constructor(store: CompactedStore, target: CopyTarget, path: string, hooks: CompactionHooks) {
    this.#store = store;
    this.#target = target;
    this.#path = path;
    this.#hooks = hooks;
  }

  /** Copies all pairs. When it returns, the copy is flushed and nothing is missing. */
  async run(): Promise<void> {
    this.#store.recordKeys((key) => {
      if (compareBytes(key, this.#next) < 0) this.#written.add(textOf(key));
    });
    const usedBytes = this.#store.usedBytes();
    while (this.#copyStep()) {
      this.#hooks.onCopied?.(Math.min(this.#copiedBytes / usedBytes, 1));
      await this.#pause();
    }
    for (let pass = 0; pass < maxPasses && this.#written.size > maxFinalKeys; pass++) {
      for (const pairs of this.#changes()) {
        this.#write(pairs);
        await this.#pause();
      }
    }
    // Most of the file is flushed while the event loop runs.
    await flush(this.#path);
    this.#hooks.check();
    // Synchronous from here on, so that no write is missed.
    for (const pairs of this.#changes()) this.#write(pairs);
    this.#target.sync();
  }

  /** Copies the next pairs; false when there are none. */
  #copyStep(): boolean {
    const pairs: [Uint8Array, Uint8Array][] = [];
    const cursor = this.#store.scan(this.#next, endKey);
    let bytes = 0;
    while (bytes < maxStepBytes && cursor.next()) {
      const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
      const value = copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
      pairs.push([key, value]);
      bytes += key.length + value.length;
    }
    cursor.release();
    const last = pairs.at(-1);
    if (last === undefined) {
      this.#next = endKey;
      return false;
    }
    this.#target.commit((writer) => {
      for (const [key, value] of pairs) writer.append(key, value);
    });
    this.#next = nextKey(last[0]);
    this.#copiedBytes += bytes;
    return true;
  }

  /** The current pairs of the keys that were written, in batches. */
  *#changes(): Generator<readonly Pair[]> {
    const written = this.#written;
    this.#written = new Set();
    let pairs: Pair[] = [];
    let bytes = 0;
    for (const text of written) {
      const key = Buffer.from(text, 'latin1');
      const value = this.#store.get(key);
      pairs.push([key, value]);
      bytes += key.length + (value?.length ?? 0);
      if (bytes < maxStepBytes) continue;
      yield pairs;
      pairs = [];
      bytes = 0;
    }
    if (pairs.length > 0) yield pairs;
  }

  #write(pairs: readonly Pair[]): void {
    this.#target.commit((writer) => {
      for (const [key, value] of pairs) {
        if (value === undefined) writer.remove(key);
        else writer.put(key, value);
      }
    });
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
    this.#hooks.check();
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
