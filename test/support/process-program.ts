/** Programs that suites run in a process, to kill it. */
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(__dirname, '../..');

/**
 * Bundles a program, with the packages of the repository beside it. Returns its path in `folder`,
 * which has one program.
 */
export function buildProgram(entry: string, folder: string): string {
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    keepNames: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
    tsconfig: join(root, 'tsconfig.json'),
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return outfile;
}
