/** Data files of the devDependency vega-datasets. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Its package.json exports only the main file, in build/ beside data/.
const folder = join(dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data');

/** The text of a data file. */
export function sourceText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
