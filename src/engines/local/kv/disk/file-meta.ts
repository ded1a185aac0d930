/**
 * Reads and checks the meta pages of an lmdb file without lmdb, which follows whatever they say
 * (lmdb-js, mdb.c: MDB_page and MDB_meta, 64 bit). Every bit that has an effect is checked: against
 * its only value, against the other meta page, or against the size of the file.
 */
import type { FaultTexts, ProblemText } from '../../../../base/index.js';
import { fstatSync, readSync } from 'node:fs';
import { type FileMeta, noPage, type ReadPage, type TreeMeta } from './check-pages.js';

/** The page size of every file that this code writes. */
export const pageSize = 8192;
/** Meta pages at the start of the file. */
const metaPages = 2;
/** The part of a meta page that lmdb reads or writes. */
const metaBytes = 168;

/** Offsets in a meta page. */
const offsets = {
  page: 0,
  pageTransaction: 8,
  pageFlags: 16,
  pageBounds: 20,
  magic: 24,
  version: 28,
  address: 32,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
} as const;
/** Offsets in the record of a tree. */
const treeOffsets = {
  pad: 0,
  flags: 4,
  depth: 6,
  branchPages: 8,
  leafPages: 16,
  overflowPages: 24,
  entries: 32,
  root: 40,
} as const;

const magic = 0xbeefc0de;
const version = 2;
/** Padding of 16 bits, and the flag of a meta page (P_META). */
const metaPageFlags = 8 << 16;
/** MDB_NOSUBDIR of the environment, and MDB_INTEGERKEY. */
const freeTreeFlags = 0x4008;
/** Levels of a tree (CURSOR_STACK). */
const maxDepth = 32;
/**
 * A file may be shorter than its number of pages: pages at its end may have been allocated and
 * freed in one transaction, without being written.
 */
const maxMissingPages = 1 << 14;

/**
 * The meta pages, or why they are invalid. `abandoned`: the older one refers to trees that were
 * written later, as after a commit that failed at its end.
 */
export type MetaPages =
  | { readonly kind: 'valid'; readonly newest: FileMeta }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'abandoned'; readonly problem: string; readonly page: number };

/** Reads and checks both meta pages. */
export function readMetaPages(handle: number): MetaPages {
  const bytes = Buffer.alloc(metaPages * pageSize);
  const length = readSync(handle, bytes, 0, bytes.length, 0);
  if (length < bytes.length) return invalid(faults.missingMetaPages);
  const pages = [bytes.subarray(0, metaBytes), bytes.subarray(pageSize, pageSize + metaBytes)];
  const foreign = pages.findIndex((meta, page) => !hasConstants(meta, page));
  if (foreign >= 0) return invalid(faults.wrongMetaPage(foreign));
  const [first, second] = pages.map(readMeta);
  const [newest, other] =
    first.transaction > second.transaction ? [first, second] : [second, first];
  const read = pageReader(handle);
  const filePages = Math.floor(fstatSync(handle).size / pageSize);
  const problem =
    transactionProblem(first, second) ??
    treeProblem(newest, filePages) ??
    newestProblem(newest, other, read);
  if (problem !== undefined) return invalid({ problem });
  const otherProblem = treeProblem(other, filePages);
  if (otherProblem === undefined && (rootTransaction(other, read) ?? 0n) <= other.transaction)
    return { kind: 'valid', newest };
  return {
    kind: 'abandoned',
    ...faults.abandonedMetaPage(otherProblem ?? 'its older meta page does not belong to its trees'),
    page: Number(other.transaction & 1n),
  };
}

/** Returns a function that reads pages of the file by their numbers. */
export function pageReader(handle: number): ReadPage {
  return (page) => {
    const bytes = Buffer.allocUnsafe(pageSize);
    if (readSync(handle, bytes, 0, pageSize, page * pageSize) < pageSize) return undefined;
    return bytes;
  };
}

/** Pages that are read at once, and how far they may lie after the page that was read last. */
const windowPages = 32;
const maxGapPages = 4;

/** `pageReader` for a file that does not change: reads ahead where pages follow each other. */
export function aheadPageReader(handle: number): ReadPage {
  let last = -1;
  let first = 0;
  let bytes = Buffer.alloc(0);
  return (page) => {
    const isNext = page > last && page - last <= maxGapPages;
    last = page;
    const at = (page - first) * pageSize;
    if (at >= 0 && at + pageSize <= bytes.length) return bytes.subarray(at, at + pageSize);
    // A new buffer: pages of the one before may be in use.
    const buffer = Buffer.allocUnsafe((isNext ? windowPages : 1) * pageSize);
    const count = readSync(handle, buffer, 0, buffer.length, page * pageSize);
    first = page;
    bytes = buffer.subarray(0, count);
    return count < pageSize ? undefined : bytes.subarray(0, pageSize);
  };
}

/** The first pages of an empty file, as lmdb would write them (mdb_env_init_meta). */
export function emptyFile(): Buffer {
  const bytes = Buffer.alloc(metaPages * pageSize);
  for (let page = 0; page < metaPages; page++) {
    const meta = bytes.subarray(page * pageSize);
    meta.writeBigUInt64LE(BigInt(page), offsets.page);
    meta.writeUInt32LE(metaPageFlags, offsets.pageFlags);
    meta.writeUInt32LE(magic, offsets.magic);
    meta.writeUInt32LE(version, offsets.version);
    meta.writeUInt32LE(pageSize, offsets.free + treeOffsets.pad);
    meta.writeUInt16LE(freeTreeFlags, offsets.free + treeOffsets.flags);
    for (const tree of [offsets.free, offsets.main])
      meta.writeBigUInt64LE(noPage, tree + treeOffsets.root);
    meta.writeBigUInt64LE(BigInt(metaPages - 1), offsets.lastPage);
  }
  return bytes;
}

function invalid(fault: ProblemText): MetaPages {
  return { kind: 'invalid', problem: fault.problem };
}

/** True when the fields that have only one value have it. */
function hasConstants(meta: Buffer, page: number): boolean {
  return (
    meta.readBigUInt64LE(offsets.page) === BigInt(page) &&
    meta.readBigUInt64LE(offsets.pageTransaction) === 0n &&
    meta.readUInt32LE(offsets.pageFlags) === metaPageFlags &&
    meta.readUInt32LE(offsets.pageBounds) === 0 &&
    meta.readUInt32LE(offsets.magic) === magic &&
    meta.readUInt32LE(offsets.version) === version &&
    meta.readBigUInt64LE(offsets.address) === 0n &&
    meta.readUInt32LE(offsets.free + treeOffsets.pad) === pageSize &&
    meta.readUInt16LE(offsets.free + treeOffsets.flags) === freeTreeFlags &&
    meta.readUInt32LE(offsets.main + treeOffsets.pad) === 0 &&
    meta.readUInt16LE(offsets.main + treeOffsets.flags) === 0
  );
}

/** Transactions follow each other, and write the two pages in turn. */
function transactionProblem(first: FileMeta, second: FileMeta): string | undefined {
  const isInTurn =
    (first.transaction & 1n) === 0n &&
    (second.transaction === 0n || (second.transaction & 1n) === 1n);
  const difference = first.transaction - second.transaction;
  const isConsecutive = difference === 1n || difference === -1n;
  if (isInTurn && (isConsecutive || isInitial(first) || isInitial(second))) return undefined;
  return (
    `its meta pages are of transactions ${first.transaction} and ${second.transaction}, ` +
    'which do not follow each other: a write was lost'
  );
}

/** What is wrong with the trees that a meta page describes. */
function treeProblem({ free, main, lastPage }: FileMeta, filePages: number): string | undefined {
  if (lastPage < metaPages - 1) return 'it has an impossible last page';
  if (lastPage >= filePages + maxMissingPages) return 'it counts pages far beyond its end';
  let used = BigInt(metaPages);
  for (const tree of [free, main]) {
    const pages = tree.branchPages + tree.leafPages;
    used += pages + tree.overflowPages;
    const isEmpty = tree.root === noPage;
    if (isEmpty !== (tree.depth === 0) || isEmpty !== (pages === 0n) || tree.depth > maxDepth)
      return 'the depth of a tree does not match its pages';
    if (isEmpty && (tree.entries > 0n || tree.overflowPages > 0n))
      return 'it has pairs in an empty tree';
    if (!isEmpty && (tree.root < BigInt(metaPages) || tree.root > BigInt(lastPage)))
      return `it refers to page ${tree.root}, which does not exist`;
    if (!isEmpty && tree.root >= BigInt(filePages)) return `it ends before its page ${tree.root}`;
  }
  return used > BigInt(lastPage) + 1n ? 'it has fewer pages than its trees' : undefined;
}

/** What shows that the newest meta page was not written with the trees that it refers to. */
function newestProblem(newest: FileMeta, other: FileMeta, read: ReadPage): string | undefined {
  const written = rootTransaction(newest, read);
  if (written === undefined || written === newest.transaction) return undefined;
  // Compacting has copied pages that were older than the meta page (version 2).
  if (isInitial(other) && written < newest.transaction) return undefined;
  return `its newest meta page is of transaction ${newest.transaction}, but its trees are of ${written}`;
}

/**
 * True for a meta page that no transaction has written: in a file that was just created or
 * compacted, or after a commit that failed.
 */
function isInitial({ transaction, lastPage, main, free }: FileMeta): boolean {
  return (
    transaction === 0n && lastPage === metaPages - 1 && main.root === noPage && free.root === noPage
  );
}

/** The transaction that wrote the newer root, which every transaction does. */
function rootTransaction({ main, free }: FileMeta, read: ReadPage): bigint | undefined {
  let newest: bigint | undefined;
  for (const { root } of [main, free]) {
    if (root === noPage) continue;
    // A page that is cut off is reported by its checks.
    const transaction = read(Number(root))?.readBigUInt64LE(offsets.pageTransaction) ?? 0n;
    if (newest === undefined || transaction > newest) newest = transaction;
  }
  return newest;
}

function readMeta(meta: Buffer): FileMeta {
  return {
    pageSize,
    free: readTree(meta, offsets.free),
    main: readTree(meta, offsets.main),
    lastPage: Number(meta.readBigUInt64LE(offsets.lastPage)),
    transaction: meta.readBigUInt64LE(offsets.transaction),
  };
}

function readTree(meta: Buffer, offset: number): TreeMeta {
  const number = (field: number): bigint => meta.readBigUInt64LE(offset + field);
  return {
    depth: meta.readUInt16LE(offset + treeOffsets.depth),
    branchPages: number(treeOffsets.branchPages),
    leafPages: number(treeOffsets.leafPages),
    overflowPages: number(treeOffsets.overflowPages),
    entries: number(treeOffsets.entries),
    root: number(treeOffsets.root),
  };
}

const faults = {
  missingMetaPages: { problem: 'it does not begin with two lmdb meta pages' },
  wrongMetaPage: (foreign: number) => ({
    problem: `its meta page ${foreign} does not have the expected format`,
  }),
  abandonedMetaPage: (otherProblem: string) => ({ problem: otherProblem }),
} satisfies FaultTexts;
