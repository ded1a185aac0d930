/** Opens only databases that exist: a misspelt directory must not become a new, empty one. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { openEngine, parseEngineUrl } from '../../engines/index.js';
import { RowsmithError } from '../../base/index.js';
import type { Engine } from '../../data/store/index.js';
import type { Terminal } from '../terminal/terminal.js';

/** Settings of live databases: how long people wait for an answer. Reads wait for each response. */
export const patience = { totalTimeoutMs: 20_000 } as const;

/** Whether a url names a directory that does not exist, or has nothing in it. */
export function isMissing(url: string): boolean {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk') return false;
  if (!existsSync(target.directory)) return true;
  return statSync(target.directory).isDirectory() && readdirSync(target.directory).length === 0;
}

/** Throws FILE_FAILED if a url names a directory that does not exist, or has nothing in it. */
export function checkStored(url: string): void {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk' || !isMissing(url)) return;
  const { directory } = target;
  let problem = `there is no such directory: ${directory}, from the url ${url}`;
  if (existsSync(directory)) problem = `the directory is empty: ${directory}, from the url ${url}`;
  const fix = 'correct the url; nothing was created';
  throw new RowsmithError('FILE_FAILED', { file: directory, problem, fix });
}

/** Says that a command creates a database, which may be a misspelt one. */
export function noteMissing(terminal: Terminal, url: string, command: string): void {
  if (isMissing(url)) terminal.note(`there is no database at ${url} yet: ${command} creates it`);
}

/**
 * Opens the database of a url for reading; another process may have it open. Throws FILE_FAILED if
 * there is none in its directory.
 */
export async function openStored(url: string): Promise<Engine> {
  checkStored(url);
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
