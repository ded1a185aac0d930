/** A full disk: work that fails gives its space back, and so do removals, whatever cannot be written. */
import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type OpenDirectory,
  openDirectory,
} from '../../../src/engines/local/kv/directory/database-directory.js';
import { openDiskStore } from '../../../src/engines/local/kv/store/open-disk-store.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import type { TableStore } from '../../../src/engines/local/kv/store/table-store.js';

const limits = { ...defaultLimits, newest: 2 };
const rows = 100;

let directory: string;
let claim: OpenDirectory;
let store: TableStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-space-'));
  claim = await openDirectory(directory, { durability: 'relaxed' });
  store = await openDiskStore(claim, { durability: 'relaxed', limits, verify: false });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await store.close();
  await claim.release();
  rmSync(directory, { recursive: true, force: true });
});

const full = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
const keyOf = (row: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, row);
const tableFiles = (): string[] => readdirSync(directory).filter((name) => /^table\./.test(name));

function put(value: number, from = 0, to = rows): void {
  store.commit((writer) => {
    for (let row = from; row < to; row++) writer.put(keyOf(row), new Uint8Array(100).fill(value));
  });
}

function removeRange(from: number, to: number): void {
  store.commit((writer) => writer.removeRange(keyOf(from), keyOf(to)));
}

function values(): Set<number> {
  const found = new Set<number>();
  const cursor = store.scan(keyOf(0), Uint8Array.of(0, 0, 0, 6), false);
  while (cursor.next()) found.add(cursor.valueBytes[cursor.valueStart]);
  return found;
}

/** Until the tables are these; otherwise the test times out. */
async function untilTables(isReached: (names: readonly string[]) => boolean): Promise<void> {
  while (!isReached(tableFiles())) await new Promise((resolve) => void setImmediate(resolve));
}

/** There is space for so many bytes of files whose name begins with a text. */
function limitFiles(start: string, bytes: number): void {
  const { open } = promises;
  jest.spyOn(promises, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    if (!String(path).startsWith(join(directory, start))) return handle;
    let left = bytes;
    for (const name of ['write', 'writeFile'] as 'write'[]) {
      const call = handle[name].bind(handle) as (...args: unknown[]) => unknown;
      handle[name] = ((data: Uint8Array | string, ...rest: unknown[]) => {
        left -= data.length;
        return left < 0 ? Promise.reject(full()) : call(data, ...rest);
      }) as FileHandle['write'];
    }
    return handle;
  });
}

const storageFailed = { code: 'STORAGE_FAILED' };

// It was tried again as it was, though newer removals had left nothing of it.
test('a buffer that cannot be written is merged with newer removals', async () => {
  put(1);
  await store.settle();
  limitFiles('table.', 5000);
  put(2);
  await expect(store.settle()).rejects.toMatchObject(storageFailed);
  store.commit((writer) => {
    for (let row = 0; row < rows; row++) writer.remove(keyOf(row));
  });
  await untilTables((names) => names.length === 0);
  expect(values()).toEqual(new Set());
});

// The buffer came first, so that the space of the removed rows was never free for it.
test('removed tables disappear though no buffer can be written', async () => {
  put(1, 0, 50);
  await store.settle();
  limitFiles('table.', 0);
  put(2, 50);
  await expect(store.settle()).rejects.toMatchObject(storageFailed);
  removeRange(0, 50);
  await untilTables((names) => names.length === 0);
  jest.restoreAllMocks();
  await store.settle();
  expect(values()).toEqual(new Set([2]));
});

// The table remained, and filled the disk. Removals then had no space.
test('a table that no manifest can name is removed', async () => {
  put(1);
  limitFiles('manifest.', 0);
  await expect(store.settle()).rejects.toMatchObject(storageFailed);
  expect(tableFiles()).toEqual([]);
  expect(values()).toEqual(new Set([1]));
  jest.restoreAllMocks();
  await store.settle();
  expect(values()).toEqual(new Set([1]));
  expect(tableFiles()).toHaveLength(1);
});

test('so is a merged table, and the tables that it was merged from remain', async () => {
  put(1);
  await store.settle();
  const before = tableFiles();
  put(2);
  await store.settle();
  put(3, 0, 50);
  await store.settle();
  const tables = tableFiles();
  expect(before).not.toEqual(tables);
  limitFiles('manifest.', 0);
  await expect(store.compact()).rejects.toMatchObject(storageFailed);
  expect(tableFiles()).toEqual(tables);
  expect(values()).toEqual(new Set([2, 3]));
  jest.restoreAllMocks();
  await store.compact();
  expect(values()).toEqual(new Set([2, 3]));
});

// compact() failed, because the next segment of the log came before the work that frees space.
test('a compaction works once removals have freed space for a segment of the log', async () => {
  put(1);
  await store.settle();
  const [table] = tableFiles();
  const { openSync } = fs;
  jest.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
    if (/log\.[^/]*$/.test(String(path)) && tableFiles().includes(table)) throw full();
    return openSync(path, flags, mode);
  });
  removeRange(0, rows);
  put(2, 100, 101);
  await store.compact();
  expect(tableFiles()).not.toContain(table);
  expect(values()).toEqual(new Set([2]));
});
