/** Hashes of sources, under which results that take long to make are kept. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that dist/ is made from. */
export const buildInputs = [
  'src',
  'decorators',
  'scripts/build.mjs',
  'scripts/build-studio-page.mjs',
  'scripts/bundle-declarations.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.esm.json',
];

/**
 * A hash of the contents of files and folders.
 *
 * @param {string} root @param {readonly string[]} paths
 */
export function hashOf(root, paths) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const absolute = join(root, path);
    if (statSync(absolute).isDirectory()) {
      for (const name of readdirSync(absolute).sort()) add(`${path}/${name}`);
    } else {
      hash.update(`${path}\0`).update(readFileSync(absolute));
    }
  };
  for (const path of paths) add(path);
  return hash.digest('hex').slice(0, 16);
}
