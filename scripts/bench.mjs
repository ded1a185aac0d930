/**
 * Runs a benchmark: `npm run bench -- [bench/NAME.ts] [arguments]`, by default bench/main.ts, in
 * plain Node, because what a loader adds would be measured too.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileSources } from './compile-sources.mjs';

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
const folders = ['src', 'decorators', 'bench'].filter((folder) => existsSync(join(root, folder)));
await compileSources(root, folders, out);
// The sources that generated code consists of.
for (const language of ['python', 'go', 'java']) {
  const runtime = `src/tools/codegen/languages/${language}/runtime`;
  cpSync(join(root, runtime), join(out, runtime), { recursive: true });
}
const run = spawnSync(
  process.execPath,
  ['--expose-gc', join(out, entry.replace(/\.ts$/, '.js')), ...args],
  { cwd: root, stdio: 'inherit' },
);
rmSync(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
