/**
 * Reads the meta pages of an lmdb file without lmdb (lmdb-js, mdb.c: MDB_page and MDB_meta, 64
 * bit).
 */
import { readSync } from 'node:fs';
import type { FileMeta, ReadPage, TreeMeta } from './check-pages.js';

const magic = 0xbeefc0de;
/** Version of the format, in the lower half of its field. */
const version = 2;
/** Offsets in a meta page. */
const offsets = {
  magic: 24,
  version: 28,
  pageSize: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
  end: 160,
} as const;
/** Offsets in the record of a tree. */
const treeOffsets = {
  depth: 6,
  branchPages: 8,
  leafPages: 16,
  overflowPages: 24,
  entries: 32,
  root: 40,
} as const;
/** The page sizes of lmdb. */
const pageSizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/** Returns the newer of the two meta pages; undefined when either is invalid. */
export function readFileMeta(handle: number): FileMeta | undefined {
  const pages = readMetaPages(handle);
  if (pages === undefined) return undefined;
  const [first, second] = pages;
  return second.transaction > first.transaction ? second : first;
}

/** Returns both meta pages; undefined when either is invalid. */
export function readMetaPages(handle: number): readonly [FileMeta, FileMeta] | undefined {
  const first = readMeta(handle, 0);
  if (first === undefined) return undefined;
  const second = readMeta(handle, first.pageSize);
  if (second === undefined) return undefined;
  return [first, second];
}

function readMeta(handle: number, offset: number): FileMeta | undefined {
  const page = Buffer.alloc(offsets.end);
  if (readSync(handle, page, 0, page.length, offset) < page.length) return undefined;
  const pageSize = page.readUInt32LE(offsets.pageSize);
  if (
    page.readUInt32LE(offsets.magic) !== magic ||
    page.readUInt16LE(offsets.version) !== version ||
    !pageSizes.includes(pageSize)
  )
    return undefined;
  const lastPage = Number(page.readBigUInt64LE(offsets.lastPage));
  return {
    pageSize,
    free: readTree(page, offsets.free),
    main: readTree(page, offsets.main),
    lastPage,
    transaction: page.readBigUInt64LE(offsets.transaction),
  };
}

/** Returns a function that reads pages of the file by their numbers. */
export function pageReader(handle: number, pageSize: number): ReadPage {
  return (page) => {
    const bytes = Buffer.allocUnsafe(pageSize);
    if (readSync(handle, bytes, 0, pageSize, page * pageSize) < pageSize) return undefined;
    return bytes;
  };
}

function readTree(page: Buffer, offset: number): TreeMeta {
  const number = (field: number): bigint => page.readBigUInt64LE(offset + field);
  return {
    depth: page.readUInt16LE(offset + treeOffsets.depth),
    branchPages: number(treeOffsets.branchPages),
    leafPages: number(treeOffsets.leafPages),
    overflowPages: number(treeOffsets.overflowPages),
    entries: number(treeOffsets.entries),
    root: number(treeOffsets.root),
  };
}
