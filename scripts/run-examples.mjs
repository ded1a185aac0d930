/**
 * Runs the programs in examples/ as a user would (`tsx examples/NAME`), each in its own process.
 * Fails if one of them fails, or if there is none.
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
  console.error('No examples to run: examples/ has no program of that name.');
  process.exit(1);
}
const failed = [];
for (const name of names) {
  const started = performance.now();
  // Ends an example that hangs; none takes more than a few seconds.
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
