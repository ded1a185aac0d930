/**
 * The meta pages of an lmdb file, read without lmdb (lmdb-js mdb.c, MDB_page and MDB_meta, 64 bit).
 */
import { readSync } from 'node:fs';
import type { FileMeta, ReadPage, TreeMeta } from './check-pages.js';

const magic = 0xbeefc0de;
/** The format's version, in the lower half of its field. */
const version = 2;
const at = {
  magic: 24,
  version: 28,
  pageSize: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
  end: 160,
} as const;
const inTree = {
  depth: 6,
  branchPages: 8,
  leafPages: 16,
  overflowPages: 24,
  entries: 32,
  root: 40,
} as const;
/** Pages of an lmdb file have 512 to 65,536 bytes, a power of two. */
const pageSizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/** The newer of the two meta pages; undefined when either is none. */
export function readFileMeta(handle: number): FileMeta | undefined {
  const first = readMeta(handle, 0);
  const second = first && readMeta(handle, first.pageSize);
  if (first === undefined || second === undefined) return undefined;
  return second.transaction > first.transaction ? second : first;
}

/** The meta page at a place of the file; undefined when there is none. */
export function readMeta(handle: number, place: number): FileMeta | undefined {
  const page = Buffer.alloc(at.end);
  if (readSync(handle, page, 0, page.length, place) < page.length) return undefined;
  const pageSize = page.readUInt32LE(at.pageSize);
  if (
    page.readUInt32LE(at.magic) !== magic ||
    page.readUInt16LE(at.version) !== version ||
    !pageSizes.includes(pageSize)
  )
    return undefined;
  const lastPage = Number(page.readBigUInt64LE(at.lastPage));
  return {
    pageSize,
    free: readTree(page, at.free),
    main: readTree(page, at.main),
    lastPage,
    transaction: page.readBigUInt64LE(at.transaction),
  };
}

/** Reads the file's pages by their numbers. */
export function pageReader(handle: number, pageSize: number): ReadPage {
  return (page) => {
    const bytes = Buffer.allocUnsafe(pageSize);
    return readSync(handle, bytes, 0, pageSize, page * pageSize) < pageSize ? undefined : bytes;
  };
}

function readTree(page: Buffer, place: number): TreeMeta {
  const number = (field: number): bigint => page.readBigUInt64LE(place + field);
  return {
    depth: page.readUInt16LE(place + inTree.depth),
    branchPages: number(inTree.branchPages),
    leafPages: number(inTree.leafPages),
    overflowPages: number(inTree.overflowPages),
    entries: number(inTree.entries),
    root: number(inTree.root),
  };
}
