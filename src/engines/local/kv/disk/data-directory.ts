/** The directory of a database: whether it may be opened, and acquiring it; see FORMAT.md. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OrderedStore, PairWriter } from '../ordered-store.js';
import { metaKey } from '../store-key.js';
import { copyPath, removeCopy } from './compact-file.js';
import { checkDataFile, extendDataFile } from './data-file.js';
import {
  formatRecord,
  formatVersion,
  markerName,
  notADatabaseError,
  parseFormatRecord,
  readMarker,
  writeMarker,
} from './marker-file.js';
import { checkOwner, ownerRecord } from './owner-record.js';
import { storageError } from './storage-error.js';

const dataName = 'data.mdb';
/** Files that may be in the directory; `.new` files are left by a process that was killed. */
const knownFiles = new Set([
  markerName,
  `${markerName}.new`,
  dataName,
  `${dataName}-lock`,
  copyPath(dataName),
  `${copyPath(dataName)}-lock`,
]);

/**
 * Creates the directory, or checks that it holds a database, and returns the path of the data file.
 * A directory with other contents is left unchanged. `verify` is whether all pages of the data file
 * are checked; by default only those of files up to 64 MiB.
 */
export function prepareDirectory(directory: string, verify?: boolean): string {
  const marker = join(directory, markerName);
  try {
    if (existsSync(directory)) checkContents(directory);
    createFolder(directory);
    if (!existsSync(marker)) writeMarker(marker);
    const file = join(directory, dataName);
    if (existsSync(file)) checkDataFile(file, verify);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw notADatabaseError(directory, 'it is a file');
    throw storageError(error, directory);
  }
}

/**
 * Makes this process the owner of the directory and returns what releases it; DATABASE_IN_USE when
 * another owner is running. `store` is the lmdb file without checksums; `beginUpgrade` is called,
 * in the same commit, for a database of an older version.
 */
export function claimDirectory(
  store: OrderedStore,
  directory: string,
  beginUpgrade: (store: OrderedStore, writer: PairWriter) => void,
): () => void {
  const ownerKey = metaKey('owner');
  const formatKey = metaKey('format');
  const owner = ownerRecord();
  // lmdb grants its write transaction to one process at a time, so the check and the claim are
  // atomic.
  store.commit((writer) => {
    const format = store.get(formatKey);
    let version: number | undefined;
    if (format !== undefined)
      version = parseFormatRecord(Buffer.from(format).toString(), directory);
    const heldBy = store.get(ownerKey);
    if (heldBy !== undefined) checkOwner(heldBy, directory);
    writer.put(ownerKey, owner);
    if (version === formatVersion) return;
    if (version !== undefined) beginUpgrade(store, writer);
    // From this commit on, older versions of the code reject the database.
    writer.put(formatKey, new TextEncoder().encode(formatRecord()));
  });
  const marker = join(directory, markerName);
  if (readMarker(marker) < formatVersion) writeMarker(marker);
  removeCopy(join(directory, dataName));
  extendDataFile(join(directory, dataName));
  return () => store.commit((writer) => writer.remove(ownerKey));
}

function checkContents(directory: string): void {
  const names = readdirSync(directory);
  const unknown = names.find((name) => !knownFiles.has(name));
  if (unknown !== undefined) throw notADatabaseError(directory, `it contains '${unknown}'`);
  if (names.includes(markerName)) readMarker(join(directory, markerName));
  else if (names.includes(dataName))
    throw notADatabaseError(directory, `it contains '${dataName}' but no '${markerName}'`);
}

/**
 * Creates a folder and its parents. Not by the recursive mode of mkdir, which does not terminate
 * under /proc (Node 20).
 */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may be creating the same database.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
