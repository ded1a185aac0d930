/**
 * The directory of a database on disk: what may be opened, and who holds it. FORMAT.md is the
 * specification.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { RowsmithError } from '../../../../errors.js';
import { faultOfPages, noPage } from './check-pages.js';
import { copyName, removeCopy } from './compact-file.js';
import { storageError } from './disk-store.js';
import { pageReader, readFileMeta, readMeta } from './file-meta.js';
import type { OrderedStore } from '../ordered-store.js';
import { metaKey } from '../store-key.js';
import { beginUpgrade } from '../../maintenance/upgrade-format.js';

/** Name of the format; FORMAT.md. */
export const formatName = 'rowsmith-local';
/** Version of the format that this code writes, and the newest it reads. */
export const formatVersion = 2;

const markerFile = 'rowsmith.json';
const dataFile = 'data.mdb';
/**
 * What may lie in the directory: ours, lmdb's lock, a marker and a compacted copy that were not
 * finished.
 */
const ours = new Set([
  markerFile,
  `${markerFile}.new`,
  dataFile,
  `${dataFile}-lock`,
  copyName(dataFile),
  `${copyName(dataFile)}-lock`,
]);
/**
 * Bytes of a file whose pages are looked through before it is opened, unless `verify` says: they
 * take about 0.1 s.
 */
const largestVerified = 64 * 1024 * 1024;

/**
 * Makes sure that the directory is a database of ours, or makes it one; answers the data file.
 * Changes nothing in a foreign directory. `verify`: whether all pages are looked through; by
 * default in files that are not large.
 */
export function prepareDirectory(directory: string, verify?: boolean): string {
  const marker = join(directory, markerFile);
  try {
    if (existsSync(directory)) checkContents(directory);
    makeFolder(directory);
    if (!existsSync(marker)) writeMarker(directory, marker);
    const file = join(directory, dataFile);
    if (existsSync(file)) checkDataFile(file, verify);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw notADatabase(directory, 'it is a file');
    throw storageError(error, directory);
  }
}

/**
 * Makes a folder and those above it, one by one: mkdir's recursive mode never ends under /proc
 * (Node 20).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may open the same database at this moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes this engine the holder of the directory; answers what lets go of it. `store` is the file's,
 * without checksums.
 */
export function claimDirectory(store: OrderedStore, directory: string): () => void {
  const ownerKey = metaKey('owner');
  const owner = new TextEncoder().encode(
    JSON.stringify({ pid: process.pid, started: startOf(process.pid), token: Math.random() }),
  );
  const formatKey = metaKey('format');
  // lmdb gives its write transaction to one process at a time, so nobody comes between the look and
  // the claim.
  store.commit((writer) => {
    const format = store.get(formatKey);
    const version =
      format === undefined ? formatVersion : checkFormat(Buffer.from(format).toString(), directory);
    const held = store.get(ownerKey);
    if (held !== undefined) checkOwner(held, directory);
    writer.put(ownerKey, owner);
    // From here on no older version opens it.
    if (version < formatVersion) beginUpgrade(store, writer);
    if (format === undefined || version < formatVersion)
      writer.put(formatKey, new TextEncoder().encode(formatText()));
  });
  const marker = join(directory, markerFile);
  if (checkFormat(readFileSync(marker, 'utf8'), directory) < formatVersion)
    writeMarker(directory, marker);
  removeCopy(join(directory, dataFile));
  fillDataFile(join(directory, dataFile));
  return () => store.commit((writer) => writer.remove(ownerKey));
}

function checkContents(directory: string): void {
  const names = readdirSync(directory);
  const foreign = names.find((name) => !ours.has(name));
  if (foreign !== undefined) throw notADatabase(directory, `it holds '${foreign}'`);
  if (names.includes(markerFile))
    checkFormat(readFileSync(join(directory, markerFile), 'utf8'), directory);
  else if (names.includes(dataFile))
    throw notADatabase(directory, `it holds '${dataFile}' but no '${markerFile}'`);
}

function formatText(): string {
  return JSON.stringify({ format: formatName, version: formatVersion });
}

/** Answers the version. */
function checkFormat(text: string, directory: string): number {
  let found: { format?: unknown; version?: unknown } | null;
  try {
    found = JSON.parse(text) as { format?: unknown; version?: unknown } | null;
  } catch {
    found = null;
  }
  if (found?.format !== formatName || typeof found.version !== 'number')
    throw notADatabase(directory, `its '${markerFile}' is not ours`);
  if (found.version > formatVersion) {
    throw new RowsmithError('FORMAT_TOO_NEW', {
      directory,
      version: found.version,
      readable: formatVersion,
      fix: 'open it with a newer version of rowsmith',
    });
  }
  return found.version;
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

/**
 * Looks at the file before lmdb maps it, because reading past the end of a mapped file, or where a
 * damaged page points to, ends the process.
 */
function checkDataFile(file: string, verify: boolean | undefined): void {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    // A process that ended while it made the file left it empty.
    if (size === 0) return;
    const meta = readFileMeta(handle);
    if (meta === undefined) throw corrupt(file, 'it does not begin as an lmdb file');
    for (const { root } of [meta.free, meta.main]) {
      if (root !== noPage && Number(root + 1n) * meta.pageSize > size)
        throw corrupt(file, `it ends after ${size} bytes, before its page ${root}`);
    }
    if (!(verify ?? size <= largestVerified)) return;
    const fault = faultOfPages(meta, pageReader(handle, meta.pageSize));
    // A process that holds the file and writes makes pages change under the look; it is found out
    // by its claim.
    if (fault !== undefined && readFileMeta(handle)?.transaction === meta.transaction)
      throw corrupt(file, fault);
  } finally {
    closeSync(handle);
  }
}

/**
 * Brings a file that is shorter than its pages to full length. That is no fault (pages at the end
 * may have been taken and given back unwritten), but where pages were cut off, lmdb now reads zeros
 * and says so, instead of ending the process. Only the holder may do it.
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

function checkOwner(bytes: Uint8Array, directory: string): void {
  const { pid, started } = JSON.parse(Buffer.from(bytes).toString()) as {
    pid: number;
    started: string | null;
  };
  if (!isAlive(pid) || startOf(pid) !== started) return;
  throw new RowsmithError('DATABASE_IN_USE', {
    directory,
    pid,
    fix:
      pid === process.pid
        ? 'close the other database of this process first'
        : `close it in process ${pid} first`,
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Which boot of the machine, and when in it the process started (proc(5), field 22 of stat); null
 * where the system does not say.
 */
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
  return new RowsmithError('NOT_A_DATABASE', {
    directory,
    problem,
    fix: 'name an empty directory, or one that Rowsmith made',
  });
}

function corrupt(file: string, problem: string): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    problem,
    fix: 'restore the directory from a backup',
  });
}
