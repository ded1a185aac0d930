/** The directory of the demo's database. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `demo-data/` beside package.json, emptied, or another directory, which must be empty: its content
 * may not be the demo's.
 */
export function prepareDirectory(path: string | undefined): string {
  const ownDirectory = join(dirname(fileURLToPath(import.meta.url)), '../demo-data');
  if (path === undefined) {
    rmSync(ownDirectory, { recursive: true, force: true });
    return ownDirectory;
  }
  const directory = resolve(path);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is not empty: name a new directory`);
  return directory;
}

/** The total size of the files in a directory. */
export function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name)))
    .filter((stat) => stat.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
