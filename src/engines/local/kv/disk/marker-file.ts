/**
 * The marker file of a database directory, which names the format and its version. The same record
 * is stored inside the data file; see FORMAT.md.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RowsmithError } from '../../../../errors.js';

/** Name of the format. */
export const formatName = 'rowsmith-local';
/** Version of the format that this code writes, and the newest that it reads. */
export const formatVersion = 2;

/** File name of the marker. */
export const markerName = 'rowsmith.json';

/** The format record that this version writes. */
export function formatRecord(): string {
  return JSON.stringify({ format: formatName, version: formatVersion });
}

/** Returns the version of a format record; NOT_A_DATABASE or FORMAT_TOO_NEW if it is unreadable. */
export function parseFormatRecord(text: string, directory: string): number {
  let record: { format?: unknown; version?: unknown } | null;
  try {
    record = JSON.parse(text) as { format?: unknown; version?: unknown } | null;
  } catch {
    record = null;
  }
  if (record?.format !== formatName || typeof record.version !== 'number')
    throw notADatabaseError(directory, `its '${markerName}' was not written by Rowsmith`);
  if (record.version > formatVersion) {
    throw new RowsmithError('FORMAT_TOO_NEW', {
      directory,
      version: record.version,
      readable: formatVersion,
      fix: 'open it with a newer version of rowsmith',
    });
  }
  return record.version;
}

/** Returns the version in the marker file. */
export function readMarker(marker: string): number {
  return parseFormatRecord(readFileSync(marker, 'utf8'), dirname(marker));
}

/** Writes the marker under a temporary name and renames it, so that it is never incomplete. */
export function writeMarker(marker: string): void {
  writeFileSync(`${marker}.new`, formatRecord(), { flush: true });
  renameSync(`${marker}.new`, marker);
  if (process.platform === 'win32') return;
  const handle = openSync(dirname(marker), 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** A directory that is not a database of this format. */
export function notADatabaseError(directory: string, problem: string): RowsmithError {
  return new RowsmithError('NOT_A_DATABASE', {
    directory,
    problem,
    fix: 'name an empty directory, or one that Rowsmith created',
  });
}
