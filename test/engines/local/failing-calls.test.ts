/**
 * Calls of the file system that fail at one point, and owner files that other processes have
 * written: errors are typed, and nothing acknowledged is lost. The torture scenarios let every call
 * fail; these are the cases that need several things at once.
 */
import { createHash } from 'node:crypto';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RowsmithError } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { type DiskStore, openDiskStore } from '../../../src/engines/local/kv/disk/disk-store.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';
import { openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import type { Engine } from '../../../src/data/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-calls-'))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

const ioError = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
const storageFailed = expect.objectContaining({ code: 'STORAGE_FAILED' }) as Error;
const key = (number: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, number);

// It was appended to the segment before, where it looked like the rest of a failed commit.
test('a commit after a failed flush of the directory goes to the segment that was begun', async () => {
  const blocks = await openMemoryStore();
  const store = openLoggedStore(new BlockStore(blocks, 300), directory, 'durable');
  const put = (number: number): void =>
    store.commit((writer) => writer.put(key(number), Uint8Array.of(number)));
  put(1);
  const flush = fs.fsyncSync;
  const failing = jest.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    if (fs.fstatSync(handle).isDirectory()) throw ioError();
    flush(handle);
  });
  await rejects(store.flush(), 'STORAGE_FAILED');
  expect(readdirSync(directory).sort()).toEqual(['log.1', 'log.2']);
  expect(() => put(2)).toThrow(storageFailed);
  failing.mockRestore();
  put(3);
  // As a process leaves it that is killed.
  const left = openLoggedStore(new BlockStore(blocks.clone(), 300), directory, 'durable');
  expect([1, 2, 3].map((number) => left.get(key(number))?.[0])).toEqual([1, undefined, 3]);
  await left.close();
  await store.close();
});

const openTable = (engine: Engine): Promise<void> =>
  engine.createTable({ name: 't', families: new Map([['a', {}]]) });

async function openWithRow(): Promise<Engine> {
  const engine = await openDiskEngine(directory);
  await openTable(engine);
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v')] });
  return engine;
}

async function expectRow(): Promise<void> {
  const engine = await openDiskEngine(directory);
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
}

// It rejected with EISDIR, and this process could not open the database any more.
test('an owner file that cannot be marked as released', async () => {
  const engine = await openWithRow();
  const owner = join(directory, 'owner.1');
  renameSync(owner, join(directory, 'owner.kept'));
  mkdirSync(owner);
  await rejects(engine.close(), 'STORAGE_FAILED');
  rmdirSync(owner);
  renameSync(join(directory, 'owner.kept'), owner);
  await expectRow();
  await expectRow();
  expect(existsSync(owner)).toBe(false);
});

/** The files of the directory that hold data. */
const files = (): string[] =>
  readdirSync(directory)
    .filter((name) => !/^owner|-lock$/.test(name))
    .map((name) => `${name} ${hashOf(join(directory, name))}`);
const hashOf = (path: string): string =>
  `${fs.statSync(path).ino} ${createHash('sha256').update(fs.readFileSync(path)).digest('hex')}`;

/** Another process takes the directory over and ends, while this one is stopped for 11 s. */
function succeed(): void {
  const record = fs.readFileSync(join(directory, 'owner.1'), 'utf8');
  writeFileSync(join(directory, 'owner.2'), record.replace(/false.$/, 'true }'));
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 11_000);
}

// Checkpoints began a segment of the log in place of the successor's, and closing cut the data file.
test('a process that another one has succeeded writes no checkpoint', async () => {
  const engine = await openWithRow();
  succeed();
  const before = files();
  await rejects(engine.compact(), 'DATABASE_IN_USE');
  await rejects(openTable(engine), 'DATABASE_IN_USE');
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
  expect(files()).toEqual(before);
  jest.restoreAllMocks();
  await expectRow();
  expect(existsSync(join(directory, 'owner.3'))).toBe(true);
});

test('a process that is succeeded between two steps of a checkpoint makes no other', async () => {
  let isLost = false;
  const checkOwner = (): void => {
    if (isLost) throw new RowsmithError('DATABASE_IN_USE', { directory });
  };
  const disk = await openDiskStore(join(directory, 'data.mdb'), 'durable');
  disk.checkOwner = checkOwner;
  const store = openLoggedStore(new BlockStore(disk), directory, 'durable', { checkOwner });
  // A step writes up to 4 MiB.
  for (let number = 0; number < 8; number++)
    store.commit((writer) => writer.put(key(number), new Uint8Array(1_000_000)));
  const flushed = store.flush();
  isLost = true;
  await rejects(flushed, 'DATABASE_IN_USE');
  await store.close();
});

// The copy took the place of the file to which the successor writes.
test('a process that is succeeded while it compacts does not replace the file', async () => {
  const engine = await openWithRow();
  await engine.compact();
  const before = files();
  const copy = join(directory, 'data.mdb.new');
  const compacted = rejects(engine.compact(), 'DATABASE_IN_USE');
  while (!existsSync(copy)) await new Promise((resolve) => void setImmediate(resolve));
  succeed();
  await compacted;
  await engine.close();
  expect(files().filter((name) => !name.startsWith('data.mdb.new'))).toEqual(before);
  jest.restoreAllMocks();
  await expectRow();
  expect(files().length).toBe(before.length);
});

/** Lets the next commit of lmdb fail, with a key that it rejects. */
function failCommit(store: DiskStore): void {
  expect(() =>
    store.commit((writer) => writer.put(new Uint8Array(9000).fill(1), Uint8Array.of(1))),
  ).toThrow();
}

// The error of the file system itself was thrown.
test('a data file that cannot be opened again after a failed commit is STORAGE_FAILED', async () => {
  const file = join(directory, 'data.mdb');
  const store = await openDiskStore(file, 'durable');
  store.commit((writer) => writer.put(key(1), Uint8Array.of(1)));
  renameSync(file, `${file}.kept`);
  mkdirSync(file);
  failCommit(store);
  expect(() => store.get(key(1))).toThrow(storageFailed);
  expect(() => store.scan(key(0), key(9), false).next()).toThrow(storageFailed);
  expect(() => store.commit((writer) => writer.remove(key(1)))).toThrow(storageFailed);
  rmdirSync(file);
  renameSync(`${file}.kept`, file);
  expect(store.get(key(1))).toEqual(Uint8Array.of(1));
  store.commit((writer) => writer.put(key(2), Uint8Array.of(2)));
  expect(store.get(key(2))).toEqual(Uint8Array.of(2));
  await store.close();
});

test.each(['linkSync', 'readdirSync', 'rmSync'] as const)(
  'a directory that cannot be claimed because %s fails is STORAGE_FAILED',
  async (name) => {
    await (await openWithRow()).close();
    jest.spyOn(fs, name).mockImplementation(() => {
      throw ioError();
    });
    await rejects(openDiskEngine(directory), 'STORAGE_FAILED');
    jest.restoreAllMocks();
    await expectRow();
  },
);

// The error of the removal was thrown instead.
test('a damaged database whose owner file cannot be removed again is CORRUPT_DATA', async () => {
  await (await openWithRow()).close();
  const data = fs.readFileSync(join(directory, 'data.mdb'));
  rmSync(join(directory, 'owner.1'));
  writeFileSync(join(directory, 'data.mdb'), 'x'.repeat(100_000));
  const remove = fs.rmSync;
  jest.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
    if (String(path).endsWith('owner.1')) throw ioError();
    remove(path, options);
  });
  const openFile = fs.openSync;
  jest.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    if (String(path).endsWith('owner.1')) throw ioError();
    return openFile(path, ...rest);
  });
  await rejects(openDiskEngine(directory), 'CORRUPT_DATA');
  jest.restoreAllMocks();
  writeFileSync(join(directory, 'data.mdb'), data);
  await expectRow();
});
