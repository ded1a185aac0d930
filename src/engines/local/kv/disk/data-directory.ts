/**
 * The directory of a database: whether it may be opened, acquiring it and creating it; see
 * FORMAT.md. Nothing is written before the directory is claimed (owner-files.ts), so creation,
 * checks and recovery do not meet another process.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  RowsmithError,
  utf8Bytes,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import type { OrderedStore } from '../ordered-store.js';
import { metaKey } from '../store-key.js';
import { removeCopy } from './compact-file.js';
import { checkDataFile } from './data-file.js';
import { defaultTuning } from './disk-tuning.js';
import { dataName, isDataFile, isKnownName, logNumber, markerName } from './file-names.js';
import {
  formatRecord,
  notADatabaseError,
  parseFormatRecord,
  readMarker,
  writeMarker,
} from './marker-file.js';
import { claimDirectory, type Ownership } from './owner-files.js';
import { storageError } from './storage-error.js';
import { syncDirectory, syncFile } from './sync-directory.js';

const formatKey = metaKey('format');

/**
 * `empty`: nothing that belongs to a database. `creating`: a process was killed while it created
 * one. `complete`: a database.
 */
type DirectoryState = 'empty' | 'creating' | 'complete';

/** A directory that this process holds, with files that it may open. */
export interface ClaimedDirectory {
  /** Path of the lmdb file. It does not exist in a new database. */
  readonly file: string;
  /**
   * Completes a new database, and checks the format of an existing one. To be called with the open
   * lmdb file, without checksums, before anything is written to it.
   */
  adopt(store: OrderedStore): void;
  /**
   * Flushes what earlier owners have written. They may have been killed before they did, and what a
   * durable owner writes and removes builds on it. To be called before either.
   */
  flush(): void;
  /**
   * Throws DATABASE_IN_USE if another process has taken the directory over, because this one was
   * stopped for long. To be called before each write.
   */
  check(): void;
  /** Releases the directory, after its files were closed. */
  release(): void;
}

/**
 * Makes this process the owner of a directory, which is created if it does not exist, and checks
 * its files. A directory with other contents is left unchanged. `verify` is whether all pages of
 * the data file are checked; by default only the pages of files up to `maxVerifiedBytes`.
 */
export async function openDirectory(
  directory: string,
  verify?: boolean,
  { maxVerifiedBytes, signs } = defaultTuning,
): Promise<ClaimedDirectory> {
  let ownership: Ownership | undefined;
  try {
    if (existsSync(directory)) stateOf(directory);
    createFolder(directory);
    ownership = await claimDirectory(directory, signs);
    // Another process may have created the database meanwhile.
    const state = stateOf(directory);
    const file = join(directory, dataName);
    if (state === 'complete') checkDataFile(file, verify, maxVerifiedBytes);
    else beginCreation(directory);
    return new Claim(directory, ownership, state !== 'complete');
  } catch (error) {
    withdrawQuietly(ownership);
    throw directoryError(error, directory);
  }
}

/**
 * Opens the data file of an existing database, without changing the directory. NOT_A_DATABASE when
 * there is none. Another process may have the database open.
 */
export function findDatabase<T>(directory: string, open: (file: string) => T): T {
  try {
    const state = existsSync(directory) ? stateOf(directory) : 'empty';
    if (state === 'complete') return open(join(directory, dataName));
    const problem = state === 'empty' ? 'it is empty' : 'it was not created completely';
    throw notADatabaseError(directory, faults.missingDirectory(existsSync(directory), problem));
  } catch (error) {
    throw directoryError(error, directory);
  }
}

class Claim implements ClaimedDirectory {
  readonly file: string;
  /** True once the directory was changed. */
  #adopted = false;

  readonly #directory: string;
  readonly #ownership: Ownership;
  readonly #isNew: boolean;

  constructor(directory: string, ownership: Ownership, isNew: boolean) {
    this.file = join(directory, dataName);
    this.#directory = directory;
    this.#ownership = ownership;
    this.#isNew = isNew;
  }

  adopt(store: OrderedStore): void {
    const directory = this.#directory;
    try {
      this.#writeFormat(store);
      this.#adopted = true;
      if (this.#isNew) {
        syncFile(this.file);
        syncDirectory(directory);
        writeMarker(join(directory, markerName));
      }
      removeCopy(this.file);
    } catch (error) {
      throw storageError(error, directory);
    }
  }

  flush(): void {
    if (this.#isNew) return;
    const directory = this.#directory;
    try {
      for (const name of readdirSync(directory))
        if (name === dataName || logNumber(name) !== undefined) syncFile(join(directory, name));
      syncDirectory(directory);
    } catch (error) {
      throw storageError(error, directory);
    }
  }

  check(): void {
    this.#ownership.check();
  }

  release(): void {
    if (this.#adopted || this.#isNew) this.#ownership.release();
    else this.#ownership.withdraw();
  }

  /** Writes the format of a database that has none, and otherwise checks it. */
  #writeFormat(store: OrderedStore): void {
    const format = store.get(formatKey);
    if (format !== undefined) parseFormatRecord(Buffer.from(format).toString(), this.#directory);
    else if (!this.#isNew) throw missingDataError(this.file, faults.missingFormatRecord);
    else {
      const record = utf8Bytes(formatRecord());
      store.commit((writer) => writer.put(formatKey, record));
    }
  }
}

/** After an error, which must not be replaced by one thrown here. */
function withdrawQuietly(ownership: Ownership | undefined): void {
  try {
    ownership?.withdraw();
  } catch {
    // The owner file names this process, which may open the directory nevertheless.
  }
}

/** Checks what the directory contains, without changing it. */
function stateOf(directory: string): DirectoryState {
  const names = readdirSync(directory);
  const unknown = names.find((name) => !isKnownName(name));
  if (unknown !== undefined) throw notADatabaseError(directory, faults.unknownFile(unknown));
  const marker = readMarker(join(directory, markerName));
  if (marker === undefined) {
    const data = names.find(isDataFile);
    // Listing is not atomic: another process may have completed the database meanwhile.
    if (data === undefined || existsSync(join(directory, markerName))) return 'empty';
    throw notADatabaseError(directory, faults.dataWithoutMarker(data));
  }
  if (marker.creating) return 'creating';
  const file = join(directory, dataName);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw missingDataError(file, faults.missingFile);
  if (size === 0) throw missingDataError(file, faults.emptyFile);
  return 'complete';
}

/** The marker of a complete database is written last, so that its data file is not missed. */
function beginCreation(directory: string): void {
  flushParents(directory);
  writeMarker(join(directory, markerName), true);
  // A process that was killed while it created the database may have left them.
  for (const name of readdirSync(directory).filter(isDataFile)) rmSync(join(directory, name));
}

/**
 * Creates a folder and its parents. Not by the recursive mode of mkdir, which does not terminate
 * under /proc (Node 20).
 */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  createFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may be creating the same database.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncDirectory(parent);
}

/**
 * Flushes the names of the directory and its parents, which a process may have created that was
 * killed before it flushed them. Folders of another device, or that may not be read, were there.
 */
function flushParents(directory: string): void {
  const { dev } = statSync(directory);
  let folder = resolve(directory);
  for (let parent = dirname(folder); parent !== folder; parent = dirname(folder)) {
    folder = parent;
    if (statSync(folder).dev !== dev) return;
    try {
      syncDirectory(folder);
    } catch (error) {
      if (!noWriteCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

const noWriteCodes = new Set(['EACCES', 'EPERM', 'EROFS']);

function directoryError(error: unknown, directory: string): RowsmithError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (error instanceof RowsmithError) return error;
  if (code === 'ENOTDIR') return notADatabaseError(directory, faults.notADirectory);
  if (!noWriteCodes.has(code)) return storageError(error, directory);
  return new RowsmithError(
    'STORAGE_FAILED',
    {
      file: directory,
      ...faults.notWritable(message),
    },
    { cause: error },
  );
}

function missingDataError(file: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    ...faults.missingData(problem),
  });
}

const faults = {
  missingDirectory: (exists: boolean, problem: string) => ({
    problem: exists ? problem : 'it does not exist',
  }),
  missingFormatRecord: { problem: 'it has no format record' },
  unknownFile: (unknown: string) => ({
    problem: `it contains '${unknown}', which was not written by Rowsmith`,
  }),
  dataWithoutMarker: (data: string) => ({
    problem: `it contains '${data}' but no '${markerName}'`,
  }),
  missingFile: { problem: 'it does not exist' },
  emptyFile: { problem: 'it is empty' },
  notADirectory: { problem: 'it is a file' },
  notWritable: (message: string) => ({
    problem: message,
    fix: 'check the permissions of the directory, or open the database with readOnly: true',
    shell: { fix: 'check the owner and the permissions of the directory' },
  }),
  missingData: (problem: string) => ({
    problem,
    fix: 'restore the directory from a backup; if it has never held data, delete it',
  }),
} satisfies FaultTexts;
