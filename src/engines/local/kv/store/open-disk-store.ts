/** Opens the store of a directory that this process owns. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  equalBytes,
  RowsmithError,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import type { Durability } from '../../../../data/store/index.js';
import { CommitPairs } from '../buffer/commit-pairs.js';
import { PairArena } from '../buffer/pair-arena.js';
import { SortedPairs } from '../buffer/sorted-pairs.js';
import type { OpenDirectory } from '../directory/database-directory.js';
import { removeQuietly } from '../directory/exclusive-name.js';
import {
  compareFileIds,
  creatorOf,
  logName,
  manifestFile,
  parseManifestName,
  tableName,
} from '../directory/file-names.js';
import { flushDirectory, flushFile } from '../directory/sync-directory.js';
import { Levels } from '../levels/levels.js';
import { type DatabaseManifest, levelsOf, parseManifest } from '../levels/manifest-text.js';
import { Log, type LogContext } from '../log/log.js';
import type { SegmentId } from '../log/log-record.js';
import { type FoundLog, recoverLog } from '../log/recover-log.js';
import { MergedRuns } from '../merged-runs.js';
import { metaSpan } from '../store-key.js';
import type { Table } from '../tables/table.js';
import { Buffers } from './buffers.js';
import { DiskFiles } from './disk-files.js';
import type { StoreState } from './store-files.js';
import type { StoreLimits } from './store-limits.js';
import { TableStore } from './table-store.js';
import { turn } from './work-loop.js';

export interface OpenStoreOptions {
  readonly durability: Durability;
  readonly limits: StoreLimits;
  /** Whether all tables are verified first. */
  readonly verify: boolean;
}

/** Pairs of the log that are merged into the buffer at once. */
const maxMergedPairs = 1024;

interface StoredState {
  readonly levels: Levels;
  readonly pairs: SortedPairs;
  readonly found: FoundLog;
}

export async function openDiskStore(
  directory: OpenDirectory,
  options: OpenStoreOptions,
): Promise<TableStore> {
  const { path, database, owner } = directory;
  const isDurable = options.durability === 'durable';
  const check = (): void => directory.check();
  const context = { directory: path, database, owner, isDurable, check };
  const files = new DiskFiles({ ...context, cacheBytes: options.limits.cache });
  try {
    if (!directory.isNew) return await openStored(context, files, options);
    const log = Log.create(context, { previous: undefined, nextCommit: 1 });
    const state = { levels: Levels.empty, commit: 0, segment: log.rotate() };
    await saveOrClose(files, log, state);
    directory.created();
    return new TableStore({ ...state, files, log, buffers: new Buffers(), limits: options.limits });
  } catch (error) {
    files.handles.closeAll();
    throw error;
  }
}

async function openStored(
  context: LogContext,
  files: DiskFiles,
  { limits, verify }: OpenStoreOptions,
): Promise<TableStore> {
  const { directory: path, database, owner, isDurable } = context;
  const manifest = newestManifest(path, database);
  const tables = openTables(manifest, files);
  for (const table of tables.values()) {
    table.check();
    if (verify) for (const _ of table.verify()) await turn();
  }
  const { levels, pairs, found } = await readState(path, database, manifest, tables);
  checkLastSegment(path, manifest, found);
  readMetadata(levels);
  if (isDurable) await flushAll(path, found.segments, manifest, tables);
  const log = Log.create(context, { previous: found, nextCommit: found.nextCommit });
  // Without pairs, all that the log did is in the levels.
  const hasLog = pairs.size > 0;
  const state = {
    levels,
    commit: hasLog ? manifest.commit : found.nextCommit - 1,
    segment: hasLog ? manifest.segment : log.rotate(),
  };
  files.oldManifests = manifestsOf(path).map(manifestFile);
  await saveOrClose(files, log, state);
  const named = [...levels.tables()].map(({ info }) => tableName(info));
  removeObsolete(path, owner, [...named, ...(hasLog ? found.segments.map(logName) : [])]);
  return new TableStore({ files, log, buffers: new Buffers(pairs), limits, ...state });
}

async function saveOrClose(
  files: DiskFiles,
  log: Log,
  state: Omit<StoreState, 'lastSegment'>,
): Promise<void> {
  try {
    await files.save({ ...state, lastSegment: log.current });
  } catch (error) {
    log.close();
    throw error;
  }
}

/** The manifests of a directory, the newest last. */
export function manifestsOf(path: string): { readonly owner: number; readonly number: number }[] {
  return readdirSync(path)
    .map(parseManifestName)
    .filter((id) => id !== undefined)
    .sort(compareFileIds);
}

/** Reads the manifest that says what the database is. */
export function newestManifest(path: string, database: Uint8Array): DatabaseManifest {
  const id = manifestsOf(path).at(-1);
  if (id === undefined) throw damaged(path, faults.noManifest);
  const file = join(path, manifestFile(id));
  const manifest = parseManifest(readFileSync(file), file);
  if (!equalBytes(manifest.database, database)) throw damaged(file, faults.otherDatabase);
  if (compareFileIds(manifest, id) !== 0) throw damaged(file, faults.otherFile);
  return manifest;
}

function openTables({ entries }: DatabaseManifest, files: DiskFiles): Map<string, Table> {
  const tables = new Map<string, Table>();
  for (const { table } of entries) {
    const name = tableName(table);
    if (!tables.has(name)) tables.set(name, files.open(table));
  }
  return tables;
}

async function readState(
  directory: string,
  database: Uint8Array,
  manifest: DatabaseManifest,
  tables: ReadonlyMap<string, Table>,
): Promise<StoredState> {
  let levels = levelsOf(manifest, (info) => tables.get(tableName(info))!);
  const pairs = new SortedPairs(new PairArena());
  let batch = new CommitPairs(pairs.arena);
  const merge = (): void => {
    batch.finish();
    pairs.merge(batch.refs, batch.slots);
    batch = new CommitPairs(pairs.arena);
  };
  const found = await recoverLog({ directory, database }, manifest.segment, {
    pair: (key, value) => batch.set(key, value),
    range(start, end) {
      merge();
      pairs.removeRange(start, end);
      levels = levels.without({ start: start.slice(), end: end.slice() });
    },
    commitEnd() {
      if (batch.size >= maxMergedPairs) merge();
    },
  });
  merge();
  return { levels, pairs, found };
}

/** Reads what an engine reads when it is opened: if that fails, nothing has been changed. */
function readMetadata(levels: Levels): void {
  const { start, end } = metaSpan('');
  const merged = new MergedRuns(levels.runs(start, end, false), false);
  while (merged.top !== undefined) merged.advance();
}

/** Throws CORRUPT_DATA if the end of the log is missing. */
function checkLastSegment(
  path: string,
  { lastSegment: last }: DatabaseManifest,
  found: FoundLog,
): void {
  const isThere = found.segments.some(
    (segment) => compareFileIds(segment, last) === 0 && equalBytes(segment.salt, last.salt),
  );
  if (!isThere) throw damaged(join(path, logName(last)), faults.missingSegment);
}

/** Flushes what the owner before has maybe not flushed. */
async function flushAll(
  path: string,
  segments: readonly SegmentId[],
  manifest: DatabaseManifest,
  tables: ReadonlyMap<string, Table>,
): Promise<void> {
  for (const segment of segments) await flushFile(join(path, logName(segment)));
  if (!manifest.isDurable) {
    for (const name of tables.keys()) await flushFile(join(path, name));
    await flushFile(join(path, manifestFile(manifest)));
  }
  await flushDirectory(path);
}

/** Removes files of earlier owners that are not part of the database. */
function removeObsolete(path: string, owner: number, needed: readonly string[]): void {
  for (const name of readdirSync(path)) {
    const creator = creatorOf(name);
    if (creator === undefined || creator >= owner || needed.includes(name)) continue;
    removeQuietly(join(path, name));
  }
}

function damaged(file: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', { file, ...faults.damaged(problem) });
}

const faults = {
  missingSegment: { problem: 'the segment of the log is missing, or it is another file' },
  noManifest: { problem: 'the directory has no manifest' },
  otherDatabase: { problem: 'the manifest belongs to another database' },
  otherFile: { problem: 'the manifest was renamed' },
  damaged: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
