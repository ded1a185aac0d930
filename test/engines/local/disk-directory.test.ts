/** Which directories can be opened as a database, and by one process at a time. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowsmithError } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { formatName, formatVersion } from '../../../src/engines/local/kv/directory/marker-file.js';
import { bundleEngine } from './bundle.js';
import { read, rejects, set, utf8 } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-dir-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const snapshot = (at: string) =>
  readdirSync(at)
    .sort()
    .map((name) => [name, statSync(join(at, name)).mtimeMs, readFileSync(join(at, name)).length]);

async function filled(at: string): Promise<void> {
  const engine = await openDiskEngine(at);
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  for (let key = 0; key < 500; key++)
    void engine.mutateRow('t', {
      key: utf8(`k${key}`),
      mutations: [set('a', 'q', 'v'.repeat(1000))],
    });
  await engine.close();
}

test('a directory with other files is rejected and left unchanged', async () => {
  for (const files of [
    ['notes.txt'],
    ['table.1-1'],
    ['rowsmith.json', 'table.1-1'],
    ['rowsmith.json'],
  ]) {
    const at = join(directory, files.join('+'));
    mkdirSync(at);
    for (const file of files) writeFileSync(join(at, file), 'somebody else');
    const before = snapshot(at);
    await rejects(openDiskEngine(at), 'NOT_A_DATABASE');
    expect(snapshot(at)).toEqual(before);
  }
  const file = join(directory, 'file');
  writeFileSync(file, 'text');
  await rejects(openDiskEngine(file), 'NOT_A_DATABASE');
  await rejects(openDiskEngine(join(file, 'below')), 'NOT_A_DATABASE');
});

test('directories are created, and an empty one is used', async () => {
  await filled(join(directory, 'a', 'b'));
  expect(readdirSync(join(directory, 'a', 'b')).sort()).toEqual([
    'log.1-2',
    'manifest.1-2',
    'owner.1',
    'rowsmith.json',
    'table.1-1',
  ]);
  expect(JSON.parse(readFileSync(join(directory, 'a', 'b', 'rowsmith.json'), 'utf8'))).toEqual({
    format: formatName,
    version: formatVersion,
    database: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
  });
});

// Only Linux has such a file system, where mkdir's recursive mode does not terminate.
(existsSync('/proc/self') ? test : test.skip)(
  'opening fails where no directory can be created',
  async () => {
    await rejects(openDiskEngine('/proc/rowsmith/data'), 'STORAGE_FAILED');
  },
);

test('the specification describes the format that is written', () => {
  const specification = readFileSync(
    join(__dirname, '../../../src/engines/local/FORMAT.md'),
    'utf8',
  );
  expect(specification).toContain(`Format \`${formatName}\`, version ${formatVersion}.`);
});

test('a newer format is rejected and left unchanged', async () => {
  await filled(directory);
  writeFileSync(
    join(directory, 'rowsmith.json'),
    JSON.stringify({ format: formatName, version: formatVersion + 1 }),
  );
  const before = snapshot(directory);
  await rejects(openDiskEngine(directory), 'FORMAT_TOO_NEW');
  expect(snapshot(directory)).toEqual(before);
});

test('a damaged table or manifest is rejected', async () => {
  await filled(directory);
  const damage: Record<string, (file: string) => void> = {
    garbage: (file) => writeFileSync(file, Buffer.alloc(100_000, 'x')),
    short: (file) => writeFileSync(file, 'x'),
    cut: (file) => truncateSync(file, 200),
    missing: (file) => rmSync(file),
  };
  for (const [kind, harm] of Object.entries(damage))
    for (const name of ['table.1-1', 'manifest.1-2']) {
      const at = join(directory, `${kind} ${name}`);
      mkdirSync(at);
      for (const file of ['rowsmith.json', 'table.1-1', 'manifest.1-2', 'log.1-2'])
        cpSync(join(directory, file), join(at, file));
      harm(join(at, name));
      const before = snapshot(at);
      await rejects(openDiskEngine(at), 'CORRUPT_DATA');
      expect(snapshot(at)).toEqual(before);
      rmSync(at, { recursive: true });
    }
});

test('opening twice in a process is rejected, and the first database remains usable', async () => {
  const engine = await openDiskEngine(directory);
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const error = await openDiskEngine(directory).then(
    () => undefined,
    (reason: RowsmithError) => reason,
  );
  expect([error?.code, error?.details.pid]).toEqual(['DATABASE_IN_USE', process.pid]);
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v')] });
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
  const again = await openDiskEngine(directory);
  expect(await read(again)).toEqual(['k{a:q@1000=v}']);
  await again.close();
});

test('a second process is rejected with the PID of the owner, until the owner is killed', async () => {
  const programs = bundleEngine(['holder.mjs']);
  const child = spawn(process.execPath, [join(programs, 'holder.mjs'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => void child.stdout.once('data', resolve));
    const error = await openDiskEngine(directory).then(
      () => undefined,
      (reason: RowsmithError) => reason,
    );
    expect([error?.code, error?.details.pid]).toEqual(['DATABASE_IN_USE', child.pid]);
  } finally {
    child.kill('SIGKILL');
    await new Promise((resolve) => void child.once('close', resolve));
    rmSync(programs, { recursive: true });
  }
  const engine = await openDiskEngine(directory);
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
});
