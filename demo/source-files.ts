/** The files of the devDependency vega-datasets, read where npm put them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Its package.json opens no door but the main file, which lies in build/ beside data/.
const folder = join(dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data');

/** The text of a data file. */
export function sourceText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
