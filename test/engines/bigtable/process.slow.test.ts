/**
 * The live engine in child processes: without the client library, and how promptly a process exits
 * after `close`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(__dirname, '../../..');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-live-'));
  for (const variant of ['without', 'with']) {
    mkdirSync(join(folder, variant));
    for (const [format, file] of [
      ['esm', 'engine.mjs'],
      ['cjs', 'engine.cjs'],
    ] as const) {
      buildSync({
        entryPoints: [join(root, 'src/engines/bigtable/index.ts')],
        outfile: join(folder, variant, file),
        bundle: true,
        keepNames: true,
        platform: 'node',
        format,
        packages: 'external',
        logLevel: 'error',
      });
    }
  }
  // Hides an installation in a parent directory: this package cannot be loaded.
  mkdirSync(join(folder, 'without/node_modules/@google-cloud/bigtable'), { recursive: true });
  writeFileSync(
    join(folder, 'without/node_modules/@google-cloud/bigtable/package.json'),
    '{ "main": "absent.js" }',
  );
  const client = process.env.BIGTABLE_CLIENT ?? join(root, 'node_modules/@google-cloud/bigtable');
  symlinkSync(join(client, '../..'), join(folder, 'with/node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program; a process that does not exit is killed, with the signal as its status. */
function run(
  variant: 'with' | 'without',
  file: string,
  program: string,
): { readonly printed: string; readonly status: number | string | null } {
  writeFileSync(join(folder, variant, file), program);
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, [file], {
    cwd: join(folder, variant),
    encoding: 'utf8',
    timeout: 500_000,
    env: { ...process.env, NODE_OPTIONS: '', NODE_PATH: '', BIGTABLE_EMULATOR_HOST: '' },
  });
  return { printed: `${stdout}${stderr}`, status: status ?? signal };
}

test.each([
  ['ESM', 'missing.mjs', "import { openLiveEngine } from './engine.mjs';"],
  ['CommonJS', 'missing.cjs', "const { openLiveEngine } = require('./engine.cjs');"],
])('%s: without the client library the error contains the install command', (_name, file, load) => {
  const { printed, status } = run(
    'without',
    file,
    `${load}
openLiveEngine('bigtable://p/i').then(() => console.log('opened'), (error) => console.log(error.code, '|', error.details.fix));`,
  );
  expect({ printed: printed.trim(), status }).toEqual({
    printed: 'MISSING_PACKAGE | run npm install @google-cloud/bigtable',
    status: 0,
  });
});

test.each([
  // Port 1 on localhost rejects connections at once.
  [
    'after a call that could not connect',
    "'127.0.0.1:1'",
    'await write().catch((error) => console.log(error.code));',
    ['UNAVAILABLE'],
  ],
  [
    'with calls that are never answered',
    'silent',
    'for (const call of [write(), bulk(), scan()]) call.catch((error) => console.log(error.code));',
    ['DATABASE_CLOSED', 'UNAVAILABLE', 'UNAVAILABLE'],
  ],
])('a process exits by itself after close, %s', (_name, emulatorHost, body, codes) => {
  const { printed, status } = run(
    'with',
    'close.mjs',
    `import { createServer } from 'node:net';
import { openLiveEngine } from './engine.mjs';
const server = createServer((socket) => void socket.unref());
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
server.unref();
const silent = '127.0.0.1:' + server.address().port;
const engine = await openLiveEngine('bigtable://p/i', { emulatorHost: ${emulatorHost}, totalTimeoutMs: ${emulatorHost === 'silent' ? 60_000 : 300} });
const row = { key: Buffer.from('k'), mutations: [{ kind: 'setCell', family: 'f', qualifier: Buffer.from('q'), timestamp: 0, value: Buffer.from('v') }] };
const write = () => engine.mutateRow('t', row);
// Rows that may have been written are reported row by row.
const bulk = async () => { throw (await engine.mutateRows('t', [row]))[0]; };
const scan = () => engine.readRows({ table: 't', ranges: [{ start: new Uint8Array(0) }], reversed: false }).next();
${body}
await new Promise((resolve) => setTimeout(resolve, 20));
const started = performance.now();
await engine.close();
process.on('exit', () => console.log(performance.now() - started < 30_000 ? 'promptly' : 'late'));`,
  );
  expect({ lines: printed.trim().split('\n'), status }).toEqual({
    lines: [...codes, 'promptly'],
    status: 0,
  });
});
