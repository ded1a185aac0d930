/**
 * Verifies the pages of an lmdb file before lmdb maps it. lmdb has no page checksums, so a damaged
 * page can end the process or hide rows. Every reachable page is checked for its layout, the order
 * of its keys, and the counts in the meta page. The pairs themselves are verified when they are
 * read (checked-store.ts). Layout: lmdb-js, mdb.c (MDB_page, MDB_node, MDB_db), 64 bit.
 */
import { pageFaults } from './page-faults.js';
import type { ProblemText } from '../../../../base/index.js';

/** Record of one of lmdb's two trees in a meta page (MDB_db). */
export interface TreeMeta {
  readonly depth: number;
  readonly branchPages: bigint;
  readonly leafPages: bigint;
  readonly overflowPages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

/** A meta page (MDB_meta). */
export interface FileMeta {
  readonly pageSize: number;
  /** The tree of free pages. */
  readonly free: TreeMeta;
  /** The tree of pairs. */
  readonly main: TreeMeta;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** Root of an empty tree (P_INVALID). */
export const noPage = 2n ** 64n - 1n;

const headerBytes = 24;
const nodeBytes = 8;
/** Bytes of a reference to overflow pages in a node (MDB_ovpage). */
const overflowNodeBytes = 24;
/** Page types (mp_flags). */
const flags = {
  branch: 1,
  leaf: 2,
  overflow: 4,
  /** Has no meaning in the file, but may have been written. */
  dirtyOverflow: 0x2000,
} as const;
/** Flag of a node with its data on overflow pages (F_BIGDATA). */
const bigData = 1;
/** The first page after the meta pages. */
const firstPage = 2;

/** Returns a page in a new buffer; undefined past the end of the file. */
export type ReadPage = (page: number) => Buffer | undefined;

/** Describes the first fault of the file's pages; undefined when there is none. */
export function findPageFault(meta: FileMeta, read: ReadPage): string | undefined {
  return faultOf(() => {
    const check = new PageCheck(meta, read);
    check.checkTree(meta.main, false);
    check.checkTree(meta.free, true);
  });
}

/** Describes the fault that a check finds; undefined when there is none. */
export function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

/** Leaf pages with the same parent, which are checked together. */
export interface LeafGroup {
  /** The parent, or the only leaf page of the tree. */
  readonly page: number;
  /** Its content. lmdb may write the parent anew before its leaf pages are checked. */
  readonly bytes: Buffer;
  /** The keys `low <= key < high` are in this group; undefined for no bound. */
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
  /** First keys of the second and of the last leaf page; undefined if there is only one. */
  readonly secondLow: Buffer | undefined;
  readonly lastLow: Buffer | undefined;
}

const futureTransaction = 'was written by a transaction later than the last committed one';

const countsDiffer = 'the numbers of pages and pairs differ from those in the meta page';

class PageFault extends Error {}

/** A page that a branch page refers to. */
interface Child {
  readonly page: number;
  readonly bounds: KeyBounds;
}

interface Counts {
  depth: number;
  branchPages: bigint;
  leafPages: bigint;
  overflowPages: bigint;
  entries: bigint;
}

/** The keys that a page may hold: `low <= key < high`, undefined for no bound. */
interface KeyBounds {
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

/** Checks the pages of one file. */
export class PageCheck {
  /** A bit for each page that is part of a tree. */
  readonly #used: Uint8Array;
  /** A bit for each page that is listed as free. */
  readonly #free: Uint8Array;
  /** Collects leaf pages, which are then not checked with their tree. */
  #groups: LeafGroup[] | undefined = undefined;
  /** Bytes of a page after its header. */
  readonly #usableBytes: number;
  #counts: Counts = newCounts(0);
  /** True for the tree of free pages, with transaction IDs as keys. */
  #isFreeTree = false;

  readonly #meta: FileMeta;
  readonly #read: ReadPage;

  constructor(meta: FileMeta, read: ReadPage) {
    this.#meta = meta;
    this.#read = read;
    this.#used = new Uint8Array((meta.lastPage >>> 3) + 1);
    this.#free = new Uint8Array(this.#used.length);
    this.#usableBytes = meta.pageSize - headerBytes;
  }

  /** Checks a tree from its root. `isFreeTree` is true for the tree of free pages. */
  checkTree(tree: TreeMeta, isFreeTree: boolean): void {
    this.#walkTree(tree, isFreeTree);
    this.#checkCounts(tree);
  }

  /** Checks the branch pages of the tree of pairs, and returns its leaf pages in key order. */
  leafGroups(tree: TreeMeta): readonly LeafGroup[] {
    const groups: LeafGroup[] = (this.#groups = []);
    this.#walkTree(tree, false);
    this.#groups = undefined;
    const { branchPages, leafPages } = this.#counts;
    if (branchPages !== tree.branchPages || leafPages !== tree.leafPages)
      throw new PageFault(countsDiffer);
    return groups;
  }

  /** Checks leaf pages that `leafGroups` has returned, and returns what they hold. */
  checkGroup(group: LeafGroup, depth: number): { entries: bigint; overflowPages: bigint } {
    this.#isFreeTree = false;
    this.#counts = newCounts(depth);
    const { page, bytes, low, high } = group;
    if (depth === 1) this.#checkLeaf(bytes, page, { low, high });
    else {
      for (const child of this.#children(bytes, page, { low, high }))
        this.#checkLeaf(this.#readPage(child.page), child.page, child.bounds);
    }
    return this.#counts;
  }

  #walkTree(tree: TreeMeta, isFreeTree: boolean): void {
    this.#isFreeTree = isFreeTree;
    this.#counts = newCounts(tree.depth);
    if (tree.root !== noPage)
      this.#checkPage(this.#pageNumber(tree.root), 1, { low: undefined, high: undefined });
  }

  #checkCounts(tree: TreeMeta): void {
    const { branchPages, leafPages, overflowPages, entries } = this.#counts;
    const countsMatch =
      branchPages === tree.branchPages &&
      leafPages === tree.leafPages &&
      overflowPages === tree.overflowPages &&
      entries === tree.entries;
    if (!countsMatch) throw new PageFault(countsDiffer);
  }

  #checkPage(page: number, depth: number, bounds: KeyBounds): void {
    this.#markUsed(page);
    const bytes = this.#readPage(page);
    if (depth < this.#counts.depth) return this.#checkBranchPage(bytes, page, depth, bounds);
    this.#counts.leafPages++;
    if (this.#groups === undefined) this.#checkLeaf(bytes, page, bounds);
    else this.#groups.push({ page, bytes, ...bounds, secondLow: undefined, lastLow: undefined });
  }

  #checkLeaf(bytes: Buffer, page: number, bounds: KeyBounds): void {
    if (typeOf(bytes) !== flags.leaf) throw pageFault(page, pageFaults.notALeafPage);
    const nodes = this.#nodeStarts(bytes, page, (node) => leafDataBytes(bytes, node));
    this.#checkOrder(page, nodeKeys(bytes, nodes), bounds);
    this.#counts.entries += BigInt(nodes.length);
    for (const node of nodes) this.#checkLeafNode(bytes, node, page);
  }

  #checkBranchPage(bytes: Buffer, page: number, depth: number, bounds: KeyBounds): void {
    this.#counts.branchPages++;
    const children = this.#children(bytes, page, bounds);
    if (this.#groups === undefined || depth + 1 < this.#counts.depth) {
      for (const child of children) this.#checkPage(child.page, depth + 1, child.bounds);
      return;
    }
    for (const child of children) this.#markUsed(child.page);
    this.#counts.leafPages += BigInt(children.length);
    this.#groups.push({
      page,
      bytes,
      ...bounds,
      secondLow: children.at(1)?.bounds.low,
      lastLow: children.length > 1 ? children.at(-1)!.bounds.low : undefined,
    });
  }

  /** Checks a branch page and returns the pages that it refers to. */
  #children(bytes: Buffer, page: number, { low, high }: KeyBounds): Child[] {
    if (typeOf(bytes) !== flags.branch) throw pageFault(page, pageFaults.notABranchPage);
    const nodes = this.#nodeStarts(bytes, page, () => 0);
    const keys = nodeKeys(bytes, nodes);
    // lmdb ignores the first key of a branch page.
    this.#checkOrder(page, keys.slice(1), { low, high });
    const lows = [low, ...keys.slice(1)];
    const highs = [...keys.slice(1), high];
    return nodes.map((node, i) => {
      const child =
        BigInt(bytes.readUInt32LE(node)) | (BigInt(bytes.readUInt16LE(node + 4)) << 32n);
      return { page: this.#pageNumber(child), bounds: { low: lows[i], high: highs[i] } };
    });
  }

  /**
   * Returns the offsets of the page's nodes, which fill its upper part without gaps. `dataBytes`
   * returns the bytes that a node takes in the page besides its header and key.
   */
  #nodeStarts(bytes: Buffer, page: number, dataBytes: (node: number) => number): number[] {
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > this.#usableBytes)
      throw pageFault(page, pageFaults.freeSpaceOutOfBounds);
    const nodes: number[] = [];
    let filled = 0;
    for (let i = 0; i < lower / 2; i++) {
      const offset = bytes.readUInt16LE(headerBytes + i * 2);
      if (offset % 2 !== 0 || offset < upper || offset + nodeBytes > this.#usableBytes)
        throw pageFault(page, pageFaults.wrongNodeOffset);
      const node = headerBytes + offset;
      const size = nodeBytes + bytes.readUInt16LE(node + 6) + dataBytes(node);
      if (offset + size > this.#usableBytes) throw pageFault(page, pageFaults.nodePastEnd);
      filled += size + (size & 1);
      nodes.push(node);
    }
    if (filled !== this.#usableBytes - upper) throw pageFault(page, pageFaults.unfilledNodeArea);
    return nodes;
  }

  #checkOrder(page: number, keys: readonly Buffer[], { low, high }: KeyBounds): void {
    let previous = low;
    keys.forEach((key, i) => {
      const order = previous === undefined ? 1 : this.#compareKeys(key, previous);
      // The first key may equal the one in the parent page.
      if (order < 0 || (order === 0 && i > 0)) throw pageFault(page, pageFaults.keysOutOfOrder);
      previous = key;
    });
    if (high !== undefined && previous !== undefined && this.#compareKeys(previous, high) >= 0)
      throw pageFault(page, pageFaults.keysBeyondBound);
  }

  #compareKeys(a: Buffer, b: Buffer): number {
    return this.#isFreeTree ? compareTransactionIds(a, b) : a.compare(b);
  }

  #checkLeafNode(bytes: Buffer, node: number, page: number): void {
    const kind = bytes.readUInt16LE(node + 4);
    if (kind !== 0 && kind !== bigData) throw pageFault(page, pageFaults.unknownNode);
    const offset = node + nodeBytes + bytes.readUInt16LE(node + 6);
    const size = bytes.readUInt32LE(node);
    let data = bytes.subarray(offset, offset + size);
    if (kind === bigData) data = this.#readOverflow(bytes, offset, size);
    if (this.#isFreeTree) this.#checkFreePages(data, page);
  }

  /** Checks a node's overflow pages, and returns their data in the tree of free pages. */
  #readOverflow(bytes: Buffer, offset: number, size: number): Buffer {
    const first = this.#pageNumber(bytes.readBigUInt64LE(offset));
    const pages = Math.floor((headerBytes - 1 + size) / this.#meta.pageSize) + 1;
    if (bytes.readBigUInt64LE(offset + 8) > this.#meta.transaction)
      throw pageFault(first, { problem: futureTransaction });
    if (bytes.readBigUInt64LE(offset + 16) !== BigInt(pages))
      throw pageFault(first, pageFaults.wrongRunLength);
    this.#pageNumber(BigInt(first + pages - 1));
    const head = this.#readPage(first);
    if (typeOf(head) !== flags.overflow || head.readUInt32LE(20) !== pages)
      throw pageFault(first, pageFaults.wrongOverflowPage);
    for (let page = first; page < first + pages; page++) this.#markUsed(page);
    this.#counts.overflowPages += BigInt(pages);
    if (!this.#isFreeTree) return head;
    const rest = Array.from({ length: pages - 1 }, (_, i) => this.#readBytes(first + 1 + i));
    return Buffer.concat([head, ...rest]).subarray(headerBytes, headerBytes + size);
  }

  /** Checks a list of free pages: page numbers, each after the length of its run, if negative. */
  #checkFreePages(data: Buffer, page: number): void {
    if (data.length < 8 || (data.readBigUInt64LE(0) + 1n) * 8n > BigInt(data.length))
      throw pageFault(page, pageFaults.freeListTooLong);
    const count = Number(data.readBigUInt64LE(0));
    let length = 1n;
    for (let i = 1; i <= count; i++) {
      const number = data.readBigInt64LE(i * 8);
      if (number < 0n) length = -number;
      else if (number > 0n) {
        this.#markFree(number, length);
        length = 1n;
      }
    }
  }

  #markFree(first: bigint, length: bigint): void {
    if (first < BigInt(firstPage) || first + length > BigInt(this.#meta.lastPage) + 1n)
      throw new PageFault(`page ${first} is listed as free, but does not exist`);
    for (let page = Number(first); page < Number(first + length); page++) {
      if (this.#isUsed(page)) throw pageFault(page, pageFaults.freeButUsed);
      this.#free[page >>> 3] |= 1 << (page & 7);
    }
  }

  #pageNumber(page: bigint): number {
    if (page < BigInt(firstPage) || page > BigInt(this.#meta.lastPage))
      throw new PageFault(`the file refers to page ${page}, which does not exist`);
    return Number(page);
  }

  #readPage(page: number): Buffer {
    const bytes = this.#readBytes(page);
    if (bytes.readBigUInt64LE(0) !== BigInt(page))
      throw pageFault(page, pageFaults.wrongPageNumber);
    // lmdb would modify pages of the running transaction in place, and a mapped page is read-only.
    if (bytes.readBigUInt64LE(8) > this.#meta.transaction)
      throw pageFault(page, { problem: futureTransaction });
    return bytes;
  }

  #readBytes(page: number): Buffer {
    const bytes = this.#read(page);
    if (bytes === undefined) throw pageFault(page, pageFaults.cutOff);
    return bytes;
  }

  #markUsed(page: number): void {
    if (this.#isUsed(page)) throw pageFault(page, pageFaults.referencedTwice);
    if ((this.#free[page >>> 3] & (1 << (page & 7))) !== 0)
      throw pageFault(page, pageFaults.usedButFree);
    this.#used[page >>> 3] |= 1 << (page & 7);
  }

  #isUsed(page: number): boolean {
    return (this.#used[page >>> 3] & (1 << (page & 7))) !== 0;
  }
}

/** The type of a page, without flags that only have a meaning in memory. */
function typeOf(bytes: Buffer): number {
  return bytes.readUInt16LE(18) & ~flags.dirtyOverflow;
}

function newCounts(depth: number): Counts {
  return { depth, branchPages: 0n, leafPages: 0n, overflowPages: 0n, entries: 0n };
}

function nodeKeys(bytes: Buffer, nodes: readonly number[]): Buffer[] {
  return nodes.map((node) => {
    const start = node + nodeBytes;
    return bytes.subarray(start, start + bytes.readUInt16LE(node + 6));
  });
}

/** Bytes of a leaf node's data inside the page. */
function leafDataBytes(bytes: Buffer, node: number): number {
  if (bytes.readUInt16LE(node + 4) === bigData) return overflowNodeBytes;
  return bytes.readUInt32LE(node);
}

/** Compares keys of the free tree: transaction IDs of 8 bytes in the machine's byte order. */
function compareTransactionIds(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return -1;
  return Number(a.readBigUInt64LE(0) - b.readBigUInt64LE(0));
}

function pageFault(page: number, { problem }: ProblemText): PageFault {
  return new PageFault(`page ${page} ${problem}`);
}
