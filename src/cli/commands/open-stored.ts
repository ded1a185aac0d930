/**
 * An engine over rows that exist already: a misspelt directory must not become a new, empty
 * database.
 */
import { existsSync } from 'node:fs';
import { RowsmithError } from '../../errors.js';
import { openEngine, parseEngineUrl } from '../../engines/index.js';
import type { Engine } from '../../store/index.js';

/** Throws FILE_FAILED where a url names a directory that is not there. */
export function checkStored(url: string): void {
  const target = parseEngineUrl(url);
  if (target.kind !== 'disk' || existsSync(target.directory)) return;
  throw new RowsmithError('FILE_FAILED', {
    file: target.directory,
    problem: `there is no such directory, which the url ${url} names`,
    fix: 'correct the url; nothing was made',
  });
}

/** Opens what a url names. Throws FILE_FAILED for a directory that is not there. */
export async function openStored(url: string): Promise<Engine> {
  checkStored(url);
  return openEngine(url);
}
