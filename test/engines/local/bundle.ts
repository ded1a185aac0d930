/** Bundles the engine into one JavaScript file, which child processes can run. */
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';

/**
 * Bundles the engine and the programs into a new directory and returns its path. Programs import
 * the engine from './engine.mjs'.
 */
export function bundleEngine(programs: readonly string[]): string {
  return bundle(join(__dirname, '../../../src/engines/local/index.ts'), 'engine.mjs', programs);
}

/** Bundles rows.ts and programs, which import it from './rows.mjs'. */
export function bundleRows(programs: readonly string[]): string {
  return bundle(join(__dirname, 'rows.ts'), 'rows.mjs', programs);
}

function bundle(entryPoint: string, name: string, programs: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-child-'));
  const options = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['re2js', `./${name}`],
    logLevel: 'error',
  } satisfies BuildOptions;
  buildSync({
    ...options,
    entryPoints: [entryPoint],
    outfile: join(directory, name),
  });
  for (const program of programs)
    buildSync({
      ...options,
      entryPoints: [join(__dirname, program)],
      outfile: join(directory, program),
    });
  symlinkSync(join(__dirname, '../../../node_modules'), join(directory, 'node_modules'));
  return directory;
}
