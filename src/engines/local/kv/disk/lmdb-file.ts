/**
 * One lmdb file: the only code that calls lmdb-js. LMDB.md lists what is called, in which state,
 * and why that is safe.
 */
import { statSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { Durability } from '../../../../data/store/index.js';
import type { CopyWriter } from './compact-file.js';
import { prepareDataFile } from './data-file.js';
import { encoder, type PairRange, pairKeyEncoder } from './disk-cursor.js';
import { pageSize } from './file-meta.js';
import {
  type CommitWork,
  FileSpace,
  freePagesOf,
  overflowPagesOf,
  pagesOfCommit,
  type TreePages,
} from './file-space.js';
import type { LmdbPackage } from './load-lmdb.js';
import { ensureReadBuffer, minUncopiedBytes } from './read-buffer.js';
import { storageError } from './storage-error.js';

/**
 * Flags of an abortable synchronous transaction, with and without flushing to disk (lmdb
 * index.d.ts, TransactionFlags).
 */
const flushed = 0x3;
const unflushed = 0x10003;

/** Options of a put after all other keys (MDB_APPEND). */
const appended = { append: true } as unknown as Parameters<Database['put']>[2];

type Database = RootDatabase<number | Uint8Array, Uint8Array>;

/** Counts of a tree, as lmdb-js returns them. Inside a transaction they include its writes. */
interface TreeStat {
  readonly treeDepth: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Members of lmdb's database that its types lack. */
interface DatabaseInternals {
  /** Bytes of the value that was read last. */
  lastSize: number;
  status: string;
  readonly db: { stat(): TreeStat };
  readonly env: {
    sync(): void;
    info(): { readonly lastPageNumber: number };
    freeStat(): TreeStat;
  };
  transactionSync<T>(work: () => T, flags: number): T;
}

/** How to open a file. */
export interface LmdbFileOptions {
  readonly durability: Durability;
  /** True for a copy: its commits need not be flushed one by one. */
  readonly isCopy?: boolean;
}

/** An open lmdb file. After a failed commit it must be closed. */
export class LmdbFile {
  /** Set by a failed commit: from then on only closing may be called of lmdb. */
  failure: RowsmithError | undefined = undefined;
  readonly #database: Database;
  readonly #space: FileSpace;
  readonly #flags: number;
  readonly #isCopy: boolean;
  #isClosed = false;
  /** The tree of pairs as it was committed last; undefined until it is needed. */
  #tree: TreePages | undefined = undefined;

  /** Opens the file, or creates it. Its pages have been checked. */
  constructor(
    readonly path: string,
    { open }: LmdbPackage,
    { durability, isCopy = false }: LmdbFileOptions,
  ) {
    this.#flags = durability === 'durable' && !isCopy ? flushed : unflushed;
    this.#isCopy = isCopy;
    const lastPage = prepareDataFile(path);
    this.#space = new FileSpace(path, lastPage);
    const options = {
      path,
      pageSize,
      encoder,
      keyEncoder: pairKeyEncoder,
      overlappingSync: false,
      noSubdir: true,
      maxDbs: 1,
      maxReaders: 8,
    };
    try {
      this.#database = open<number | Uint8Array, Uint8Array>(
        options as unknown as Parameters<typeof open>[0],
      );
      if (statSync(path).size >= minUncopiedBytes) ensureReadBuffer(this.#database);
    } catch (error) {
      this.#space.close();
      throw storageError(error, path);
    }
  }

  /** Reads a value into lmdb's shared buffer, of which it takes `lastValueSize` bytes. */
  readShared(key: Uint8Array): Uint8Array | undefined {
    this.#checkUsable();
    try {
      return this.#database.getBinaryFast(key);
    } catch (error) {
      throw storageError(error, this.path);
    }
  }

  get lastValueSize(): number {
    return this.#internals.lastSize;
  }

  /** Opens an lmdb iterator, and with it a read transaction. */
  openRange(bounds: PairRange): Iterator<unknown> {
    this.#checkUsable();
    return this.#database.getRange(bounds)[Symbol.iterator]() as Iterator<unknown>;
  }

  /**
   * Runs `work` and commits its writes. If `work` throws, or there is no space for its writes,
   * nothing was written. After any other error `failure` is set.
   */
  commit(work: (writer: CopyWriter) => void): void {
    this.#checkUsable();
    const { db, env } = this.#internals;
    const writer = new CountingWriter(this.#database);
    let committed: TreePages | undefined;
    let isCommitting = false;
    try {
      this.#internals.transactionSync(() => {
        const before = (this.#tree ??= treePages(db.stat()));
        work(writer);
        const after = treePages(db.stat());
        const { lastPageNumber } = env.info();
        const free = treePages(env.freeStat());
        const commit = { before, after, free, writes: writer, lastPage: lastPageNumber };
        const pages = pagesOfCommit(commit);
        const part = this.#isCopy ? 0 : remainingReserve(commit, pages, writer);
        this.#space.reserve(lastPageNumber, pages, part);
        isCommitting = true;
        committed = after;
      }, this.#flags);
      this.#tree = committed;
    } catch (error) {
      const cause = storageError(error, this.path);
      if (isCommitting || writer.hasFailed) this.failure = cause;
      throw cause;
    }
  }

  get isUsable(): boolean {
    return !this.#isClosed && this.failure === undefined;
  }

  /** Flushes everything that was committed. */
  sync(): void {
    this.#checkUsable();
    this.#space.sync();
  }

  /** Bytes of the file that lmdb uses. */
  get usedBytes(): number {
    return (this.#internals.env.info().lastPageNumber + 1) * pageSize;
  }

  /** Bytes of the pages that hold pairs. */
  get treeBytes(): number {
    return totalPages(treePages(this.#internals.db.stat())) * pageSize;
  }

  /**
   * Closes the file. It may be called again, and after a failed commit. Unless `mayTrim`, the file
   * is left as it is, because another process may be writing it.
   */
  close(mayTrim = true): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    let lastPage: number | undefined;
    if (this.failure === undefined) lastPage = this.#internals.env.info().lastPageNumber;
    // lmdb closes synchronously unless it has asynchronous operations pending, and we start none.
    void this.#database.close();
    const { status } = this.#internals;
    if (status === 'closed' && lastPage !== undefined && mayTrim) this.#space.trim(lastPage);
    this.#space.close();
    if (status !== 'closed') {
      throw new RowsmithError('STORAGE_FAILED', faults.notClosed);
    }
  }

  get #internals(): DatabaseInternals {
    return this.#database as unknown as DatabaseInternals;
  }

  #checkUsable(): void {
    if (this.failure !== undefined) throw this.failure;
    if (this.#isClosed) throw storageError(new Error('the file is closed'), this.path);
  }
}

/** Writes to the transaction and counts what determines how many pages it takes. */
class CountingWriter implements CopyWriter {
  operations = 0;
  overflowPages = 0;
  /** Whether a value takes several pages, which must follow each other. */
  hasLargeValue = false;
  /** True after an error of lmdb. */
  hasFailed = false;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#count(key, value);
    this.#run(() => this.#database.put(key, value));
  }

  append(key: Uint8Array, value: Uint8Array): void {
    this.#count(key, value);
    this.#run(() => this.#database.put(key, value, appended));
  }

  remove(key: Uint8Array): void {
    this.operations++;
    this.#run(() => this.#database.remove(key));
  }

  #count(key: Uint8Array, value: Uint8Array): void {
    this.operations++;
    const pages = overflowPagesOf(key.length, value.length);
    this.overflowPages += pages;
    if (pages > 1) this.hasLargeValue = true;
    if (value.length >= minUncopiedBytes) ensureReadBuffer(this.#database);
  }

  #run(write: () => unknown): void {
    try {
      write();
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

function treePages(stat: TreeStat): TreePages {
  return {
    depth: stat.treeDepth,
    branch: stat.treeBranchPageCount,
    leaf: stat.treeLeafPageCount,
    overflow: stat.overflowPages,
  };
}

/**
 * The part of the reserve that must remain after a commit. None for one that removes data, or
 * changes small rows. One that replaces a large value by another needs pages that follow each
 * other, and lmdb may take them from the reserve; so may one that probably uses free pages.
 */
function remainingReserve(commit: CommitWork, pages: number, writes: CountingWriter): number {
  const growth = totalPages(commit.after) - totalPages(commit.before);
  if (growth < 0 || (growth === 0 && !writes.hasLargeValue)) return 0;
  return freePagesOf(commit) > 2 * pages ? 1 / 4 : 1 / 2;
}

function totalPages({ branch, leaf, overflow }: TreePages): number {
  return branch + leaf + overflow;
}

const faults = {
  notClosed: {
    problem: 'lmdb did not close its file',
    fix: 'close the database and open it again',
  },
} satisfies FaultTexts;
