/**
 * The marker file of a database directory, which names the format and its version. The same record
 * is stored inside the data file; see FORMAT.md.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { markerName } from './file-names.js';
import { syncDirectory } from './sync-directory.js';

/** Name of the format. */
export const formatName = 'rowsmith-local';
/** Version of the format that this code writes and reads. */
export const formatVersion = 1;

/** A format record. */
export interface FormatRecord {
  /** True in a marker while the database is being created; nothing has been written to it yet. */
  readonly creating: boolean;
}

/** The format record that this version writes. */
export function formatRecord(creating = false): string {
  const record = { format: formatName, version: formatVersion };
  return JSON.stringify(creating ? { ...record, creating } : record);
}

/** Parses a format record; NOT_A_DATABASE or FORMAT_TOO_NEW if it cannot be used. */
export function parseFormatRecord(text: string, directory: string): FormatRecord {
  let record: { format?: unknown; version?: unknown; creating?: unknown } | null;
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
  return { creating: record.creating === true };
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && value >= 1;
}

/** Reads the marker file; undefined when there is none. */
export function readMarker(marker: string): FormatRecord | undefined {
  let text: string;
  try {
    text = readFileSync(marker, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseFormatRecord(text, dirname(marker));
}

/** Writes the marker under a temporary name and renames it, so that it is never incomplete. */
export function writeMarker(marker: string, creating = false): void {
  writeFileSync(`${marker}.new`, formatRecord(creating), { flush: true });
  renameSync(`${marker}.new`, marker);
  syncDirectory(dirname(marker));
}

/** A directory that is not a database of this format. */
export function notADatabaseError(directory: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('NOT_A_DATABASE', {
    directory,
    ...faults.notADatabase(problem),
  });
}

const faults = {
  foreignMarker: { problem: `its '${markerName}' was not written by Rowsmith` },
  notADatabase: (problem: string) => ({
    problem,
    fix: 'name an empty directory, or one that Rowsmith created',
  }),
} satisfies FaultTexts;
