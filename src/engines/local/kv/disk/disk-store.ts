/** The ordered store on disk, over lmdb. */
import { dirname } from 'node:path';
import { copyBytes } from '../../../../base/index.js';
import type { Durability } from '../../../../data/store/index.js';
import {
  type CompactedStore,
  compactFile,
  type CompactionHooks,
  type CopyTarget,
} from './compact-file.js';
import { settleFailedCommit } from './data-file.js';
import type { OrderedStore, PairCursor, PairWriter } from '../ordered-store.js';
import { type CursorStore, DiskCursor, type KeyBounds, releaseBuffers } from './disk-cursor.js';
import { defaultTuning } from './disk-tuning.js';
import { LazyCheck, type ScanPart } from './lazy-check.js';
import { LmdbFile } from './lmdb-file.js';
import { loadLmdb, type LmdbPackage } from './load-lmdb.js';
import { storageError } from './storage-error.js';
import { syncDirectory } from './sync-directory.js';

/**
 * Opens the lmdb file, or creates it. The caller has checked that the file may be opened. `verify`
 * is whether all its pages have been verified (true), or none need be (false); by default the pages
 * of files up to `maxVerifiedBytes` have been.
 */
export async function openDiskStore(
  file: string,
  durability: Durability,
  verify?: boolean,
  maxVerifiedBytes = defaultTuning.maxVerifiedBytes,
): Promise<DiskStore> {
  const lmdb = await loadLmdb();
  return new DiskStore(file, lmdb, durability, () => LazyCheck.of(file, verify, maxVerifiedBytes));
}

const wholeScan: ScanPart = { cut: undefined };

/** Called with each key that is written; undefined while none are recorded. */
type OnWritten = ((key: Uint8Array) => void) | undefined;

/** An ordered store in one lmdb file. */
export class DiskStore implements OrderedStore, CursorStore {
  /** Replaced by compacting, and after a failed commit. */
  #lmdb: LmdbFile;
  /**
   * Cursors with a read transaction; each knows its index. Not a set: a set allocates a table for
   * every few deletions, and refers to it from the one before, so that tables that were promoted
   * keep all later ones from being collected in the young generation.
   */
  readonly #openCursors: DiskCursor[] = [];
  #suspendScheduled = false;
  #isClosed = false;
  /** False after the file was replaced, until the directory is flushed. */
  #isNameFlushed = true;
  #onWritten: OnWritten = undefined;
  /** Undefined when all pages have been verified. */
  #check: LazyCheck | undefined;
  /** Called before the file is changed; throws if another process owns the directory. */
  checkOwner: (() => void) | undefined = undefined;

  readonly #file: string;
  readonly #package: LmdbPackage;
  readonly #durability: Durability;

  constructor(
    file: string,
    lmdb: LmdbPackage,
    durability: Durability,
    openCheck: () => LazyCheck | undefined,
  ) {
    this.#file = file;
    this.#package = lmdb;
    this.#durability = durability;
    try {
      this.#check = openCheck();
      this.#lmdb = this.#open();
    } catch (error) {
      this.#check?.close();
      throw storageError(error, file);
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    releaseBuffers();
    const bytes = this.readShared(key);
    if (bytes === undefined) return undefined;
    return copyBytes(bytes, 0, this.lastValueSize);
  }

  lookup(key: Uint8Array): PairCursor {
    return new DiskCursor(this, key, undefined, false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new DiskCursor(this, start, end, reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    releaseBuffers();
    this.checkOwner?.();
    const lmdb = this.#usable();
    this.#flushName();
    try {
      lmdb.commit((writer) => work(this.#checked(this.#recording(writer))));
    } catch (error) {
      if (lmdb.failure !== undefined) this.#reopenQuietly();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#check?.close();
    this.#suspendCursors();
    try {
      if (this.#durability === 'relaxed' && this.#lmdb.isUsable) this.#lmdb.sync();
    } catch (error) {
      throw storageError(error, this.#file);
    } finally {
      this.#lmdb.close(this.#isOwner());
    }
  }

  /** Removes the free pages of the file and returns by how many bytes it shrank. */
  async compact(hooks: CompactionHooks): Promise<number> {
    try {
      return await compactFile(this.#compacted(), this.#file, hooks);
    } catch (error) {
      throw storageError(error, this.#file);
    }
  }

  /** Reads a value into lmdb's shared buffer, of which it takes `lastValueSize` bytes. */
  readShared(key: Uint8Array): Uint8Array | undefined {
    this.#pending()?.beforeRead(key);
    return this.#usable().readShared(key);
  }

  get lastValueSize(): number {
    return this.#lmdb.lastValueSize;
  }

  /** Opens an lmdb iterator, and with it a read transaction, for a cursor. */
  openRange(cursor: DiskCursor, bounds: KeyBounds): Iterator<unknown> {
    const iterator = this.#usable().openRange(bounds);
    this.#onCursorOpened(cursor);
    return iterator;
  }

  scanPart(bound: Uint8Array, reversed: boolean): ScanPart {
    const check = this.#pending();
    if (check === undefined) return wholeScan;
    return reversed ? check.descendingPart(bound) : check.ascendingPart(bound);
  }

  onCursorReleased(cursor: DiskCursor): void {
    const cursors = this.#openCursors;
    const index = cursor.openIndex;
    if (index < 0) return;
    cursor.openIndex = -1;
    const last = cursors.pop()!;
    if (last === cursor) return;
    cursors[index] = last;
    last.openIndex = index;
  }

  #isOwner(): boolean {
    try {
      this.checkOwner?.();
      return true;
    } catch {
      return false;
    }
  }

  #open(): LmdbFile {
    return new LmdbFile(this.#file, this.#package, { durability: this.#durability });
  }

  /** The check of pages, until it is done. */
  #pending(): LazyCheck | undefined {
    if (this.#check?.isDone === true) this.#endCheck();
    return this.#check;
  }

  #endCheck(): void {
    this.#check?.close();
    this.#check = undefined;
  }

  /** The file, which is opened again after a failed commit. */
  #usable(): LmdbFile {
    try {
      if (!this.#lmdb.isUsable && !this.#isClosed) this.#reopen();
    } catch (error) {
      throw storageError(error, this.#file);
    }
    return this.#lmdb;
  }

  #reopen(replaceFile?: () => void): void {
    this.#suspendCursors();
    this.#lmdb.close(this.#isOwner());
    try {
      if (replaceFile !== undefined) {
        this.#isNameFlushed = false;
        replaceFile();
        this.#isNameFlushed = true;
        // A copy has been written by this process.
        this.#endCheck();
      }
      if (this.#lmdb.failure !== undefined) {
        this.checkOwner?.();
        settleFailedCommit(this.#file);
      }
    } finally {
      this.#lmdb = this.#open();
    }
  }

  /** A power loss would bring the old file back, and with it lose the next commit. */
  #flushName(): void {
    if (this.#isNameFlushed || this.#durability === 'relaxed') return;
    try {
      syncDirectory(dirname(this.#file));
    } catch (error) {
      throw storageError(error, this.#file);
    }
    this.#isNameFlushed = true;
  }

  /** If it fails, the next operation reopens it. */
  #reopenQuietly(): void {
    try {
      this.#reopen();
    } catch {
      // The error of the commit is reported.
    }
  }

  #checked(writer: PairWriter): PairWriter {
    const check = this.#pending();
    if (check === undefined) return writer;
    return {
      put(key, value) {
        check.beforeWrite(key);
        writer.put(key, value);
      },
      remove(key) {
        check.beforeWrite(key);
        writer.remove(key);
      },
    };
  }

  #recording(writer: PairWriter): PairWriter {
    const onWritten = this.#onWritten;
    if (onWritten === undefined) return writer;
    return {
      put(key, value) {
        onWritten(key);
        writer.put(key, value);
      },
      remove(key) {
        onWritten(key);
        writer.remove(key);
      },
    };
  }

  #compacted(): CompactedStore {
    return {
      checkOwner: () => this.checkOwner?.(),
      usedBytes: () => this.#usable().treeBytes,
      recordKeys: (onWritten) => void (this.#onWritten = onWritten),
      get: (key) => this.get(key),
      scan: (start, end) => this.scan(start, end, false),
      openCopy: (path) => this.#openCopy(path),
      reopen: (replaceFile) => this.#reopen(replaceFile),
    };
  }

  #openCopy(path: string): CopyTarget {
    return new LmdbFile(path, this.#package, { durability: this.#durability, isCopy: true });
  }

  /**
   * Read transactions end with the turn of the event loop: cursors still open then are suspended.
   */
  #onCursorOpened(cursor: DiskCursor): void {
    if (cursor.openIndex < 0) cursor.openIndex = this.#openCursors.push(cursor) - 1;
    if (this.#suspendScheduled) return;
    this.#suspendScheduled = true;
    setImmediate(() => this.#suspendCursors());
  }

  #suspendCursors(): void {
    this.#suspendScheduled = false;
    // Suspending a cursor removes it.
    for (let cursor = this.#openCursors.at(-1); cursor; cursor = this.#openCursors.at(-1))
      cursor.suspend();
  }
}
