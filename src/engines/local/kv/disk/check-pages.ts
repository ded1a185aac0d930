/**
 * Verifies the pages of an lmdb file before lmdb maps it. lmdb has no page checksums, so a damaged
 * page can end the process or hide rows. Every reachable page is checked for its layout, the order
 * of its keys, and the counts in the meta page. The pairs themselves are verified when they are
 * read (checked-store.ts). Layout: lmdb-js, mdb.c (MDB_page, MDB_node, MDB_db), 64 bit.
 */

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
/** Flag of a node whose data is on overflow pages (F_BIGDATA). */
const bigData = 1;
/** The first page after the meta pages. */
const firstPage = 2;

/** Returns a page in a new buffer; undefined past the end of the file. */
export type ReadPage = (page: number) => Buffer | undefined;

/** Describes the first fault of the file's pages; undefined when there is none. */
export function findPageFault(meta: FileMeta, read: ReadPage): string | undefined {
  try {
    const check = new PageCheck(meta, read);
    check.checkTree(meta.main, false);
    check.checkTree(meta.free, true);
    return undefined;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

const futureTransaction = 'was written by a transaction later than the last committed one';

class PageFault extends Error {}

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

class PageCheck {
  /** A bit for each page that is part of a tree. */
  readonly #used: Uint8Array;
  /** Bytes of a page after its header. */
  readonly #usableBytes: number;
  #counts: Counts = newCounts(0);
  /** True for the tree of free pages, whose keys are transaction IDs. */
  #isFreeTree = false;

  readonly #meta: FileMeta;
  readonly #read: ReadPage;

  constructor(meta: FileMeta, read: ReadPage) {
    this.#meta = meta;
    this.#read = read;
    this.#used = new Uint8Array((meta.lastPage >>> 3) + 1);
    this.#usableBytes = meta.pageSize - headerBytes;
  }

  /** Checks a tree from its root. `isFreeTree` is true for the tree of free pages. */
  checkTree(tree: TreeMeta, isFreeTree: boolean): void {
    this.#isFreeTree = isFreeTree;
    this.#counts = newCounts(tree.depth);
    if (tree.root !== noPage)
      this.#checkPage(this.#pageNumber(tree.root), 1, { low: undefined, high: undefined });
    const { branchPages, leafPages, overflowPages, entries } = this.#counts;
    const countsMatch =
      branchPages === tree.branchPages &&
      leafPages === tree.leafPages &&
      overflowPages === tree.overflowPages &&
      entries === tree.entries;
    if (!countsMatch)
      throw new PageFault('the numbers of pages and pairs differ from those in the meta page');
  }

  #checkPage(page: number, depth: number, bounds: KeyBounds): void {
    const bytes = this.#readPage(page);
    const type = bytes.readUInt16LE(18) & ~flags.dirtyOverflow;
    if (depth === this.#counts.depth) {
      if (type !== flags.leaf) throw pageFault(page, 'is not a leaf page');
      this.#checkLeafPage(bytes, page, bounds);
    } else {
      if (type !== flags.branch) throw pageFault(page, 'is not a branch page');
      this.#checkBranchPage(bytes, page, depth, bounds);
    }
  }

  #checkLeafPage(bytes: Buffer, page: number, bounds: KeyBounds): void {
    const nodes = this.#nodeStarts(bytes, page, (node) => leafDataBytes(bytes, node));
    this.#checkOrder(page, nodeKeys(bytes, nodes), bounds);
    this.#counts.leafPages++;
    this.#counts.entries += BigInt(nodes.length);
    for (const node of nodes) this.#checkLeafNode(bytes, node, page);
  }

  #checkBranchPage(bytes: Buffer, page: number, depth: number, { low, high }: KeyBounds): void {
    const nodes = this.#nodeStarts(bytes, page, () => 0);
    const keys = nodeKeys(bytes, nodes);
    // lmdb ignores the first key of a branch page.
    this.#checkOrder(page, keys.slice(1), { low, high });
    this.#counts.branchPages++;
    const lows = [low, ...keys.slice(1)];
    const highs = [...keys.slice(1), high];
    nodes.forEach((node, i) => {
      const child =
        BigInt(bytes.readUInt32LE(node)) | (BigInt(bytes.readUInt16LE(node + 4)) << 32n);
      this.#checkPage(this.#pageNumber(child), depth + 1, { low: lows[i], high: highs[i] });
    });
  }

  /**
   * Returns the offsets of the page's nodes, which fill its upper part without gaps. `dataBytes`
   * returns the bytes that a node takes in the page besides its header and key.
   */
  #nodeStarts(bytes: Buffer, page: number, dataBytes: (node: number) => number): number[] {
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > this.#usableBytes)
      throw pageFault(page, 'has invalid bounds of its free space');
    const nodes: number[] = [];
    let filled = 0;
    for (let i = 0; i < lower / 2; i++) {
      const offset = bytes.readUInt16LE(headerBytes + i * 2);
      if (offset % 2 !== 0 || offset < upper || offset + nodeBytes > this.#usableBytes)
        throw pageFault(page, 'has an invalid node offset');
      const node = headerBytes + offset;
      const size = nodeBytes + bytes.readUInt16LE(node + 6) + dataBytes(node);
      if (offset + size > this.#usableBytes)
        throw pageFault(page, 'has a node that extends past its end');
      filled += size + (size & 1);
      nodes.push(node);
    }
    if (filled !== this.#usableBytes - upper)
      throw pageFault(page, 'has nodes that do not fill its node area');
    return nodes;
  }

  #checkOrder(page: number, keys: readonly Buffer[], { low, high }: KeyBounds): void {
    let previous = low;
    keys.forEach((key, i) => {
      const order = previous === undefined ? 1 : this.#compareKeys(key, previous);
      // The first key may equal the one in the parent page.
      if (order < 0 || (order === 0 && i > 0)) throw pageFault(page, 'has keys out of order');
      previous = key;
    });
    if (high !== undefined && previous !== undefined && this.#compareKeys(previous, high) >= 0)
      throw pageFault(page, 'has keys beyond its upper bound');
  }

  #compareKeys(a: Buffer, b: Buffer): number {
    return this.#isFreeTree ? compareTransactionIds(a, b) : a.compare(b);
  }

  #checkLeafNode(bytes: Buffer, node: number, page: number): void {
    const kind = bytes.readUInt16LE(node + 4);
    if (kind !== 0 && kind !== bigData) throw pageFault(page, 'has a node of an unknown kind');
    const offset = node + nodeBytes + bytes.readUInt16LE(node + 6);
    const size = bytes.readUInt32LE(node);
    let data = bytes.subarray(offset, offset + size);
    if (kind === bigData) data = this.#readOverflow(bytes, offset, size);
    if (this.#isFreeTree) this.#checkFreePages(data, size, page);
  }

  /** Checks a node's overflow pages and returns the data on the first of them. */
  #readOverflow(bytes: Buffer, offset: number, size: number): Buffer {
    const first = this.#pageNumber(bytes.readBigUInt64LE(offset));
    const pages = Math.floor((headerBytes - 1 + size) / this.#meta.pageSize) + 1;
    if (bytes.readBigUInt64LE(offset + 8) > this.#meta.transaction)
      throw pageFault(first, futureTransaction);
    if (bytes.readBigUInt64LE(offset + 16) !== BigInt(pages))
      throw pageFault(first, 'begins a run of overflow pages of the wrong length');
    this.#pageNumber(BigInt(first + pages - 1));
    const head = this.#readPage(first);
    if (head.readUInt16LE(18) !== flags.overflow || head.readUInt32LE(20) !== pages)
      throw pageFault(first, 'is not an overflow page of the expected length');
    for (let page = first + 1; page < first + pages; page++) this.#markUsed(page);
    this.#counts.overflowPages += BigInt(pages);
    return head.subarray(headerBytes);
  }

  /** Checks a list of free pages: its length, then page numbers, none of which may be in use. */
  #checkFreePages(data: Buffer, size: number, page: number): void {
    if (size < 8 || (data.readBigUInt64LE(0) + 1n) * 8n > BigInt(size))
      throw pageFault(page, 'has a list of free pages that is longer than its node');
    const count = Number(data.readBigUInt64LE(0));
    for (let i = 1; i <= count && i * 8 + 8 <= data.length; i++) {
      const number = data.readBigInt64LE(i * 8);
      // In lmdb-js, a negative number is the length of a run.
      if (number > 0n && (number > BigInt(this.#meta.lastPage) || this.#isUsed(Number(number))))
        throw pageFault(Number(number), 'is listed as free but in use, or past the end');
    }
  }

  #pageNumber(page: bigint): number {
    if (page < BigInt(firstPage) || page > BigInt(this.#meta.lastPage))
      throw new PageFault(`the file refers to page ${page}, which does not exist`);
    return Number(page);
  }

  #readPage(page: number): Buffer {
    this.#markUsed(page);
    const bytes = this.#read(page);
    if (bytes === undefined) throw pageFault(page, 'is cut off');
    if (bytes.readBigUInt64LE(0) !== BigInt(page)) throw pageFault(page, 'has another page number');
    // lmdb would modify pages of the running transaction in place, and a mapped page is read-only.
    if (bytes.readBigUInt64LE(8) > this.#meta.transaction) throw pageFault(page, futureTransaction);
    return bytes;
  }

  #markUsed(page: number): void {
    if (this.#isUsed(page)) throw pageFault(page, 'is referenced twice');
    this.#used[page >>> 3] |= 1 << (page & 7);
  }

  #isUsed(page: number): boolean {
    return (this.#used[page >>> 3] & (1 << (page & 7))) !== 0;
  }
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

function pageFault(page: number, problem: string): PageFault {
  return new PageFault(`page ${page} ${problem}`);
}
