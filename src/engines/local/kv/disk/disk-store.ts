/**
 * The ordered store on disk: lmdb, read where its bytes lie. lmdb copies each pair into two buffers
 * that all its databases in the process share, so the cursor whose pair lies there is remembered
 * (`holder`) and its bytes are saved before anything else is read.
 */
import { noBytes, copyBytes } from '../../../../bytes/index.js';
import type { RootDatabase } from 'lmdb';
import { RowsmithError } from '../../../../errors.js';
import type { Durability } from '../../../../store/index.js';
import { compactFile, type CompactedStore } from './compact-file.js';
import type { OrderedStore, PairCursor, PairOwner, PairWriter } from '../ordered-store.js';

/** Keys end at 4,026 bytes only from this page size on (lmdb open.js, MAX_KEY_SIZE). */
const pageSize = 8192;
/**
 * lmdb's abortable synchronous transaction, and the same without the flush (index.d.ts,
 * TransactionFlags).
 */
const flushed = 0x3;
const unflushed = 0x10003;

/**
 * What lmdb's codecs left behind for the last pair read: module state, because lmdb's buffers are
 * module state too.
 */
let keyBytes: Uint8Array = noBytes;
let keyEnd = 0;
let valueBytes: Uint8Array = keyBytes;
let valueEnd = 0;
/** The cursor whose current pair lies in lmdb's shared buffers. */
let holder: DiskPairs | undefined;

const keyEncoder = {
  writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
    target.set(key, start);
    return start + key.length;
  },
  readKey(target: Uint8Array, _start: number, end: number): number {
    keyBytes = target;
    keyEnd = end;
    return 0;
  },
};
/** Where getRange leaves the key in its buffer (lmdb read.js: readKey(keyBytes, 32, ...)). */
const keyOffset = 32;

const encoder = {
  encode: (value: Uint8Array): Uint8Array => value,
  decode(bytes: Uint8Array, size: number): number {
    valueBytes = bytes;
    valueEnd = size;
    return 0;
  },
};

type Database = RootDatabase<number | Uint8Array, Uint8Array>;
/** Opens an lmdb file with our settings. */
type OpenFile = (path: string) => Database;
/** lmdb's own members that its types leave out. */
interface Inner {
  lastSize: number;
  transactionSync<T>(work: () => T, flags: number): T;
}

/** Opens (and creates) the lmdb file. The caller has made sure that it may. */
export async function openDiskStore(file: string, durability: Durability): Promise<DiskStore> {
  const { open } = await import('lmdb');
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
      return open<number | Uint8Array, Uint8Array>(
        options as unknown as Parameters<typeof open>[0],
      );
    };
    return new DiskStore(file, openFile, durability);
  } catch (cause) {
    throw storageError(cause, file);
  }
}

/** What an error of lmdb is in our words: a damaged file, or a failure of the storage. */
export function storageError(cause: unknown, file?: string): RowsmithError {
  if (cause instanceof RowsmithError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/MDB_(INVALID|CORRUPTED|PAGE_NOTFOUND|VERSION_MISMATCH|PANIC)/.test(text)) {
    return new RowsmithError(
      'CORRUPT_DATA',
      { file, problem: text, fix: 'restore the directory from a backup' },
      { cause },
    );
  }
  return new RowsmithError(
    'STORAGE_FAILED',
    { file, problem: text, fix: 'look at the free space and the permissions of the directory' },
    { cause },
  );
}

/** An ordered store in one lmdb file. */
export class DiskStore implements OrderedStore {
  #current: Database;
  readonly #walks = new Set<DiskPairs>();
  #sweeping = false;
  /** Keys written since the record was last taken; undefined while there is no record. */
  #written: Set<string> | undefined = undefined;

  readonly #file: string;
  readonly #open: OpenFile;
  readonly #durability: Durability;

  constructor(file: string, open: OpenFile, durability: Durability) {
    this.#file = file;
    this.#open = open;
    this.#durability = durability;
    this.#current = open(file);
  }

  /** lmdb's handle; another one after compacting. */
  get database(): Database {
    return this.#current;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    releaseBuffers();
    const bytes = this.fetch(key);
    return bytes === undefined
      ? undefined
      : copyBytes(bytes, 0, (this.database as unknown as Inner).lastSize);
  }

  lookup(key: Uint8Array): PairCursor {
    return new DiskPairs(this, key, undefined, false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new DiskPairs(this, start, end, reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    const { database } = this;
    const written = this.#written;
    const writer: PairWriter =
      written === undefined
        ? {
            put: (key, value) => void database.put(key, value),
            remove: (key) => void database.remove(key),
          }
        : {
            put: (key, value) => (written.add(keyText(key)), void database.put(key, value)),
            remove: (key) => (written.add(keyText(key)), void database.remove(key)),
          };
    releaseBuffers();
    try {
      (database as unknown as Inner).transactionSync(
        () => work(writer),
        this.#durability === 'durable' ? flushed : unflushed,
      );
    } catch (error) {
      throw storageError(error);
    }
  }

  async close(): Promise<void> {
    this.#leaveWalks();
    if (this.#durability === 'relaxed')
      (this.database as unknown as { env: { sync(): void } }).env.sync();
    await this.database.close();
  }

  /**
   * Gives the file's free pages back; answers the bytes it became smaller. `check` throws when the
   * store is to be closed.
   */
  async compact(check: () => void): Promise<number> {
    try {
      return await compactFile(this.#compacted(), this.#file, check);
    } catch (error) {
      throw storageError(error, this.#file);
    }
  }

  #compacted(): CompactedStore {
    return {
      backup: (path) => this.#current.backup(path, true),
      takeWritten: () => {
        const written = this.#written ?? new Set<string>();
        this.#written = new Set();
        return written;
      },
      forgetWritten: () => void (this.#written = undefined),
      get: (key) => this.get(key),
      openCopy: (path) => {
        const copy = this.#open(path);
        return {
          put: (pairs) =>
            (copy as unknown as Inner).transactionSync(() => {
              for (const [key, value] of pairs) {
                if (value === undefined) void copy.remove(key);
                else void copy.put(key, value);
              }
            }, flushed),
          close: () => closeNow(copy),
        };
      },
      reopen: (exchange) => {
        this.#leaveWalks();
        closeNow(this.#current);
        try {
          exchange();
        } finally {
          this.#current = this.#open(this.#file);
        }
      },
    };
  }

  /** The value in lmdb's shared buffer, `lastSize` bytes of it. */
  fetch(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.database.getBinaryFast(key);
    } catch (error) {
      throw storageError(error);
    }
  }

  /**
   * Notes a walk that holds a read transaction; whatever is still open when the event loop turns is
   * let go of then.
   */
  began(walk: DiskPairs): void {
    this.#walks.add(walk);
    if (this.#sweeping) return;
    this.#sweeping = true;
    setImmediate(() => this.#leaveWalks());
  }

  ended(walk: DiskPairs): void {
    this.#walks.delete(walk);
  }

  #leaveWalks(): void {
    this.#sweeping = false;
    for (const walk of this.#walks) walk.leave();
  }
}

class DiskPairs implements PairCursor {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  owner: PairOwner | undefined = undefined;
  #iterator: Iterator<unknown> | undefined = undefined;
  #started = false;
  #done = false;

  readonly #store: DiskStore;
  readonly #start: Uint8Array;
  readonly #end: Uint8Array | undefined;
  readonly #reversed: boolean;

  /** Without an end: the one pair at `start`. */
  constructor(store: DiskStore, start: Uint8Array, end: Uint8Array | undefined, reversed: boolean) {
    this.#store = store;
    this.#start = start;
    this.#end = end;
    this.#reversed = reversed;
  }

  next(): boolean {
    if (this.#done) return false;
    if (this.#end === undefined) return this.#point();
    if (holder !== this) releaseBuffers();
    try {
      if (this.#iterator === undefined) this.#begin(this.#end);
      hold(this);
      if (this.#iterator!.next().done === true) {
        this.close();
        return false;
      }
    } catch (error) {
      this.close();
      throw storageError(error);
    }
    this.#started = true;
    this.keyBytes = keyBytes;
    this.keyStart = keyOffset;
    this.keyEnd = keyEnd;
    this.valueBytes = valueBytes;
    this.valueEnd = valueEnd;
    return true;
  }

  close(): void {
    this.#done = true;
    if (holder === this) holder = undefined;
    this.#iterator?.return?.();
    this.#iterator = undefined;
    this.#store.ended(this);
  }

  /** Gives the read transaction back; a later `next` takes the walk up behind the current pair. */
  leave(): void {
    if (holder === this) releaseBuffers();
    this.#iterator?.return?.();
    this.#iterator = undefined;
    this.#store.ended(this);
  }

  /** Copies the current pair out of lmdb's buffers, to the same offsets. */
  save(): void {
    this.keyBytes = copyBytes(this.keyBytes, 0, this.keyEnd);
    this.valueBytes = copyBytes(this.valueBytes, 0, this.valueEnd);
    this.owner?.pairMoved(this);
  }

  #begin(end: Uint8Array): void {
    const from = this.#started ? copyBytes(this.keyBytes, this.keyStart, this.keyEnd) : undefined;
    const range = this.#reversed
      ? {
          start: from ?? end,
          exclusiveStart: true,
          end: this.#start,
          inclusiveEnd: true,
          reverse: true,
        }
      : { start: from ?? this.#start, exclusiveStart: from !== undefined, end };
    this.#iterator = this.#store.database.getRange(range)[Symbol.iterator]() as Iterator<unknown>;
    this.#store.began(this);
  }

  #point(): boolean {
    this.#done = true;
    releaseBuffers();
    const bytes = this.#store.fetch(this.#start);
    if (bytes === undefined) return false;
    hold(this);
    this.keyBytes = this.#start;
    this.keyEnd = this.#start.length;
    this.valueBytes = bytes;
    this.valueEnd = (this.#store.database as unknown as Inner).lastSize;
    return true;
  }
}

/** lmdb closes at once when no asynchronous work is under way, and we start none. */
function closeNow(database: Database): void {
  void database.close();
  if ((database as unknown as { status: string }).status !== 'closed') {
    throw new RowsmithError('STORAGE_FAILED', {
      problem: 'lmdb did not close its file',
      fix: 'close the database and open it again',
    });
  }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}

function hold(pairs: DiskPairs): void {
  holder = pairs;
}

function releaseBuffers(): void {
  const owner = holder;
  holder = undefined;
  owner?.save();
}
