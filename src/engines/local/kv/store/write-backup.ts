/**
 * Writes what a store holds at one moment to a new directory: copies of its tables, one more table
 * with what is buffered, a manifest and an empty log. Every file is read again and verified.
 */
import { existsSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import {
  createFolder,
  type OpenDirectory,
  openDirectory,
} from '../directory/database-directory.js';
import { removeQuietly } from '../directory/exclusive-name.js';
import { ownerName, tableName } from '../directory/file-names.js';
import { createMarker } from '../directory/marker-file.js';
import { ownRecordTexts } from '../directory/owner-record.js';
import { storageError } from '../directory/storage-error.js';
import { wholeTable } from '../levels/table-entry.js';
import { Log } from '../log/log.js';
import type { Table } from '../tables/table.js';
import { DiskFiles } from './disk-files.js';
import type { StoreSnapshot } from './snapshot.js';
import { turn } from './work-loop.js';
import { writeBuffers } from './write-table.js';

/** Bytes that are copied at once. */
const copyBytes = 256 * 1024;

export interface BackupSummary {
  readonly tables: number;
  readonly bytes: number;
}

/** Which database it is a copy of. */
export interface BackupSource {
  readonly path: string;
  readonly database: Uint8Array;
  /** The greatest number of an owner so far. */
  readonly owner: number;
}

/**
 * Writes a snapshot to a directory that is empty or does not exist. Calls `onStep` with the part
 * that was written, 0 to 1. If it fails, what was written is removed.
 */
export async function writeBackup(
  snapshot: StoreSnapshot,
  source: BackupSource,
  path: string,
  onStep: (fraction: number) => void,
): Promise<BackupSummary> {
  const target = resolve(path);
  beginCopy(target, source);
  const directory = await openDirectory(target, { durability: 'durable' });
  try {
    const summary = await fill(directory, snapshot, onStep);
    await directory.release();
    return summary;
  } catch (error) {
    await directory.release().catch(() => undefined);
    for (const name of readdirSync(target)) removeQuietly(join(target, name));
    // `onStep` is the caller's: its errors are not the disk's.
    const isFailedCall = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw isFailedCall ? storageError(error, target) : error;
  }
}

/** Makes the directory one that is being created, of the same database and with a later owner. */
function beginCopy(target: string, { path, database, owner }: BackupSource): void {
  const ownerPath = join(target, ownerName(owner));
  let isBegun = false;
  try {
    checkTarget(target, path);
    createFolder(target);
    isBegun = true;
    writeFileSync(ownerPath, ownRecordTexts(target).released);
    createMarker(target, { creating: true, database });
  } catch (error) {
    if (isBegun) removeQuietly(ownerPath);
    throw storageError(error, target);
  }
}

/** Throws unless the target is empty or does not exist, and is outside of the source. */
function checkTarget(target: string, source: string): void {
  // A database with another file in its directory cannot be opened.
  const way = relative(realpathSync(source), realPath(target));
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    throw unusable(target, faults.inSource);
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw unusable(target, faults.aFile);
  if (readdirSync(target).length > 0) throw unusable(target, faults.notEmpty);
}

/** The path without symbolic links; what does not exist has none. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

async function fill(
  directory: OpenDirectory,
  { levels, buffers }: StoreSnapshot,
  onStep: (fraction: number) => void,
): Promise<BackupSummary> {
  const { path, database, owner } = directory;
  const check = (): void => directory.check();
  const context = { directory: path, database, owner, isDurable: true, check };
  const files = new DiskFiles({ ...context, cacheBytes: 0 });
  try {
    const tables = [...levels.tables()];
    const total = tables.reduce((sum, { info }) => sum + info.bytes, 1);
    const copies = new Map<Table, Table>();
    let bytes = 0;
    for (const table of tables) {
      await copyTable(table, path);
      const copy = files.open(table.info);
      await verifyTable(copy);
      copies.set(table, copy);
      bytes += table.info.bytes;
      onStep(bytes / total);
    }
    const written = await writeBuffers(buffers, { files, pause: turn });
    if (written !== undefined) await verifyTable(written);
    const copied = levels.map((table) => copies.get(table)!);
    const log = Log.create(context, { previous: undefined, nextCommit: 1 });
    const segment = log.rotate();
    log.close();
    const newest = written === undefined ? [] : [wholeTable(written)];
    const state = { levels: copied.withNewest(newest), commit: 0, segment };
    await files.save({ ...state, lastSegment: segment });
    directory.created();
    onStep(1);
    return {
      tables: copies.size + newest.length,
      bytes: bytes + (written?.info.bytes ?? 0),
    };
  } finally {
    await files.close();
  }
}

async function copyTable(table: Table, directory: string): Promise<void> {
  const handle = await open(join(directory, tableName(table.info)), 'wx');
  const part = new Uint8Array(copyBytes);
  try {
    for (let at = 0; at < table.info.bytes; at += part.length) {
      const end = Math.min(table.info.bytes, at + part.length);
      table.copyTo(part, at, end);
      await handle.write(part, 0, end - at, at);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Reads all tables of a snapshot and verifies them. */
export async function verifyTables(
  { levels }: StoreSnapshot,
  onStep: (fraction: number) => void,
): Promise<BackupSummary> {
  const tables = [...levels.tables()];
  const total = tables.reduce((sum, { info }) => sum + info.bytes, 0);
  let bytes = 0;
  for (const table of tables) {
    await verifyTable(table);
    bytes += table.info.bytes;
    onStep(bytes / total);
  }
  onStep(1);
  return { tables: tables.length, bytes };
}

export async function verifyTable(table: Table): Promise<void> {
  table.check();
  for (const _ of table.verify()) await turn();
}

function unusable(directory: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', { directory, ...faults.unusable(problem) });
}

const faults = {
  notEmpty: { problem: 'the directory for the copy is not empty' },
  inSource: { problem: 'the directory for the copy is in the directory of the database' },
  aFile: { problem: 'the directory for the copy is a file' },
  unusable: (problem: string) => ({
    problem,
    fix: 'name a directory that is empty or does not exist, outside of the database',
  }),
} satisfies FaultTexts;
