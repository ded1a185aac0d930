/** Where the built page is. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `dist/studio`, which scripts/build.mjs makes, as seen from the package or from its sources. */
export function builtPage(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = ['../../../studio', '../../../dist/studio'].map((path) => join(here, path));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? folders[0];
}
