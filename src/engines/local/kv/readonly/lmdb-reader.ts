/**
 * Reads an lmdb file without lmdb: beside the process that writes to it, without write access, and
 * without mapping it. lmdb writes a page of the last committed state only after it was freed, so a
 * page is either the one that a snapshot refers to, or has the number of a later transaction that
 * wrote it. Pages are checked when they are read. What cannot be read as part of the snapshot is
 * CORRUPT_DATA, unless there is a newer snapshot: see snapshot-store.ts.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { type TreePage, overflowSize, overflowValue, parseTreePage } from './tree-page.js';

/** The page size of every file that Rowsmith writes. */
const pageSize = 8192;
/** Offsets in a meta page: of the main tree's depth and root, and of other fields. */
const offsets = { magic: 24, depth: 102, root: 136, lastPage: 144, transaction: 152 } as const;
const metaBytes = 160;
const magic = 0xbeefc0de;
/** Root of an empty tree. */
const noPage = 2n ** 64n - 1n;
/** About 16 MiB. All are forgotten when there are more. */
const maxPages = 2048;
/** Attempts to read a meta page that is being written. */
const maxMetaReads = 10;

interface Meta {
  readonly transaction: bigint;
  /** Undefined when the tree is empty. */
  readonly root: number | undefined;
  readonly depth: number;
  readonly lastPage: number;
}

/** The state of the file after one of its transactions. */
export class LmdbReader {
  #handle: number;
  #inode: bigint;
  #meta: Meta;
  readonly #pages = new Map<number, TreePage>();

  readonly #path: string;

  /** Opens the file, and reads its newest state. */
  constructor(path: string) {
    this.#path = path;
    this.#handle = openSync(path, 'r');
    try {
      this.#inode = fstatSync(this.#handle, { bigint: true }).ino;
      this.#meta = this.#readMeta();
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /** Moves to the newest state of the file; false when that is the current one. */
  renew(): boolean {
    // Compaction replaces the file.
    const isReplaced = statSync(this.#path, { bigint: true }).ino !== this.#inode;
    if (isReplaced) {
      const handle = openSync(this.#path, 'r');
      closeSync(this.#handle);
      this.#handle = handle;
      this.#inode = fstatSync(handle, { bigint: true }).ino;
    }
    const meta = this.#readMeta();
    if (!isReplaced && meta.transaction === this.#meta.transaction) return false;
    this.#meta = meta;
    this.#pages.clear();
    return true;
  }

  /** The root page; undefined when the tree is empty. */
  get root(): TreePage | undefined {
    return this.#meta.root === undefined ? undefined : this.page(this.#meta.root);
  }

  /** Number of levels of the tree. */
  get depth(): number {
    return this.#meta.depth;
  }

  page(number: number): TreePage {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const parsed = parseTreePage(this.#read(number, pageSize), number, this.#meta.transaction);
    if (parsed === undefined) throw this.corruptError(faults.wrongPage(number));
    if (this.#pages.size >= maxPages) this.#pages.clear();
    this.#pages.set(number, parsed);
    return parsed;
  }

  /** A value of so many bytes on overflow pages. */
  overflowValue(number: number, bytes: number): Buffer {
    const read = this.#read(number, overflowSize(bytes));
    const value = overflowValue(read, number, this.#meta.transaction);
    if (value === undefined) throw this.corruptError(faults.wrongPage(number));
    return value;
  }

  corruptError(fault: ProblemText): RowsmithError {
    const fix = 'restore the directory from a backup';
    return new RowsmithError('CORRUPT_DATA', { file: this.#path, problem: fault.problem, fix });
  }

  close(): void {
    closeSync(this.#handle);
  }

  #read(page: number, bytes: number): Buffer {
    const lastPage = page + Math.ceil(bytes / pageSize) - 1;
    if (page < 2 || lastPage > this.#meta.lastPage)
      throw this.corruptError(faults.missingPage(page));
    const buffer = Buffer.allocUnsafe(bytes);
    if (readSync(this.#handle, buffer, 0, bytes, page * pageSize) < bytes)
      throw this.corruptError(faults.cutOff(page));
    return buffer;
  }

  /** The newer of the two meta pages. */
  #readMeta(): Meta {
    for (let reads = 0; reads < maxMetaReads; reads++) {
      const first = readMeta(this.#handle, 0);
      const second = readMeta(this.#handle, pageSize);
      if (first === undefined || second === undefined) continue;
      const [newest, other] =
        second.transaction > first.transaction ? [second, first] : [first, second];
      // Transactions write them in turn; one that was not written yet has number 0.
      const isPair = newest.transaction - other.transaction === 1n || other.transaction === 0n;
      if (isPair) return newest;
    }
    throw this.corruptError(faults.unpairedMetaPages);
  }
}

function readMeta(handle: number, position: number): Meta | undefined {
  const bytes = Buffer.alloc(metaBytes);
  if (readSync(handle, bytes, 0, metaBytes, position) < metaBytes) return undefined;
  if (bytes.readUInt32LE(offsets.magic) !== magic) return undefined;
  const root = bytes.readBigUInt64LE(offsets.root);
  return {
    transaction: bytes.readBigUInt64LE(offsets.transaction),
    root: root === noPage ? undefined : Number(root),
    depth: bytes.readUInt16LE(offsets.depth),
    lastPage: Number(bytes.readBigUInt64LE(offsets.lastPage)),
  };
}

const faults = {
  wrongPage: (number: number) => ({ problem: `page ${number} does not have the expected content` }),
  missingPage: (page: number) => ({ problem: `page ${page} does not exist` }),
  cutOff: (page: number) => ({ problem: `page ${page} is cut off` }),
  unpairedMetaPages: { problem: 'its meta pages do not belong together' },
} satisfies FaultTexts;
