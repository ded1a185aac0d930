/**
 * Runs the programs of this folder, one after another, against `rowsmith serve --memory`. A program
 * in a language that is not installed is skipped. `PYTHON=path node run.mjs` takes another Python:
 * it needs google-cloud-bigtable.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const { resolve } = createRequire(import.meta.url);
const rowsmith = join(dirname(resolve('rowsmith/package.json')), 'dist/esm/src/cli/main.js');
const python = process.env.PYTHON ?? 'python3';
const node = process.execPath;
/** @param {string} file */
const typescript = (file) => [node, '--import', import.meta.resolve('tsx'), file];

/**
 * A program: its command, and what it needs. A language is added with its generator above, and its
 * program here.
 */
const languages = ['python'];
const programs = [
  { name: 'generate', command: [node, rowsmith, 'generate', ...languages] },
  { name: 'TypeScript writes readings', command: typescript('write.ts') },
  {
    name: 'Python computes the values of an hour',
    needs: [python, '-c', 'import google.cloud.bigtable.data'],
    command: [python, 'hourly.py'],
  },
  { name: 'TypeScript reads them', command: typescript('show.ts') },
];

const serve = [rowsmith, 'serve', '--memory', '--port', '0'];
const instance = ['--instance', 'projects/demo/instances/plant'];
const server = spawn(node, [...serve, ...instance], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const env = {
    ...process.env,
    BIGTABLE_EMULATOR_HOST: await addressOf(server),
    PYTHONPATH: join(folder, 'generated/python'),
  };
  for (const { name, needs, command } of programs) {
    if (needs !== undefined && spawnSync(needs[0], needs.slice(1)).status !== 0) {
      console.log(`SKIPPED ${name}: '${needs.join(' ')}' fails`);
      continue;
    }
    console.log(`# ${name}`);
    const [program, ...args] = command;
    const { status } = spawnSync(program, args, { cwd: folder, env, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${name} failed`);
  }
} finally {
  server.kill();
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<string>} */
async function addressOf(child) {
  for await (const line of createInterface({ input: /** @type {any} */ (child.stdout) })) {
    const found = / at (127\.0\.0\.1:\d+)/.exec(line);
    if (found !== null) return found[1];
  }
  throw new Error('rowsmith serve has ended');
}
