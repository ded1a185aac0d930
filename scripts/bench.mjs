/**
 * Runs a benchmark: `npm run bench -- [bench/NAME.ts] [arguments]`, by default bench/main.ts. Types
 * are stripped file by file and plain Node runs the result: a loader such as tsx also wraps
 * functions to keep their names, which would be measured too.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// A folder for this process, so that two runs do not remove each other's files.
const out = join(root, `.tmp/bench-${process.pid}`);
const [first, ...rest] = process.argv.slice(2);
const named = first?.endsWith('.ts') ?? false;
const entry = named ? first : 'bench/main.ts';
const args = named ? rest : process.argv.slice(2);

if (!existsSync(join(root, entry))) {
  console.error(`There is no ${entry}.`);
  process.exit(1);
}
const sources = ['src', 'decorators', 'bench']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
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
const run = spawnSync(
  process.execPath,
  ['--expose-gc', join(out, entry.replace(/\.ts$/, '.js')), ...args],
  { cwd: root, stdio: 'inherit' },
);
rmSync(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
