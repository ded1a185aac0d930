/**
 * Runs every program in examples/ as a user would (`tsx examples/NAME`), each in its own process.
 * Fails when one does, or when there is none.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
const folder = join(root, 'examples');
const wanted = process.argv.slice(2);
const names = (existsSync(folder) ? readdirSync(folder) : [])
  .filter(
    (name) =>
      /\.(ts|mjs)$/.test(name) &&
      (wanted.length === 0 || wanted.some((part) => name.includes(part))),
  )
  .sort();

if (names.length === 0) {
  console.error('No examples to run: examples/ holds no program of that name.');
  process.exit(1);
}
const failed = [];
for (const name of names) {
  const started = performance.now();
  // Two minutes is far beyond what any example takes: one that hangs is a failure, not a wait.
  const run = spawnSync(process.execPath, [tsx, join('examples', name)], {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
  });
  const ok = run.status === 0;
  console.log(
    `${ok ? 'ok    ' : 'FAILED'} examples/${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  if (!ok) {
    failed.push(name);
    console.log(`${run.stdout}${run.stderr}`.trimEnd());
    if (run.error) console.log(String(run.error));
  }
}
process.exit(failed.length === 0 ? 0 : 1);
