/** Where the demo keeps its database. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `demo-data/` beside package.json, emptied; or the directory given, which must be empty, because
 * it is not ours to clear.
 */
export function prepareDirectory(given: string | undefined): string {
  const ours = join(dirname(fileURLToPath(import.meta.url)), '../demo-data');
  if (given === undefined) {
    rmSync(ours, { recursive: true, force: true });
    return ours;
  }
  const directory = resolve(given);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is not empty: name a new directory`);
  return directory;
}

/** Bytes of the files in a directory. */
export function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
