/** Directories that cannot be written, and media: read by processes of other users. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleEngine } from './bundle.js';
import { filled } from './read-only-databases.js';

let work: string;
beforeAll(() => void (work = mkdtempSync(join(tmpdir(), 'rowsmith-media-'))));
afterAll(() => rmSync(work, { recursive: true }));

/** Reads every row, as a user who may not write, and prints their number or the error. */
const readingProgram = `
  import { openDiskEngine, openReadOnlyEngine } from './engine.mjs';
  const [directory, mode, user] = process.argv.slice(2);
  if (user !== '') process.setuid(Number(user));
  try {
    const open = mode === 'read' ? openReadOnlyEngine : openDiskEngine;
    const engine = await open(directory);
    const all = { table: 't', ranges: [{ start: new Uint8Array(0) }], reversed: false };
    const stream = engine.readRows(all);
    let rows = 0;
    for (let page; (page = await stream.next()); ) while (page.nextRow()) rows++;
    await engine.close();
    console.log(rows);
  } catch (error) {
    console.log(error.code, error.details?.fix);
  }
`;

let programs: string | undefined;
afterAll(() => {
  if (programs !== undefined) rmSync(programs, { recursive: true });
});

function readAs(directory: string, mode: 'read' | 'write', user = ''): string {
  if (programs === undefined) {
    programs = bundleEngine([]);
    chmodSync(programs, 0o755);
    writeFileSync(join(programs, 'read.mjs'), readingProgram);
  }
  const args = [join(programs, 'read.mjs'), directory, mode, user];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a directory without write permission is read, and beside its owner', async () => {
  const directory = join(work, 'permission');
  const owner = await filled(directory);
  for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
  chmodSync(work, 0o755);
  chmodSync(directory, 0o555);
  const nobody = '65534';
  expect(readAs(directory, 'read', nobody)).toBe('5903');
  expect(readAs(directory, 'write', nobody)).toContain('DATABASE_IN_USE');
  await owner.close();
  expect(readAs(directory, 'read', nobody)).toBe('5903');
  const refused = readAs(directory, 'write', nobody);
  expect(refused).toContain('STORAGE_FAILED');
  expect(refused).toContain('readOnly: true');
});

asRoot('read-only media are read', async () => {
  const directory = join(work, 'medium');
  mkdirSync(directory);
  const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', directory);
  } catch {
    return; // A container may not mount.
  }
  try {
    const database = join(directory, 'db');
    await (await filled(database)).close();
    mount('-o', 'remount,ro', directory);
    expect(readAs(database, 'read')).toBe('5903');
    expect(readAs(database, 'write')).toContain('readOnly: true');
  } finally {
    execFileSync('umount', [directory]);
  }
});
