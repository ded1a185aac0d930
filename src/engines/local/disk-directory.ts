/** The directory of a database on disk: what may be opened, and who holds it. FORMAT.md is the specification. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError } from '../../errors.js';
import { copyName, removeCopy } from './compact-file.js';
import { storageError } from './disk-store.js';
import type { OrderedStore } from './ordered-store.js';
import { metaKey } from './store-key.js';

/** Name of the format; FORMAT.md. */
export const formatName = 'rowsmith-local';
/** Version of the format that this code writes, and the newest it reads. */
export const formatVersion = 1;

const markerFile = 'rowsmith.json';
const dataFile = 'data.mdb';
/** What may lie in the directory: ours, lmdb's lock, a marker and a compacted copy that were not finished. */
const ours = new Set([markerFile, `${markerFile}.new`, dataFile, `${dataFile}-lock`, copyName(dataFile), `${copyName(dataFile)}-lock`]);
/** lmdb's magic number, and where its two meta pages hold what is read here (lmdb-js mdb.c, MDB_page_header and MDB_meta, 64 bit). */
const magic = 0xbeefc0de;
const metaAt = { magic: 24, pageSize: 48, freeRoot: 88, mainRoot: 136, lastPage: 144, transaction: 152, end: 160 } as const;
/** A root of a tree without pages (mdb.c, P_INVALID). */
const noPage = 2n ** 64n - 1n;

/** Makes sure that the directory is a database of ours, or makes it one; answers the data file. Changes nothing in a foreign directory. */
export function prepareDirectory(directory: string): string {
  const marker = join(directory, markerFile);
  try {
    if (existsSync(directory)) checkContents(directory);
    mkdirSync(directory, { recursive: true });
    if (!existsSync(marker)) writeMarker(directory, marker);
    const file = join(directory, dataFile);
    if (existsSync(file)) checkDataFile(file);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') throw notADatabase(directory, 'it is a file');
    throw storageError(error, directory);
  }
}

/** Makes this engine the holder of the directory; answers what lets go of it. */
export function claimDirectory(store: OrderedStore, directory: string): () => void {
  const ownerKey = metaKey('owner');
  const owner = new TextEncoder().encode(JSON.stringify({ pid: process.pid, started: startOf(process.pid), token: Math.random() }));
  const formatKey = metaKey('format');
  // lmdb gives its write transaction to one process at a time, so nobody comes between the look and the claim.
  store.commit((writer) => {
    const format = store.get(formatKey);
    if (format === undefined) writer.put(formatKey, new TextEncoder().encode(formatText()));
    else checkFormat(Buffer.from(format).toString(), directory);
    const held = store.get(ownerKey);
    if (held !== undefined) checkOwner(held, directory);
    writer.put(ownerKey, owner);
  });
  removeCopy(join(directory, dataFile));
  fillDataFile(join(directory, dataFile));
  return () => store.commit((writer) => writer.remove(ownerKey));
}

function checkContents(directory: string): void {
  const names = readdirSync(directory);
  const foreign = names.find((name) => !ours.has(name));
  if (foreign !== undefined) throw notADatabase(directory, `it holds '${foreign}'`);
  if (names.includes(markerFile)) checkFormat(readFileSync(join(directory, markerFile), 'utf8'), directory);
  else if (names.includes(dataFile)) throw notADatabase(directory, `it holds '${dataFile}' but no '${markerFile}'`);
}

function formatText(): string {
  return JSON.stringify({ format: formatName, version: formatVersion });
}

function checkFormat(text: string, directory: string): void {
  let found: { format?: unknown; version?: unknown } | null;
  try {
    found = JSON.parse(text) as { format?: unknown; version?: unknown } | null;
  } catch {
    found = null;
  }
  if (found?.format !== formatName || typeof found.version !== 'number') throw notADatabase(directory, `its '${markerFile}' is not ours`);
  if (found.version > formatVersion) {
    throw new RowsmithError('FORMAT_TOO_NEW', { directory, version: found.version, readable: formatVersion, fix: 'open it with a newer version of rowsmith' });
  }
}

/** Through a new name, so that a marker is there whole or not at all. */
function writeMarker(directory: string, marker: string): void {
  writeFileSync(`${marker}.new`, formatText(), { flush: true });
  renameSync(`${marker}.new`, marker);
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Looks at lmdb's meta pages before lmdb maps the file, because reading past the end of a mapped file ends the process. */
function checkDataFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    // A process that ended while it made the file left it empty.
    if (size === 0) return;
    const first = readMeta(handle, 0);
    const second = first && readMeta(handle, first.pageSize);
    if (first === undefined || second === undefined) throw corrupt(file, 'it does not begin as an lmdb file');
    const { roots } = first.transaction > second.transaction ? first : second;
    for (const root of roots) {
      if (root !== noPage && Number(root + 1n) * first.pageSize > size) throw corrupt(file, `it ends after ${size} bytes, before its page ${root}`);
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * Brings a file that is shorter than its pages to full length. That is no fault (pages at the end may have been taken and given back
 * unwritten), but where pages were cut off, lmdb now reads zeros and says so, instead of ending the process. Only the holder may do it.
 */
function fillDataFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    const first = readMeta(handle, 0);
    const second = first && readMeta(handle, first.pageSize);
    if (first === undefined || second === undefined) return;
    const size = (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
    if (fstatSync(handle).size < size) ftruncateSync(handle, size);
  } finally {
    closeSync(handle);
  }
}

interface Meta {
  readonly pageSize: number;
  /** Pages of the free list's and the data's root. */
  readonly roots: readonly bigint[];
  readonly lastPage: number;
  readonly transaction: bigint;
}

function readMeta(handle: number, at: number): Meta | undefined {
  const page = Buffer.alloc(metaAt.end);
  if (readSync(handle, page, 0, page.length, at) < page.length || page.readUInt32LE(metaAt.magic) !== magic) return undefined;
  const roots = [page.readBigUInt64LE(metaAt.freeRoot), page.readBigUInt64LE(metaAt.mainRoot)];
  const lastPage = Number(page.readBigUInt64LE(metaAt.lastPage));
  return { pageSize: page.readUInt32LE(metaAt.pageSize), roots, lastPage, transaction: page.readBigUInt64LE(metaAt.transaction) };
}

function checkOwner(bytes: Uint8Array, directory: string): void {
  const { pid, started } = JSON.parse(Buffer.from(bytes).toString()) as { pid: number; started: string | null };
  if (!isAlive(pid) || startOf(pid) !== started) return;
  throw new RowsmithError('DATABASE_IN_USE', { directory, pid, fix: pid === process.pid ? 'close the other database of this process first' : `close it in process ${pid} first` });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Which boot of the machine, and when in it the process started (proc(5), field 22 of stat); null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything; field 3 follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${fields[22 - 3]}`;
  } catch {
    return null;
  }
}

function notADatabase(directory: string, problem: string): RowsmithError {
  return new RowsmithError('NOT_A_DATABASE', { directory, problem, fix: 'name an empty directory, or one that Rowsmith made' });
}

function corrupt(file: string, problem: string): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', { file, problem, fix: 'restore the directory from a backup' });
}
