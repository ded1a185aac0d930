/** Compiles sources file by file, so that plain Node runs the same functions that were written. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Strips the types of all modules in folders of the repository, and writes them under the same
 * paths to `out`. A loader such as tsx would also wrap functions to keep their names.
 *
 * @param {string} root @param {readonly string[]} folders @param {string} out
 */
export async function compileSources(root, folders, out) {
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.d|\.test)\.ts$/.test(name))
      .map((name) => join(folder, name)),
  );
  await build({
    absWorkingDir: root,
    entryPoints: sources,
    outdir: out,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.json',
    logLevel: 'warning',
  });
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
}
