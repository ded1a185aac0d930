/**
 * Looks through the pages of an lmdb file before lmdb maps it. lmdb keeps no checksums and follows
 * whatever its pages say, so that a damaged page ends the process or hides rows; here every page
 * that is reached is held to its form, to its place in the order of keys, and to the counts in the
 * meta page. What the pages hold (our pairs) is checked when it is read: checked-store.ts. Layout:
 * lmdb-js, mdb.c (MDB_page, MDB_node, MDB_db), 64 bit.
 */

/** One of lmdb's two trees, as a meta page has it (MDB_db). */
export interface TreeMeta {
  readonly depth: number;
  readonly branchPages: bigint;
  readonly leafPages: bigint;
  readonly overflowPages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

/** What a meta page says (MDB_meta). */
export interface FileMeta {
  readonly pageSize: number;
  readonly free: TreeMeta;
  readonly main: TreeMeta;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** A root of a tree without pages (P_INVALID). */
export const noPage = 2n ** 64n - 1n;

const headerBytes = 24;
const nodeBytes = 8;
/** Bytes of a node's data that is a reference to pages of its own (MDB_ovpage). */
const overflowNodeBytes = 24;
const flags = {
  branch: 1,
  leaf: 2,
  overflow: 4,
  /** May stay on a page of the file; says nothing there. */ dirtyOverflow: 0x2000,
} as const;
/** The node's data lies in pages of its own (F_BIGDATA). */
const bigData = 1;
/** Meta pages come first. */
const firstPage = 2;

/** Reads a page into a buffer of its own; undefined past the end of the file. */
export type ReadPage = (page: number) => Buffer | undefined;

/** What is wrong with the file's pages, or undefined. */
export function faultOfPages(meta: FileMeta, read: ReadPage): string | undefined {
  try {
    const check = new PageCheck(meta, read);
    check.tree(meta.main, false);
    check.tree(meta.free, true);
    return undefined;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

class PageFault extends Error {}

interface Counts {
  depth: number;
  branchPages: bigint;
  leafPages: bigint;
  overflowPages: bigint;
  entries: bigint;
}

class PageCheck {
  /** A bit for each page that a tree holds. */
  readonly #used: Uint8Array;
  readonly #room: number;
  #counts: Counts = {
    depth: 0,
    branchPages: 0n,
    leafPages: 0n,
    overflowPages: 0n,
    entries: 0n,
  };

  readonly #meta: FileMeta;
  readonly #read: ReadPage;

  constructor(meta: FileMeta, read: ReadPage) {
    this.#meta = meta;
    this.#read = read;
    this.#used = new Uint8Array((meta.lastPage >>> 3) + 1);
    this.#room = meta.pageSize - headerBytes;
  }

  /** One tree from its root; `free` for the tree of free pages, whose keys are numbers. */
  tree(tree: TreeMeta, free: boolean): void {
    this.#counts = {
      depth: tree.depth,
      branchPages: 0n,
      leafPages: 0n,
      overflowPages: 0n,
      entries: 0n,
    };
    if (tree.root !== noPage) this.#page(this.#number(tree.root), 1, undefined, undefined, free);
    const { branchPages, leafPages, overflowPages, entries } = this.#counts;
    const agree =
      branchPages === tree.branchPages &&
      leafPages === tree.leafPages &&
      overflowPages === tree.overflowPages &&
      entries === tree.entries;
    if (!agree) throw new PageFault('the file has more or fewer pages or pairs than it says');
  }

  /** A page of a tree, whose keys lie in `[low, high)`. */
  #page(
    page: number,
    depth: number,
    low: Buffer | undefined,
    high: Buffer | undefined,
    free: boolean,
  ): void {
    const bytes = this.#take(page);
    const leaf = depth === this.#counts.depth;
    if ((bytes.readUInt16LE(18) & ~flags.dirtyOverflow) !== (leaf ? flags.leaf : flags.branch))
      throw fault(page, 'is of another kind than its place asks for');
    const starts = this.#nodes(bytes, page, leaf);
    const keys = starts.map((start) =>
      bytes.subarray(start + nodeBytes, start + nodeBytes + bytes.readUInt16LE(start + 6)),
    );
    this.#checkOrder(page, leaf ? keys : keys.slice(1), low, high, free);
    if (leaf) {
      this.#counts.leafPages++;
      this.#counts.entries += BigInt(starts.length);
      for (const start of starts) this.#leafNode(bytes, start, page, free);
      return;
    }
    this.#counts.branchPages++;
    starts.forEach((start, at) => {
      const child =
        BigInt(bytes.readUInt32LE(start)) | (BigInt(bytes.readUInt16LE(start + 4)) << 32n);
      this.#page(
        this.#number(child),
        depth + 1,
        at === 0 ? low : keys[at],
        at + 1 < keys.length ? keys[at + 1] : high,
        free,
      );
    });
  }

  /** Where the page's nodes begin; they fill its upper part without gaps. */
  #nodes(bytes: Buffer, page: number, leaf: boolean): number[] {
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > this.#room)
      throw fault(page, 'does not say where its nodes lie');
    const starts: number[] = [];
    let filled = 0;
    for (let at = 0; at < lower / 2; at++) {
      const place = bytes.readUInt16LE(headerBytes + at * 2);
      if (place % 2 !== 0 || place < upper || place + nodeBytes > this.#room)
        throw fault(page, 'has a node outside its nodes');
      const start = headerBytes + place;
      const size = nodeBytes + bytes.readUInt16LE(start + 6) + (leaf ? dataBytes(bytes, start) : 0);
      if (place + size > this.#room) throw fault(page, 'has a node that does not end in it');
      filled += size + (size & 1);
      starts.push(start);
    }
    if (filled !== this.#room - upper) throw fault(page, 'has nodes of other sizes than it says');
    return starts;
  }

  #checkOrder(
    page: number,
    keys: readonly Buffer[],
    low: Buffer | undefined,
    high: Buffer | undefined,
    free: boolean,
  ): void {
    let before = low;
    keys.forEach((key, at) => {
      const order = before === undefined ? 1 : compareKeys(key, before, free);
      // A page's first key may be the one that leads to it.
      if (order < 0 || (order === 0 && at > 0)) throw fault(page, 'has keys out of order');
      before = key;
    });
    if (high !== undefined && before !== undefined && compareKeys(before, high, free) >= 0)
      throw fault(page, 'has keys past its end');
  }

  #leafNode(bytes: Buffer, start: number, page: number, free: boolean): void {
    const kind = bytes.readUInt16LE(start + 4);
    if (kind !== 0 && kind !== bigData) throw fault(page, 'has a node of an unknown kind');
    const at = start + nodeBytes + bytes.readUInt16LE(start + 6);
    const size = bytes.readUInt32LE(start);
    const data = kind === bigData ? this.#overflow(bytes, at, size) : bytes.subarray(at, at + size);
    if (free) this.#freePages(data, size, page);
  }

  /** A node's data in pages of its own; the first of them, behind its header. */
  #overflow(bytes: Buffer, at: number, size: number): Buffer {
    const first = this.#number(bytes.readBigUInt64LE(at));
    const pages = Math.floor((headerBytes - 1 + size) / this.#meta.pageSize) + 1;
    if (bytes.readBigUInt64LE(at + 8) > this.#meta.transaction)
      throw fault(first, 'is of a transaction that has not been');
    if (bytes.readBigUInt64LE(at + 16) !== BigInt(pages))
      throw fault(first, 'is the first of more or fewer than its data needs');
    this.#number(BigInt(first + pages - 1));
    const head = this.#take(first);
    if (head.readUInt16LE(18) !== flags.overflow || head.readUInt32LE(20) !== pages)
      throw fault(first, 'is of another kind than its place asks for');
    for (let page = first + 1; page < first + pages; page++) this.#mark(page);
    this.#counts.overflowPages += BigInt(pages);
    return head.subarray(headerBytes);
  }

  /** A list of free pages: its length, then numbers; those that are in use cannot be free. */
  #freePages(data: Buffer, size: number, page: number): void {
    if (size < 8 || (data.readBigUInt64LE(0) + 1n) * 8n > BigInt(size))
      throw fault(page, 'has a list of free pages that does not end in it');
    const count = Number(data.readBigUInt64LE(0));
    for (let at = 1; at <= count && at * 8 + 8 <= data.length; at++) {
      const number = data.readBigInt64LE(at * 8);
      // A length of a run, in lmdb-js, is negative.
      if (number > 0n && (number > BigInt(this.#meta.lastPage) || this.#isUsed(Number(number))))
        throw fault(Number(number), 'is said to be free and is not');
    }
  }

  #number(page: bigint): number {
    if (page < BigInt(firstPage) || page > BigInt(this.#meta.lastPage))
      throw new PageFault(`the file names page ${page}, which it does not have`);
    return Number(page);
  }

  #take(page: number): Buffer {
    this.#mark(page);
    const bytes = this.#read(page);
    if (bytes === undefined) throw fault(page, 'is cut off');
    if (bytes.readBigUInt64LE(0) !== BigInt(page)) throw fault(page, 'says that it is another one');
    // lmdb writes to pages of the running transaction where they lie, and to a mapped page it
    // cannot.
    if (bytes.readBigUInt64LE(8) > this.#meta.transaction)
      throw fault(page, 'is of a transaction that has not been');
    return bytes;
  }

  #mark(page: number): void {
    if (this.#isUsed(page)) throw fault(page, 'is named twice');
    this.#used[page >>> 3] |= 1 << (page & 7);
  }

  #isUsed(page: number): boolean {
    return (this.#used[page >>> 3] & (1 << (page & 7))) !== 0;
  }
}

/** Bytes of a leaf node's data inside the page. */
function dataBytes(bytes: Buffer, start: number): number {
  return bytes.readUInt16LE(start + 4) === bigData ? overflowNodeBytes : bytes.readUInt32LE(start);
}

/** Keys of the free tree are transactions, 8 bytes as the machine has them. */
function compareKeys(a: Buffer, b: Buffer, numbers: boolean): number {
  if (!numbers) return a.compare(b);
  if (a.length !== 8 || b.length !== 8) return -1;
  const [x, y] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function fault(page: number, what: string): PageFault {
  return new PageFault(`page ${page} ${what}`);
}
