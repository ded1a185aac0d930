/** The database of a command: its url, and how it is opened. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { absoluteUrl, openEngine, parseEngineUrl } from '../../engines/index.js';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import {
  type Database,
  open,
  type OpenOptions as Options,
} from '../../entities/repository/index.js';
import type { Engine } from '../../data/store/index.js';
import { type CommandContext, UsageError } from '../command.js';
import { loadProject, type Project } from '../project/load-project.js';
import { assertReachable } from './reachable.js';
import type { Terminal } from '../terminal/terminal.js';

/** Settings of live databases: how long people wait for an answer. Reads wait for each response. */
export const patience = { totalTimeoutMs: 20_000 } as const;

/** The url of `--url` or the config; a `file:` url is absolute. */
export function databaseUrl(
  project: Pick<Project, 'url'> | undefined,
  url: string | undefined,
  folder: string,
): string {
  if (url !== undefined) return absoluteUrl(url, folder);
  if (project?.url !== undefined) return project.url;
  throw new UsageError(faults.noDatabase);
}

/** The same of a command that needs the config only without `--url`. */
export async function urlOf(
  url: string | undefined,
  context: Pick<CommandContext, 'folder' | 'config'>,
): Promise<string> {
  const project = url === undefined ? await loadProject(context) : undefined;
  return databaseUrl(project, url, context.folder);
}

/** The url of a database that outlives a process. Throws UsageError for memory:. */
export function storedUrl(
  project: Pick<Project, 'url'>,
  url: string | undefined,
  folder: string,
): string {
  const target = databaseUrl(project, url, folder);
  if (target !== 'memory:') return target;
  throw new UsageError(faults.memoryDatabase);
}

/** Whether a url names a directory that does not exist, or has nothing in it. */
export function isMissing(url: string): boolean {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk') return false;
  if (!existsSync(target.directory)) return true;
  return statSync(target.directory).isDirectory() && readdirSync(target.directory).length === 0;
}

/**
 * Throws FILE_FAILED if a url names a directory that does not exist, or has nothing in it: a
 * misspelt directory must not become a new, empty database.
 */
export function checkStored(url: string): void {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk' || !isMissing(url)) return;
  const { directory } = target;
  let problem = `there is no such directory: ${directory}, from the url ${url}`;
  if (existsSync(directory)) problem = `the directory is empty: ${directory}, from the url ${url}`;
  throw new RowsmithError('FILE_FAILED', { file: directory, problem, fix: faults.missing.fix });
}

/** Whether a url names Google's Bigtable, and no emulator. */
export function isLiveBigtable(url: string): boolean {
  return parseEngineUrl(url).kind === 'live' && (process.env.BIGTABLE_EMULATOR_HOST ?? '') === '';
}

/** Says that a command creates a database, which may be a misspelt one. */
export function noteMissing(terminal: Terminal, url: string, command: string): void {
  if (isMissing(url)) terminal.note(`there is no database at ${url} yet: ${command} creates it`);
}

/** How a database is opened. */
export type OpenOptions = Pick<
  Options,
  'readOnly' | 'bigtable' | 'onDamagedCell' | 'onIncompleteRow' | 'onForeignRow'
>;

/**
 * Opens a database of the project, which must exist. With `readOnly` another process may have it
 * open. Throws FILE_FAILED.
 */
export async function openDatabase(
  { entities }: Pick<Project, 'entities'>,
  url: string,
  options: OpenOptions = {},
): Promise<Database> {
  checkStored(url);
  await assertReachable(url);
  return open(url, { entities, lint: false, ...options });
}

/** Opens the database of `--url` or the config for people who wait for rows. Throws UsageError. */
export function openForRows(
  project: Project,
  url: string | undefined,
  { folder }: Pick<CommandContext, 'folder'>,
  options: OpenOptions = {},
): Promise<Database> {
  const target = storedUrl(project, url, folder);
  return openDatabase(project, target, { readOnly: true, bigtable: patience, ...options });
}

/**
 * Opens the engine of a url for reading; another process may have it open. Throws FILE_FAILED if
 * there is none in its directory.
 */
export async function openStored(url: string): Promise<Engine> {
  checkStored(url);
  await assertReachable(url);
  return openEngine(url, { readOnly: true, bigtable: patience });
}

/** Milliseconds for a first answer of a server. */
const maxAnswerMs = 20_000;

/**
 * The names of the tables. Throws UNAVAILABLE if a server does not answer: retries of a call that
 * waits for tables would take ten minutes.
 */
export async function storedTables(
  engine: Engine,
  url: string,
  millis = maxAnswerMs,
): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const problem = `no answer from ${url} in ${millis / 1000} s`;
    const fix = 'check the url and BIGTABLE_EMULATOR_HOST, or run rowsmith doctor';
    timer = setTimeout(() => reject(new RowsmithError('UNAVAILABLE', { problem, fix })), millis);
  });
  const tables = engine.listTables();
  // Whatever becomes of it when the time is over.
  tables.catch(() => undefined);
  try {
    return (await Promise.race([tables, timeout])).map(({ name }) => name);
  } finally {
    clearTimeout(timer);
  }
}

const faults = {
  missing: {
    problem: 'there is no database',
    fix:
      'write a first row, which creates it: rowsmith put, import or seed, or your program; ' +
      'or correct the url; nothing was created',
  },
  noDatabase: { problem: 'no database is named', fix: 'give --url URL, or set url in the config' },
  memoryDatabase: {
    problem: 'memory: is empty in every process',
    fix: 'name file:./directory or bigtable://project/instance',
  },
} satisfies FaultTexts;
