/**
 * The manifest: which tables and which part of the log are the database. A line of JSON for what
 * concerns all, a line for each entry of a level, and a line with a checksum; see FORMAT.md.
 */
import {
  compareBytes,
  fromHex,
  RowsmithError,
  toHex,
  type FaultTexts,
} from '../../../../base/index.js';
import { pairChecksum } from '../checksum.js';
import { formatName, formatVersion } from '../directory/marker-file.js';
import type { FileId } from '../directory/file-names.js';
import type { SegmentId } from '../log/log-record.js';
import type { Table, TableInfo } from '../tables/table.js';
import { depth, Levels } from './levels.js';
import { isWhole, type TableEntry, wholeTable } from './table-entry.js';

export interface DatabaseManifest extends FileId {
  readonly database: Uint8Array;
  /** False if files may not have been flushed. */
  readonly isDurable: boolean;
  /** The last commit that is in the tables. */
  readonly commit: number;
  /** The segment of the log with the next commit. */
  readonly segment: SegmentId;
  /** The segment that was written to then: it, or a later one, is there as well. */
  readonly lastSegment: Pick<SegmentId, 'owner' | 'number' | 'salt'>;
  readonly entries: readonly ManifestEntry[];
}

export interface ManifestEntry {
  readonly level: number;
  readonly table: TableInfo;
  readonly start: Uint8Array | undefined;
  readonly end: Uint8Array | undefined;
}

/** The lines of entries, which seldom change from one manifest to the next. */
const lines = new WeakMap<TableEntry, { readonly level: number; readonly line: string }>();

export function encodeManifest(
  manifest: Omit<DatabaseManifest, 'entries'>,
  levels: Levels,
): string {
  const { owner, number, database, isDurable, commit, segment, lastSegment } = manifest;
  const head = {
    format: formatName,
    version: formatVersion,
    manifest: `${owner}-${number}`,
    database: toHex(database),
    durable: isDurable,
    commit,
    log: `${segment.owner}-${segment.number}`,
    salt: toHex(segment.salt),
    lastLog: `${lastSegment.owner}-${lastSegment.number}`,
    lastSalt: toHex(lastSegment.salt),
  };
  const entries = levels.entries.flatMap((level, index) =>
    level.map((entry) => lineOf(entry, index)),
  );
  const text = `${[JSON.stringify(head), ...entries].join('\n')}\n`;
  return `${text}${sumLine(text)}`;
}

function lineOf(entry: TableEntry, level: number): string {
  const known = lines.get(entry);
  if (known?.level === level) return known.line;
  const { info } = entry.table;
  const line = JSON.stringify({
    level,
    table: `${info.owner}-${info.number}`,
    salt: toHex(info.salt),
    bytes: info.bytes,
    pairs: info.pairs,
    removals: info.removals,
    pairBytes: info.pairBytes,
    first: toHex(info.first),
    last: toHex(info.last),
    // Absent where the entry is the whole table.
    start: isWhole(entry) ? undefined : toHex(entry.start),
    end: isWhole(entry) ? undefined : toHex(entry.end),
  });
  lines.set(entry, { level, line });
  return line;
}

function sumLine(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const sum = pairChecksum(bytes, 0, 0, bytes, 0, bytes.length) >>> 0;
  return `{"sum":"${sum.toString(16).padStart(8, '0')}"}\n`;
}

/** Reads a manifest; `file` is its path in errors. CORRUPT_DATA if it is not as it was written. */
export function parseManifest(bytes: Uint8Array, file: string): DatabaseManifest {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  if (text.slice(end) !== sumLine(text.slice(0, end))) throw damaged(file);
  const [head, ...entries] = text
    .slice(0, end - 1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  if (typeof head.version === 'number' && head.version > formatVersion)
    throw new RowsmithError('FORMAT_TOO_NEW', {
      file,
      version: head.version,
      readable: formatVersion,
      fix: 'open it with a newer version of rowsmith',
    });
  const number = numberIn(file);
  return {
    ...fileId(head.manifest, file),
    database: bytesOf(head.database, file),
    isDurable: head.durable === true,
    commit: number(head.commit),
    // The first commit follows from the last one in tables.
    segment: {
      ...fileId(head.log, file),
      salt: bytesOf(head.salt, file),
      firstCommit: number(head.commit) + 1,
    },
    lastSegment: { ...fileId(head.lastLog, file), salt: bytesOf(head.lastSalt, file) },
    entries: entries.map((line) => parseEntry(line, file)),
  };
}

/** The levels that a manifest describes. */
export function levelsOf(
  { entries }: Pick<DatabaseManifest, 'entries'>,
  tableOf: (info: TableInfo) => Table,
): Levels {
  const levels: TableEntry[][] = Levels.empty.entries.map(() => []);
  for (const { level, table: info, start, end } of entries) {
    const whole = wholeTable(tableOf(info));
    levels[level].push({ ...whole, start: start ?? whole.start, end: end ?? whole.end });
  }
  return new Levels(levels);
}

function parseEntry(line: Record<string, unknown>, file: string): ManifestEntry {
  const number = numberIn(file);
  const level = number(line.level);
  if (level > depth) throw damaged(file);
  const table: TableInfo = {
    ...fileId(line.table, file),
    salt: bytesOf(line.salt, file),
    bytes: number(line.bytes),
    pairs: number(line.pairs),
    removals: number(line.removals),
    pairBytes: number(line.pairBytes),
    first: bytesOf(line.first, file),
    last: bytesOf(line.last, file),
  };
  const start = line.start === undefined ? undefined : bytesOf(line.start, file);
  const end = line.end === undefined ? undefined : bytesOf(line.end, file);
  if (compareBytes(table.first, table.last) > 0) throw damaged(file);
  return { level, table, start, end };
}

function fileId(value: unknown, file: string): FileId {
  const [owner, number] = String(value).split('-').map(Number);
  if (!Number.isSafeInteger(owner) || !Number.isSafeInteger(number)) throw damaged(file);
  return { owner, number };
}

function bytesOf(value: unknown, file: string): Uint8Array {
  const bytes = typeof value === 'string' ? fromHex(value) : undefined;
  if (bytes === undefined) throw damaged(file);
  return bytes;
}

function numberIn(file: string): (value: unknown) => number {
  return (value) => {
    if (!Number.isSafeInteger(value) || Number(value) < 0) throw damaged(file);
    return Number(value);
  };
}

function damaged(file: string): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', { file, ...faults.damaged });
}

const faults = {
  damaged: {
    problem: 'the manifest is damaged',
    fix: 'restore the directory from a backup',
  },
} satisfies FaultTexts;
