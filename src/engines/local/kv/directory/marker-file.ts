/**
 * The marker file of a database directory, which names the format, its version and the identity of
 * the database; see FORMAT.md.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { moveToNewName, removeQuietly } from './exclusive-name.js';
import { databaseIdBytes } from './file-header.js';
import { markerName, unfinishedName } from './file-names.js';
import { syncDirectory } from './sync-directory.js';

export const formatName = 'rowsmith-local';
/** Version of the format that this code writes and reads. */
export const formatVersion = 1;

export interface Marker {
  /** True while the database is being created; nothing has been written to it yet. */
  readonly creating: boolean;
  /** Random bytes, which are in all files of the database. */
  readonly database: Uint8Array;
}

export function newDatabaseId(): Uint8Array {
  return new Uint8Array(randomBytes(databaseIdBytes));
}

/** Reads the marker of a directory; undefined when there is none. */
export function readMarker(directory: string): Marker | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, markerName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseMarker(text, directory);
}

/**
 * Writes the first marker of a directory; false if there is one. Never over another: that may be
 * the marker of a successor, who has completed the database.
 */
export function createMarker(directory: string, marker: Marker): boolean {
  const path = join(directory, markerName);
  const written = writeUnfinished(path, marker);
  if (!moveToNewName(written, path)) {
    removeQuietly(written);
    return false;
  }
  syncDirectory(directory);
  return true;
}

/** Replaces the marker. It is written under a temporary name, so that it is never incomplete. */
export function replaceMarker(directory: string, marker: Marker): void {
  const path = join(directory, markerName);
  renameSync(writeUnfinished(path, marker), path);
  syncDirectory(directory);
}

/** A new file each time: a process that was stopped may still write to the one that it created. */
function writeUnfinished(path: string, marker: Marker): string {
  const written = unfinishedName(path);
  rmSync(written, { force: true });
  writeFileSync(written, markerText(marker), { flag: 'wx', flush: true });
  return written;
}

function markerText({ creating, database }: Marker): string {
  const id = Buffer.from(database).toString('hex');
  const record = { format: formatName, version: formatVersion, database: id };
  return JSON.stringify(creating ? { ...record, creating } : record);
}

/** Parses a marker; NOT_A_DATABASE or FORMAT_TOO_NEW if it cannot be used. */
function parseMarker(text: string, directory: string): Marker {
  let record: Readonly<Record<string, unknown>> | null;
  try {
    record = JSON.parse(text) as typeof record;
  } catch {
    record = null;
  }
  const version = record?.version;
  if (record?.format !== formatName || !isVersion(version))
    throw notADatabaseError(directory, faults.foreignMarker);
  if (version > formatVersion) {
    throw new RowsmithError('FORMAT_TOO_NEW', {
      directory,
      version,
      readable: formatVersion,
      fix: 'open it with a newer version of rowsmith',
    });
  }
  const { database } = record;
  if (typeof database !== 'string' || !databasePattern.test(database))
    throw notADatabaseError(directory, faults.foreignMarker);
  return {
    creating: record.creating === true,
    database: new Uint8Array(Buffer.from(database, 'hex')),
  };
}

const databasePattern = new RegExp(`^[0-9a-f]{${2 * databaseIdBytes}}$`);

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && value >= 1;
}

/** A directory that is not a database of this format. */
export function notADatabaseError(directory: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('NOT_A_DATABASE', { directory, ...faults.notADatabase(problem) });
}

const faults = {
  foreignMarker: { problem: `its '${markerName}' was not written by Rowsmith` },
  notADatabase: (problem: string) => ({
    problem,
    fix: 'name an empty directory, or one that Rowsmith created',
  }),
} satisfies FaultTexts;
