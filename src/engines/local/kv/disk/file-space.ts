/**
 * Space for the pages that lmdb is about to write. lmdb-js damages the heap of the process when a
 * write of pages fails (LMDB.md), so before a commit zeros are written after the last page, to as
 * many pages as the commit can take at most. A full disk, an exceeded quota and a limit of the file
 * size are then errors of JavaScript, before lmdb does anything.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { pageSize } from './file-meta.js';

const pageHeaderBytes = 24;
/** The largest node that is stored in a leaf page: half of it (me_nodemax). */
const maxNodeBytes = 4082;
const nodeHeaderBytes = 8;
/** Bytes of a page number in a list of free pages. */
const pageNumberBytes = 8;
/** Pages beyond what can be calculated. */
const marginPages = 16;

/** Pages that are kept for commits which make the data smaller. */
const minReservePages = 64;
const maxReservePages = 256;
/** The file grows by at least 1/16, in steps of up to 4 MiB. */
const maxStepPages = 512;
const zeros = new Uint8Array(1024 * 1024);

/** Numbers of pages of a tree. */
export interface TreePages {
  readonly depth: number;
  readonly branch: number;
  readonly leaf: number;
  readonly overflow: number;
}

/** What a commit does. */
export interface CommitWork {
  /** The tree of pairs before and after its writes. */
  readonly before: TreePages;
  readonly after: TreePages;
  /** The tree of free pages before them. */
  readonly free: TreePages;
  /** Puts and removals, and the overflow pages of the values that were put. */
  readonly writes: { readonly operations: number; readonly overflowPages: number };
  readonly lastPage: number;
}

/** Overflow pages of a pair. */
export function overflowPagesOf(keyBytes: number, valueBytes: number): number {
  if (nodeHeaderBytes + keyBytes + valueBytes <= maxNodeBytes) return 0;
  return Math.floor((pageHeaderBytes - 1 + valueBytes) / pageSize) + 1;
}

/** Pages of the file that are free when a commit begins. */
export function freePagesOf({ before, free, lastPage }: CommitWork): number {
  const used = before.branch + before.leaf + before.overflow + free.branch + free.leaf;
  return Math.max(0, lastPage + 1 - used - free.overflow);
}

/** At most this many pages are written by a commit: none of them in place, all of them new. */
export function pagesOfCommit(work: CommitWork): number {
  const { before, after, free, writes } = work;
  // An operation changes a leaf page, and joins it with a neighbour when it becomes empty.
  const leaf =
    Math.min(2 * writes.operations, before.leaf) +
    Math.max(0, after.leaf - before.leaf) +
    writes.operations;
  const depth = Math.max(before.depth, after.depth);
  const branch =
    Math.min(2 * writes.operations * depth, before.branch) +
    Math.max(0, after.branch - before.branch) +
    Math.min(writes.operations, before.branch);
  const freed =
    leaf + branch + Math.max(0, before.overflow + writes.overflowPages - after.overflow);
  // Each free page takes at most two numbers in a list, of which all may be written again.
  const listBytes = (freed + freePagesOf(work)) * 2 * pageNumberBytes;
  const lists = 2 * Math.ceil(listBytes / (pageSize - pageHeaderBytes)) + 2 * free.depth;
  return leaf + branch + writes.overflowPages + lists + marginPages;
}

/** The space of one file, which has been opened by lmdb or is going to be. */
export class FileSpace {
  readonly #handle: number;
  /** Pages with allocated space. */
  #pages: number;

  constructor(path: string, lastPage: number) {
    this.#handle = openSync(path, 'r+');
    try {
      this.#pages = Math.floor(fstatSync(this.#handle).size / pageSize);
      this.#extendTo(lastPage + 1);
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /**
   * Makes sure that `pages` pages after the last one can be written, and that this part of the
   * reserve remains. Throws the error of the file system when they cannot.
   */
  reserve(lastPage: number, pages: number, remainingPart: number): void {
    const needed = lastPage + 1 + pages;
    const reserve = reservePages(lastPage);
    const wanted = needed + reserve;
    if (this.#pages >= wanted) return this.#probe();
    try {
      this.#extendTo(wanted + Math.min(maxStepPages, this.#pages >>> 4));
    } catch {
      // There may be space for less.
      this.#extend(needed, wanted, Math.floor(reserve * remainingPart));
    }
  }

  /** Gives back what is allocated beyond the reserve. */
  trim(lastPage: number): void {
    const pages = lastPage + 1 + reservePages(lastPage);
    if (this.#pages <= pages) return;
    try {
      this.#truncate(pages);
    } catch {
      // The file stays larger than it need be.
    }
  }

  /** Flushes the file. */
  sync(): void {
    fdatasyncSync(this.#handle);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #extend(needed: number, wanted: number, reserve: number): void {
    try {
      this.#extendTo(wanted);
    } catch {
      if (this.#pages >= needed + reserve) return this.#probe();
      this.#extendTo(needed + reserve);
    }
  }

  /** Writes zeros up to a page, or nothing. */
  #extendTo(pages: number): void {
    const before = this.#pages;
    if (pages <= before) return;
    try {
      writeZeros(this.#handle, before * pageSize, pages * pageSize);
      this.#pages = pages;
    } catch (error) {
      this.#pages = before;
      ftruncateSync(this.#handle, before * pageSize);
      throw error;
    }
  }

  #truncate(pages: number): void {
    ftruncateSync(this.#handle, pages * pageSize);
    this.#pages = pages;
  }

  /** Fails where the file can no longer be written, as after a failure of the disk. */
  #probe(): void {
    writeSync(this.#handle, zeros, 0, 1, this.#pages * pageSize - 1);
  }
}

function reservePages(lastPage: number): number {
  return Math.max(minReservePages, Math.min(maxReservePages, lastPage >>> 3));
}

/** Writes zeros to `[from, to)`. A full disk may write less than it was given. */
function writeZeros(handle: number, from: number, to: number): void {
  for (let position = from; position < to;) {
    const bytes = Math.min(zeros.length, to - position);
    const written = writeSync(handle, zeros, 0, bytes, position);
    if (written === 0) throw new Error('the file system wrote nothing');
    position += written;
  }
}
