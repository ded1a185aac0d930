/** The directory of a database: which may be opened, by one process at a time, and what becomes of it. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowsmithError } from '../../../src/base/index.js';
import { currentOwner } from '../../../src/engines/local/kv/directory/current-owner.js';
import {
  findDatabase,
  openDirectory,
} from '../../../src/engines/local/kv/directory/database-directory.js';
import { formatName, formatVersion } from '../../../src/engines/local/kv/directory/marker-file.js';
import { storageError } from '../../../src/engines/local/kv/directory/storage-error.js';
import { rejects } from '../conformance.js';
import { bundleRows } from './bundle.js';
import { Holder } from './holders.js';
import { openRows, readRows, type Rows } from './rows.js';

let work: string;
let directory: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-dir-'));
  directory = join(work, 'db');
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const open = (path = directory) => openDirectory(path, { durability: 'durable' });
const snapshot = (at: string) =>
  readdirSync(at)
    .sort()
    .map((name) => [name, statSync(join(at, name)).mtimeMs, readFileSync(join(at, name), 'hex')]);

async function errorOf(opening: Promise<unknown>): Promise<RowsmithError | undefined> {
  return opening.then(
    () => undefined,
    (error: RowsmithError) => error,
  );
}

/** The code with which a write fails. */
function failureOf(rows: Rows, key = 'x'): string | undefined {
  try {
    rows.put(key);
    return undefined;
  } catch (error) {
    return (error as RowsmithError).code;
  }
}

async function filled(path = directory, ...keys: string[]): Promise<void> {
  const rows = await openRows(path);
  for (const key of keys) rows.put(key);
  await rows.close();
}

async function keysOf(path = directory): Promise<string[]> {
  const rows = await openRows(path);
  await rows.close();
  return [...rows.rows.keys()];
}

test('a directory with other files is rejected and left unchanged', async () => {
  for (const files of [
    ['notes.txt'],
    ['log.1-1'],
    ['table.3-2'],
    ['rowsmith.json', 'log.1-1'],
    ['rowsmith.json'],
    ['log.1'],
    ['log.01-1'],
  ]) {
    const at = join(work, files.join('+'));
    mkdirSync(at);
    for (const file of files) writeFileSync(join(at, file), 'somebody else');
    const before = snapshot(at);
    await rejects(open(at), 'NOT_A_DATABASE');
    expect(() => findDatabase(at)).toThrow(
      expect.objectContaining({ code: 'NOT_A_DATABASE' }) as Error,
    );
    expect(snapshot(at)).toEqual(before);
  }
  const file = join(work, 'file');
  writeFileSync(file, 'text');
  await rejects(open(file), 'NOT_A_DATABASE');
  await rejects(open(join(file, 'below')), 'NOT_A_DATABASE');
});

test('a database has a random identity, which its marker and its files name', async () => {
  const opened = await open(join(work, 'a', 'b'));
  expect([opened.isNew, opened.owner, opened.path]).toEqual([true, 1, join(work, 'a', 'b')]);
  await opened.release();
  await filled();
  const marker = JSON.parse(readFileSync(join(directory, 'rowsmith.json'), 'utf8')) as object;
  const id = Buffer.from(findDatabase(directory).database).toString('hex');
  expect(marker).toEqual({ format: formatName, version: formatVersion, database: id });
  expect(id).not.toBe(Buffer.from(opened.database).toString('hex'));
  expect(readFileSync(join(directory, 'log.1-1'), 'hex').slice(32, 64)).toBe(id);
});

test('a newer format is rejected and left unchanged', async () => {
  await filled();
  writeFileSync(
    join(directory, 'rowsmith.json'),
    JSON.stringify({ format: formatName, version: formatVersion + 1 }),
  );
  const before = snapshot(directory);
  await rejects(open(), 'FORMAT_TOO_NEW');
  expect(snapshot(directory)).toEqual(before);
});

test('a database without its manifest is damaged, and left unchanged', async () => {
  await filled(directory, 'k');
  rmSync(join(directory, 'manifest.1-1'));
  const before = snapshot(directory);
  await rejects(open(), 'CORRUPT_DATA');
  expect(() => findDatabase(directory)).toThrow(
    expect.objectContaining({ code: 'CORRUPT_DATA' }) as Error,
  );
  expect(snapshot(directory)).toEqual(before);
});

test('what a creation has left that was killed is removed, and begun again', async () => {
  const first = await open();
  writeFileSync(join(directory, 'log.1-1'), 'incomplete');
  writeFileSync(join(directory, 'manifest.1-1.new'), 'incomplete');
  await first.release();
  expect(() => findDatabase(directory)).toThrow('not a Rowsmith database');
  const second = await open();
  expect([second.isNew, second.owner]).toEqual([true, 2]);
  expect(readdirSync(directory).sort()).toEqual(['owner.2', 'rowsmith.json']);
  // The first may only have been stopped, and complete the marker later.
  expect(second.database).toEqual(first.database);
  expect(() => first.created()).toThrow(
    expect.objectContaining({ code: 'DATABASE_IN_USE' }) as Error,
  );
  await second.release();
});

test('an opening that withdraws leaves no owner file where there was none', async () => {
  await filled(directory, 'k');
  rmSync(join(directory, 'owner.1'));
  const before = readdirSync(directory);
  const opened = await open();
  // Files of owner 1 exist.
  expect(opened.owner).toBe(2);
  await opened.withdraw();
  expect(readdirSync(directory)).toEqual(before);
  expect(await keysOf()).toEqual(['k']);
  await (await open()).withdraw();
  expect(readdirSync(directory).filter((name) => name.startsWith('owner'))).toEqual(['owner.3']);
  expect(await keysOf()).toEqual(['k']);
});

test('opening twice in a process is rejected, and the first database remains usable', async () => {
  const rows = await openRows(directory);
  const error = await errorOf(open());
  expect([error?.code, error?.details.pid]).toEqual(['DATABASE_IN_USE', process.pid]);
  expect(currentOwner(directory)).toEqual({ pid: process.pid, foreign: false });
  rows.put('k');
  await rows.close();
  expect(currentOwner(directory)).toBeUndefined();
  expect(await keysOf()).toEqual(['k']);
});

test('a path is resolved once', async () => {
  const cwd = process.cwd();
  process.chdir(work);
  try {
    const rows = await openRows('./db');
    process.chdir(tmpdir());
    rows.put('k');
    await rows.close();
  } finally {
    process.chdir(cwd);
  }
  expect(await keysOf()).toEqual(['k']);
});

test('after the directory was renamed nothing is acknowledged, and it can be opened again', async () => {
  const rows = await openRows(directory);
  rows.put('k');
  const moved = join(work, 'moved');
  renameSync(directory, moved);
  const before = snapshot(moved).map(([name, , text]) => [name, text]);
  expect(failureOf(rows)).toBe('STORAGE_FAILED');
  expect(failureOf(rows)).toBe('STORAGE_FAILED');
  expect(() => rows.opened.check()).toThrow('storage failed');
  renameSync(moved, directory);
  // For ever: it may have been another directory meanwhile.
  expect(failureOf(rows)).toBe('STORAGE_FAILED');
  renameSync(directory, moved);
  await rows.close();
  const changed = snapshot(moved).filter(([, , text], i) => text !== before[i][1]);
  expect(changed.map(([name]) => name)).toEqual(['log.1-1', 'owner.1']);
  // The commit that was not acknowledged was written.
  expect(await keysOf(moved)).toEqual(['k', 'x']);
});

test('a database that takes the place of another is not changed by its owner', async () => {
  const rows = await openRows(directory);
  rows.put('a');
  renameSync(directory, join(work, 'moved'));
  await filled(directory, 'b');
  const before = snapshot(directory);
  expect(failureOf(rows)).toBe('STORAGE_FAILED');
  expect(() => rows.log.rotate()).toThrow('storage failed');
  await rows.close();
  expect(snapshot(directory)).toEqual(before);
  expect(await keysOf()).toEqual(['b']);
});

test('after the directory or the owner file was deleted nothing is acknowledged', async () => {
  const rows = await openRows(directory);
  rows.put('k');
  rmSync(directory, { recursive: true });
  expect(failureOf(rows)).toBe('STORAGE_FAILED');
  await rows.close();

  const former = await openRows(directory);
  former.put('k');
  rmSync(join(directory, 'owner.1'));
  // Another process counts on from the files that the owner has left.
  const next = await openRows(directory);
  expect(next.opened.owner).toBe(2);
  next.put('l');
  expect(failureOf(former)).toBe('DATABASE_IN_USE');
  next.put('m');
  await former.close();
  await next.close();
  expect(await keysOf()).toEqual(['k', 'l', 'm']);

  const last = await openRows(directory);
  rmSync(join(directory, `owner.${last.opened.owner}`));
  const error = await errorOf(Promise.resolve().then(() => last.opened.check()));
  expect([error?.code, error?.details.problem]).toEqual([
    'STORAGE_FAILED',
    expect.stringContaining('deleted while the database was open'),
  ]);
  await last.close();
});

test('a copy of an open directory opens, beside its owner', async () => {
  const rows = await openRows(directory);
  rows.put('k');
  const copy = join(work, 'copy');
  cpSync(directory, copy, { recursive: true });
  rows.put('l');
  expect(currentOwner(copy)).toBeUndefined();
  const copied = await openRows(copy);
  expect([...copied.rows.keys()]).toEqual(['k']);
  copied.put('m');
  rows.put('n');
  await copied.close();
  await rows.close();
  expect(await keysOf()).toEqual(['k', 'l', 'n']);
  expect(await keysOf(copy)).toEqual(['k', 'm']);
});

test('a second process is rejected with the PID of the owner, until the owner is killed', async () => {
  const programs = bundleRows(['rows-holder.mjs']);
  const holder = await Holder.start(programs, directory);
  try {
    expect(await holder.do('put k')).toBe('ok');
    const error = await errorOf(open());
    expect([error?.code, error?.details.pid]).toEqual(['DATABASE_IN_USE', holder.pid]);
    expect(await readRows(directory)).toEqual(['k']);
  } finally {
    await holder.kill();
    rmSync(programs, { recursive: true });
  }
  expect(await keysOf()).toEqual(['k']);
});

test('errors of the file system say in words what happened', () => {
  const texts = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'EROFS', 'EACCES', 'EBADF'].map((code) => {
    const error = storageError(Object.assign(new Error(`${code}: text, write`), { code }), 'file');
    expect([error.code, error.details.file]).toEqual(['STORAGE_FAILED', 'file']);
    return error.details.problem;
  });
  expect(texts).toEqual([
    'the disk is full: ENOSPC: text, write',
    'the disk quota is used up: EDQUOT: text, write',
    'the disk reported an error: EIO: text, write',
    'too many files are open: EMFILE: text, write',
    'the file system is read-only: EROFS: text, write',
    'EACCES: text, write',
    'EBADF: text, write',
  ]);
});
