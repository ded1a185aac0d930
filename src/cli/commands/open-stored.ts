/** Opens only databases that exist: a misspelt directory must not become a new, empty one. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { openEngine, parseEngineUrl } from '../../engines/index.js';
import { RowsmithError } from '../../errors.js';
import type { Engine } from '../../store/index.js';

/** Settings of live databases: how long people wait for an answer. Reads wait for each response. */
export const patience = { totalTimeoutMs: 20_000 } as const;

/** Whether a url names a directory that does not exist, or has nothing in it. */
export function isMissing(url: string): boolean {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk') return false;
  if (!existsSync(target.directory)) return true;
  return statSync(target.directory).isDirectory() && readdirSync(target.directory).length === 0;
}

/** Throws FILE_FAILED if a url names a directory that does not exist. */
export function checkStored(url: string): void {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk' || existsSync(target.directory)) return;
  throw new RowsmithError('FILE_FAILED', {
    file: target.directory,
    problem: `there is no such directory: ${target.directory}, from the url ${url}`,
    fix: 'correct the url; nothing was created',
  });
}

/**
 * Opens the database of a url for reading; another process may have it open. Throws FILE_FAILED if
 * its directory does not exist.
 */
export async function openStored(url: string): Promise<Engine> {
  checkStored(url);
  return openEngine(url, { readOnly: true, bigtable: patience });
}
