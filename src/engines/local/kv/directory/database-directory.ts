/**
 * The directory of a database: whether it may be opened, acquiring it and creating it; see
 * FORMAT.md. Nothing is written before the directory is claimed (owner-files.ts), so creation,
 * checks and recovery do not meet another process.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { Durability } from '../../../../data/store/index.js';
import { defaultTuning, type DiskTuning } from './disk-tuning.js';
import {
  creatorOf,
  isDataFile,
  isKnownName,
  markerName,
  parseLogName,
  parseManifestName,
} from './file-names.js';
import {
  createMarker,
  type Marker,
  newDatabaseId,
  notADatabaseError,
  readMarker,
  replaceMarker,
} from './marker-file.js';
import type { OwnedDirectory } from './owned-directory.js';
import { claimDirectory } from './owner-files.js';
import { storageError } from './storage-error.js';
import { flushDirectory, flushFile, syncDirectory } from './sync-directory.js';

/** How a directory is opened. */
export interface DirectoryOptions {
  readonly durability: Durability;
  readonly tuning?: DiskTuning;
}

/** A database that was found. */
export interface FoundDatabase {
  /** Absolute: a program may change its working directory. */
  readonly path: string;
  /** The identity of the database, which is in each of its files. */
  readonly database: Uint8Array;
}

/** A directory that this process owns. */
export interface OpenDirectory extends FoundDatabase {
  /** Number of this owner, which is in the names of the files that it creates. */
  readonly owner: number;
  /** There is no manifest yet: to be followed by `created`. */
  readonly isNew: boolean;
  /** Completes a new database, after its first log and manifest were written and flushed. */
  created(): void;
  /**
   * Throws if this process is no longer the owner: DATABASE_IN_USE if another one has taken the
   * directory over, STORAGE_FAILED if another directory is at its path, or none. To be called after
   * each flush, before what was written is acknowledged, and before a file is removed.
   */
  check(): void;
  /** Lets other processes open the directory, after its files were closed. */
  release(): Promise<void>;
  /** `release`, where nothing was changed: leaves no owner file if there was none. */
  withdraw(): Promise<void>;
}

/**
 * Makes this process the owner of a directory, which is created if it does not exist. A directory
 * with other contents is left unchanged.
 */
export async function openDirectory(
  path: string,
  { durability, tuning = defaultTuning }: DirectoryOptions,
): Promise<OpenDirectory> {
  const directory = resolve(path);
  let ownership: OwnedDirectory | undefined;
  try {
    if (existsSync(directory)) stateOf(directory);
    createFolder(directory);
    ownership = await claimDirectory(directory, tuning.signs);
    // Another process may have created the database meanwhile.
    const marker = stateOf(directory);
    if (marker === undefined || marker.creating) {
      const { database } = beginCreation(directory, ownership, marker);
      return new ClaimedDirectory(directory, database, ownership, true);
    }
    if (durability === 'durable') await flushLogs(directory);
    return new ClaimedDirectory(directory, marker.database, ownership, false);
  } catch (error) {
    // An error of the withdrawal must not replace the first one. The owner file then names this
    // process, which may open the directory nevertheless.
    await ownership?.withdraw().catch(() => undefined);
    throw directoryError(error, directory);
  }
}

/**
 * Finds an existing database, without changing the directory. NOT_A_DATABASE when there is none.
 * Another process may have the database open.
 */
export function findDatabase(path: string): FoundDatabase {
  const directory = resolve(path);
  try {
    const marker = existsSync(directory) ? stateOf(directory) : undefined;
    if (marker?.creating === false) return { path: directory, database: marker.database };
    const problem = marker === undefined ? faults.emptyDirectory : faults.incompleteDatabase;
    throw notADatabaseError(directory, existsSync(directory) ? problem : faults.missingDirectory);
  } catch (error) {
    throw directoryError(error, directory);
  }
}

class ClaimedDirectory implements OpenDirectory {
  /** Whether this process may have written to the directory. */
  #isChanged: boolean;

  readonly #ownership: OwnedDirectory;

  constructor(
    readonly path: string,
    readonly database: Uint8Array,
    ownership: OwnedDirectory,
    readonly isNew: boolean,
  ) {
    this.#ownership = ownership;
    this.#isChanged = isNew;
  }

  get owner(): number {
    return this.#ownership.number;
  }

  created(): void {
    if (!this.isNew) return;
    try {
      // The marker of a complete database is written last, so that missing files are noticed.
      syncDirectory(this.path);
      this.check();
      replaceMarker(this.path, { creating: false, database: this.database });
      this.check();
    } catch (error) {
      throw storageError(error, this.path);
    }
  }

  check(): void {
    this.#ownership.check();
  }

  release(): Promise<void> {
    return this.#ownership.release();
  }

  withdraw(): Promise<void> {
    return this.#isChanged ? this.#ownership.release() : this.#ownership.withdraw();
  }
}

/**
 * The marker of a directory; undefined if it holds nothing of a database. Throws if it holds
 * anything else, or only parts of a database. Changes nothing.
 */
function stateOf(directory: string): Marker | undefined {
  const names = readdirSync(directory);
  const unknown = names.find((name) => !isKnownName(name));
  if (unknown !== undefined) throw notADatabaseError(directory, faults.unknownFile(unknown));
  const marker = readMarker(directory);
  if (marker === undefined) {
    const data = names.find(isDataFile);
    // Listing is not atomic: another process may have completed the database meanwhile.
    if (data === undefined || existsSync(join(directory, markerName))) return undefined;
    throw notADatabaseError(directory, faults.dataWithoutMarker(data));
  }
  if (marker.creating || hasManifest(names) || hasManifest(readdirSync(directory))) return marker;
  throw new RowsmithError('CORRUPT_DATA', { file: directory, ...faults.missingManifest });
}

function hasManifest(names: readonly string[]): boolean {
  return names.some((name) => parseManifestName(name) !== undefined);
}

/**
 * Removes what a process has left that was killed while it created the database, and takes over the
 * identity that it chose: it may only have been stopped, and go on.
 */
function beginCreation(
  directory: string,
  ownership: OwnedDirectory,
  left: Marker | undefined,
): Marker {
  flushParents(directory);
  for (const name of readdirSync(directory)) {
    const creator = creatorOf(name);
    // Files of later owners appear if this process is stopped here for long.
    if (creator === undefined || creator >= ownership.number) continue;
    ownership.check();
    rmSync(join(directory, name), { force: true });
  }
  if (left !== undefined) return left;
  const marker = { creating: true, database: newDatabaseId() };
  if (!createMarker(directory, marker)) {
    ownership.check();
    throw notADatabaseError(directory, faults.newMarker);
  }
  return marker;
}

/**
 * Flushes what earlier owners have written to the log. They may have been killed before they did,
 * and what a durable owner writes and removes builds on it.
 */
async function flushLogs(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (parseLogName(name) === undefined && parseManifestName(name) === undefined) continue;
    await flushFile(join(directory, name)).catch(unlessMissing);
  }
  await flushDirectory(directory);
}

/** A former owner that was stopped may remove a file that it no longer needed. */
function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/**
 * Creates a folder and its parents. Not by the recursive mode of mkdir, which does not terminate
 * under /proc (Node 20).
 */
export function createFolder(folder: string): void {
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
  let folder = directory;
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
    { file: directory, ...faults.notWritable(message) },
    { cause: error },
  );
}

const faults = {
  missingDirectory: { problem: 'it does not exist' },
  emptyDirectory: { problem: 'it is empty' },
  incompleteDatabase: { problem: 'it was not created completely' },
  unknownFile: (unknown: string) => ({
    problem: `it contains '${unknown}', which was not written by Rowsmith`,
  }),
  dataWithoutMarker: (data: string) => ({
    problem: `it contains '${data}' but no '${markerName}'`,
  }),
  newMarker: { problem: `its '${markerName}' was written while it was opened` },
  missingManifest: {
    problem: 'its manifest is missing',
    fix: 'restore the directory from a backup',
  },
  notADirectory: { problem: 'it is a file' },
  notWritable: (message: string) => ({
    problem: message,
    fix: 'check the permissions of the directory, or open the database with readOnly: true',
    shell: { fix: 'check the owner and the permissions of the directory' },
  }),
} satisfies FaultTexts;
