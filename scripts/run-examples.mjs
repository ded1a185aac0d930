/**
 * Runs the programs in examples/, each in its own process, several at a time. They are bundled at
 * once with the sources that they share, because a process of tsx for each takes most of its time to
 * compile them again. Fails if one of them fails, or if there is none.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
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
mkdirSync(join(root, '.tmp'), { recursive: true });
// Inside the repository, so that packages are found.
const compiled = mkdtempSync(join(root, '.tmp/examples-'));
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));
await build({
  entryPoints: names.map((name) => join(folder, name)),
  outdir: compiled,
  bundle: true,
  keepNames: true,
  // package.json declares the side effects of dist/ only.
  ignoreAnnotations: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  tsconfig: join(root, 'tsconfig.json'),
  logLevel: 'error',
});

/**
 * Runs an example; its output is shown if it fails.
 *
 * @param {string} name @returns {Promise<{ ok: boolean, text: string }>}
 */
function run(name) {
  const started = performance.now();
  // Ends an example that hangs; none takes more than a few seconds.
  const file = join(compiled, name.replace(/\.\w+$/, '.js'));
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((done) => {
    /** @param {boolean} ok */
    const finish = (ok) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const line = `${ok ? 'ok    ' : 'FAILED'} examples/${name}  ${seconds} s`;
      done({ ok, text: ok ? line : `${line}\n${output.trimEnd()}` });
    };
    child.on('error', (error) => {
      output += String(error);
      finish(false);
    });
    child.on('close', (code, signal) => {
      if (signal !== null) output += `ended by ${signal}`;
      finish(code === 0);
    });
  });
}

/** @type {Promise<{ ok: boolean, text: string }>[]} */
const runs = [];
const lanes = availableParallelism();
for (const [i, name] of names.entries())
  runs.push(i < lanes ? run(name) : runs[i - lanes].then(() => run(name)));
let failed = false;
for (const each of runs) {
  const { ok, text } = await each;
  console.log(text);
  failed ||= !ok;
}
process.exit(failed ? 1 : 0);
