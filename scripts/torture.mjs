/**
 * Attempts to make the embedded engine lose data or end the process: `node scripts/torture.mjs
 * [SCENARIO]... [--rounds N] [--seed N] [--json]`, `--help` names the scenarios. They are in
 * test/engines/local/torture; the tests run the same ones with fewer rounds.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'test/engines/local/torture');
const out = join(root, `.tmp/torture-${process.pid}`);

await build({
  entryPoints: [join(folder, 'main.ts')],
  outfile: join(out, 'main.mjs'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  define: { __dirname: JSON.stringify(folder) },
  logLevel: 'warning',
});
const run = spawn(process.execPath, [join(out, 'main.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
run.on('close', (code, signal) => {
  rmSync(out, { recursive: true, force: true });
  process.exit(code ?? (signal === null ? 0 : 1));
});
