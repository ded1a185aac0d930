/** The ordered store on disk, over lmdb. */
import { statSync } from 'node:fs';
import { copyBytes } from '../../../../bytes/index.js';
import type { RootDatabase } from 'lmdb';
import { RowsmithError } from '../../../../errors.js';
import type { Durability } from '../../../../store/index.js';
import { compactFile, type CompactedStore } from './compact-file.js';
import type { OrderedStore, PairCursor, PairWriter } from '../ordered-store.js';
import {
  type CursorStore,
  DiskCursor,
  encoder,
  type KeyBounds,
  keyEncoder,
  releaseBuffers,
} from './disk-cursor.js';
import { loadLmdb } from './load-lmdb.js';
import { ensureReadBuffer, minUncopiedBytes } from './read-buffer.js';
import { storageError } from './storage-error.js';

/** The smallest page size with keys of 4,026 bytes (lmdb open.js, MAX_KEY_SIZE). */
const pageSize = 8192;
/**
 * Flags of an abortable synchronous transaction, with and without flushing to disk (lmdb
 * index.d.ts, TransactionFlags).
 */
const flushed = 0x3;
const unflushed = 0x10003;

type Database = RootDatabase<number | Uint8Array, Uint8Array>;
/** Opens an lmdb file with the settings of this store. */
type OpenFile = (path: string) => Database;
/** Members of lmdb's database that its types lack. */
interface DatabaseInternals {
  /** Bytes of the value that was read last. */
  lastSize: number;
  status: string;
  env: { sync(): void };
  transactionSync<T>(work: () => T, flags: number): T;
}

function internals(database: Database): DatabaseInternals {
  return database as unknown as DatabaseInternals;
}

/** Opens the lmdb file, or creates it. The caller has checked that the file may be opened. */
export async function openDiskStore(file: string, durability: Durability): Promise<DiskStore> {
  const { open } = await loadLmdb();
  try {
    const openFile: OpenFile = (path) => {
      const options = {
        path,
        pageSize,
        encoder,
        keyEncoder,
        overlappingSync: false,
        noSubdir: true,
        maxDbs: 1,
        maxReaders: 8,
      };
      const database = open<number | Uint8Array, Uint8Array>(
        options as unknown as Parameters<typeof open>[0],
      );
      if (statSync(path).size >= minUncopiedBytes) ensureReadBuffer(database);
      return database;
    };
    return new DiskStore(file, openFile, durability);
  } catch (cause) {
    throw storageError(cause, file);
  }
}

/** An ordered store in one lmdb file. */
export class DiskStore implements OrderedStore, CursorStore {
  /** Replaced by compacting. */
  #database: Database;
  /** Cursors with a read transaction. */
  readonly #openCursors = new Set<DiskCursor>();
  #suspendScheduled = false;
  /** Keys written since `takeWrittenKeys`; undefined while none are recorded. */
  #writtenKeys: Set<string> | undefined = undefined;

  readonly #file: string;
  readonly #open: OpenFile;
  readonly #durability: Durability;

  constructor(file: string, open: OpenFile, durability: Durability) {
    this.#file = file;
    this.#open = open;
    this.#durability = durability;
    this.#database = open(file);
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
    const writer = this.#writer();
    const flags = this.#durability === 'durable' ? flushed : unflushed;
    try {
      internals(this.#database).transactionSync(() => work(writer), flags);
    } catch (error) {
      throw storageError(error);
    }
  }

  async close(): Promise<void> {
    this.#suspendCursors();
    if (this.#durability === 'relaxed') internals(this.#database).env.sync();
    await this.#database.close();
  }

  /**
   * Removes the free pages of the file and returns by how many bytes it shrank. `check` throws when
   * the store is to be closed.
   */
  async compact(check: () => void): Promise<number> {
    try {
      return await compactFile(this.#compacted(), this.#file, check);
    } catch (error) {
      throw storageError(error, this.#file);
    }
  }

  #writer(): PairWriter {
    const database = this.#database;
    const writtenKeys = this.#writtenKeys;
    return {
      put(key, value) {
        writtenKeys?.add(keyText(key));
        if (value.length >= minUncopiedBytes) ensureReadBuffer(database);
        void database.put(key, value);
      },
      remove(key) {
        writtenKeys?.add(keyText(key));
        void database.remove(key);
      },
    };
  }

  #compacted(): CompactedStore {
    return {
      backup: (path) => this.#database.backup(path, true),
      takeWrittenKeys: () => {
        const keys = this.#writtenKeys ?? new Set<string>();
        this.#writtenKeys = new Set();
        return keys;
      },
      stopRecording: () => void (this.#writtenKeys = undefined),
      get: (key) => this.get(key),
      openCopy: (path) => {
        const copy = this.#open(path);
        return {
          put: (changes) =>
            internals(copy).transactionSync(() => {
              for (const [key, value] of changes) {
                if (value === undefined) void copy.remove(key);
                else void copy.put(key, value);
              }
            }, flushed),
          close: () => closeNow(copy),
        };
      },
      reopen: (replaceFile) => {
        this.#suspendCursors();
        closeNow(this.#database);
        try {
          replaceFile();
        } finally {
          this.#database = this.#open(this.#file);
        }
      },
    };
  }

  /** Reads a value into lmdb's shared buffer, of which it takes `lastValueSize` bytes. */
  readShared(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#database.getBinaryFast(key);
    } catch (error) {
      throw storageError(error);
    }
  }

  get lastValueSize(): number {
    return internals(this.#database).lastSize;
  }

  /** Opens an lmdb iterator, and with it a read transaction, for a cursor. */
  openRange(cursor: DiskCursor, bounds: KeyBounds): Iterator<unknown> {
    const iterator = this.#database.getRange(bounds)[Symbol.iterator]() as Iterator<unknown>;
    this.#onCursorOpened(cursor);
    return iterator;
  }

  onCursorReleased(cursor: DiskCursor): void {
    this.#openCursors.delete(cursor);
  }

  /**
   * Read transactions end with the turn of the event loop: cursors still open then are suspended.
   */
  #onCursorOpened(cursor: DiskCursor): void {
    this.#openCursors.add(cursor);
    if (this.#suspendScheduled) return;
    this.#suspendScheduled = true;
    setImmediate(() => this.#suspendCursors());
  }

  #suspendCursors(): void {
    this.#suspendScheduled = false;
    for (const cursor of this.#openCursors) cursor.suspend();
  }
}

/** lmdb closes synchronously unless it has asynchronous operations pending, and we start none. */
function closeNow(database: Database): void {
  void database.close();
  if (internals(database).status !== 'closed') {
    throw new RowsmithError('STORAGE_FAILED', {
      problem: 'lmdb did not close its file',
      fix: 'close the database and open it again',
    });
  }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
