/** Where the built page is. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `dist/esm/src/studio-page`, which scripts/build.mjs makes, as seen from the package, where this
 * module is in a folder beside it, or from the sources.
 */
export function builtPage(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = ['../studio-page', '../../../dist/esm/src/studio-page'];
  const folders = places.map((path) => join(here, path));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? folders[0];
}
