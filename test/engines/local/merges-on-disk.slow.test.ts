/** Merges of tables in files: where one fails halfway, and what it removes. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findDatabase,
  type OpenDirectory,
  openDirectory,
} from '../../../src/engines/local/kv/directory/database-directory.js';
import { Follower } from '../../../src/engines/local/kv/readonly/follower.js';
import { openDiskStore } from '../../../src/engines/local/kv/store/open-disk-store.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import type { TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import { verifyTables } from '../../../src/engines/local/kv/store/write-backup.js';

/** Four tables are merged into several. */
const limits = { ...defaultLimits, maxNewest: 100, table: 2000, keptLog: 0 };
const rows = 100;

let directory: string;
let claim: OpenDirectory;
let store: TableStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-merges-'));
  claim = await openDirectory(directory, { durability: 'relaxed' });
  store = await openDiskStore(claim, { durability: 'relaxed', limits, verify: false });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await store.close();
  await claim.release();
  rmSync(directory, { recursive: true, force: true });
});

const keyOf = (row: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, row);
const isTable = (path: unknown): boolean => String(path).includes('table.');
const tableFiles = (): string[] => readdirSync(directory).filter(isTable);

/** Writes all rows, to a table of level 0. */
async function write(value: number): Promise<void> {
  store.commit((writer) => {
    for (let row = 0; row < rows; row++) writer.put(keyOf(row), new Uint8Array(100).fill(value));
  });
  await store.settle();
}

function scanned(): (readonly [row: number, value: number])[] {
  const found: (readonly [number, number])[] = [];
  const cursor = store.scan(keyOf(0), Uint8Array.of(0, 0, 0, 6), false);
  while (cursor.next())
    found.push([cursor.keyBytes[cursor.keyEnd - 1], cursor.valueBytes[cursor.valueStart]]);
  return found;
}

// Its first tables were installed twice, so that scans returned their rows twice.
test('a merge goes on after the disk was full and the reserve was removed', async () => {
  for (const value of [1, 2, 3]) await write(value);
  writeFileSync(join(directory, 'reserve'), new Uint8Array(1000));
  const { open } = promises;
  let created = 0;
  jest.spyOn(promises, 'open').mockImplementation(async (path, flags, mode) => {
    if (isTable(path) && ++created === 4)
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    return open(path, flags, mode);
  });
  await write(4);
  expect(created).toBeGreaterThan(4);
  expect(readdirSync(directory)).not.toContain('reserve');
  expect(scanned()).toEqual(Array.from({ length: rows }, (_, row) => [row, 4]));
});

// They remained until the next write, and all of them until the end of the merge.
test('a merge removes the tables that it has merged, one after the other', async () => {
  for (const value of [1, 2, 3, 4]) await write(value);
  const merged = tableFiles();
  expect(merged).not.toContain('table.1-1');
  const left: number[] = [];
  const { open } = promises;
  jest.spyOn(promises, 'open').mockImplementation((path, flags, mode) => {
    if (isTable(path)) left.push(tableFiles().filter((name) => merged.includes(name)).length);
    return open(path, flags, mode);
  });
  for (const value of [5, 6, 7, 8]) await write(value);
  expect(left[0]).toBe(merged.length);
  expect(left.at(-1)).toBeLessThan(merged.length);
  expect(tableFiles().filter((name) => merged.includes(name))).toEqual([]);
});

// It stayed with the log of the old one: all reads were stale, and those of large values never ended.
test('a reader moves to a newer manifest while the log is the same', async () => {
  await write(1);
  const reader = new Follower(findDatabase(directory), limits.cache);
  expect(reader.isStale()).toBe(false);
  const manifests = (): string[] =>
    readdirSync(directory).filter((name) => /^manifest\./.test(name));
  const [before] = manifests();
  store.commit((writer) => writer.removeRange(keyOf(0), keyOf(50)));
  while (manifests().includes(before)) await new Promise((resolve) => void setImmediate(resolve));
  expect(reader.isStale()).toBe(true);
  expect(reader.isStale()).toBe(false);
  expect(reader.get(keyOf(49))).toBeUndefined();
  expect(reader.get(keyOf(50))?.[0]).toBe(1);
  await reader.close();
});

// Backups of a reader failed with CORRUPT_DATA once the owner had merged the tables.
test('the tables of a snapshot remain readable while the reader moves on', async () => {
  await write(1);
  const reader = new Follower(findDatabase(directory), limits.cache);
  const snapshot = reader.snapshot();
  const [table] = snapshot.levels.tables();
  for (const value of [2, 3, 4, 5]) await write(value);
  expect(tableFiles()).not.toContain('table.1-1');
  expect(reader.isStale()).toBe(true);
  expect(() => table.check()).not.toThrow();
  snapshot.release();
  expect(() => table.check()).toThrow();
  await reader.close();
});

// It had 256 files open: files that it had closed were removed, and could not be opened again.
test('the tables of a large snapshot remain readable while the owner merges them', async () => {
  const write = async (value: number): Promise<void> => {
    store.commit((writer) => {
      for (let row = 0; row < 6000; row++)
        writer.put(Uint8Array.of(0, 0, 0, 5, row >> 8, row), new Uint8Array(100).fill(value));
    });
    await store.compact();
  };
  await write(1);
  const reader = new Follower(findDatabase(directory), limits.cache);
  const snapshot = reader.snapshot();
  expect(snapshot.levels.tables().size).toBeGreaterThan(256);
  const before = tableFiles();
  await write(2);
  expect(tableFiles().filter((name) => before.includes(name))).toEqual([]);
  const { tables } = await verifyTables(snapshot, () => undefined);
  expect(tables).toBe(before.length);
  snapshot.release();
  await reader.close();
});
