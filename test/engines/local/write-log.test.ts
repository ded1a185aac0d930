/**
 * The write log: what is read from it after it was cut off, damaged, or written only in part.
 * write-log-damage.slow.test.ts damages it at every place.
 */
import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { CommitPairs } from '../../../src/engines/local/kv/log/commit-pairs.js';
import { LogFile } from '../../../src/engines/local/kv/log/log-file.js';
import { segmentHeader } from '../../../src/engines/local/kv/log/log-record.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';
import { PairArena } from '../../../src/engines/local/kv/log/pair-arena.js';
import { openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import {
  bytes,
  content,
  directory,
  end,
  keyOf,
  logOf,
  openStore,
  reopened,
  segment,
  start,
  write,
} from './logs.js';

test('a commit that was cut off or partly written is not found, and a changed one is reported', async () => {
  const { log, from, to, before, after } = await logOf([
    [[1, bytes(20)]],
    [
      [2, bytes(900)],
      [3, bytes(33)],
    ],
  ]);
  const found = async (file: Buffer): Promise<string> => {
    writeFileSync(segment(1), file);
    return reopened(await openMemoryStore());
  };
  for (let at = from; at < to - 8; at += 67) {
    const changed = Buffer.from(log);
    changed[at] ^= 4;
    const files = [log.subarray(0, at), Buffer.from(log).fill(0, at), changed];
    const outcomes: string[] = [];
    for (const file of files) outcomes.push(await found(file));
    expect([at, ...outcomes]).toEqual([at, before, before, 'CORRUPT_DATA']);
  }
  expect(await found(log)).toBe(after);
});

test('a missing commit before later ones is detected', async () => {
  const { log, from } = await logOf([[[1, bytes(20)]], [[2, bytes(5)]], [[3, bytes(900)]]]);
  writeFileSync(segment(1), Buffer.from(log).fill(0, 64, from));
  expect(await reopened(await openMemoryStore())).toBe('CORRUPT_DATA');
});

test('segments that are missing, and blocks older than the log, are detected', async () => {
  const blocks = await openMemoryStore();
  const store = openStore(blocks);
  write(store, [[1, bytes(20)]]);
  const old = blocks.clone();
  await store.flush();
  write(store, [[2, bytes(20)]]);
  const found = content(store);
  const left = blocks.clone();
  await store.close();
  expect(readdirSync(directory)).toEqual(['log.2']);
  expect(await reopened(old)).toBe('CORRUPT_DATA');
  const log = readFileSync(segment(2));
  expect(await reopened(left.clone())).toBe(found);
  rmSync(segment(2));
  expect(await reopened(left.clone())).toBe('CORRUPT_DATA');
  // A segment that was being created when the process was killed has another name.
  for (const bytes of [0, 10, 64]) {
    writeFileSync(segment(2), log);
    writeFileSync(`${segment(3)}.new`, log.subarray(0, bytes));
    expect(await reopened(left.clone())).toBe(found);
    expect(readdirSync(directory)).toEqual(['log.2']);
  }
  // Without a header it is damaged, and may have held commits.
  for (const bytes of [0, 10, 63]) {
    writeFileSync(segment(3), log.subarray(0, bytes));
    expect(await reopened(left.clone())).toBe('CORRUPT_DATA');
  }
  // Another one that does not continue it.
  writeFileSync(segment(2), log);
  writeFileSync(segment(3), log.subarray(0, 64));
  expect(await reopened(left.clone())).toBe('CORRUPT_DATA');
});

test('what a failed commit left in a segment is ignored once there is another one', async () => {
  const arena = new PairArena();
  const append = (file: LogFile, commit: number, key: number, value: Uint8Array): void => {
    const pairs = new CommitPairs(arena);
    pairs.set(keyOf(key), value);
    file.append(pairs.finish(), commit);
  };
  const first = LogFile.create(directory, segmentHeader(1, 1), true);
  append(first, 1, 1, bytes(20));
  append(first, 2, 2, bytes(30));
  append(first, 3, 3, bytes(40));
  first.close();
  const second = LogFile.create(directory, segmentHeader(2, 3), true);
  append(second, 3, 4, bytes(50));
  second.close();
  const store = openStore(await openMemoryStore());
  expect(
    content(store)
      .split('\n')
      .map((pair) => pair.slice(0, 12)),
  ).toEqual([1, 2, 4].map((key) => Buffer.from(keyOf(key)).toString('hex')));
  await store.close();
});

test('rows that are written again and again are written to blocks, which shortens the log', async () => {
  const blocks = await openMemoryStore();
  const checkpoint = 100_000;
  const limits = { checkpoint, idle: 1e9, buffer: 1e9, minStep: 1e6, maxStep: 1e6, direct: 1e9 };
  const base = new BlockStore(blocks, 300);
  const store = openLoggedStore(base, directory, 'relaxed', { limits });
  const before = readdirSync(directory);
  for (let i = 0; i < 150; i++) {
    write(store, [[1, new Uint8Array(1000).fill(i)]]);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  // The values that were replaced are not buffered.
  expect(store.arena.capacity).toBeLessThan(checkpoint);
  expect(base.scan(start, end, false).next()).toBe(true);
  const after = readdirSync(directory);
  expect(after.filter((name) => before.includes(name))).not.toEqual(before);
  await store.close();
});

// The process that wrote it may have been killed before it flushed.
test('what is recovered is flushed, before the log is continued', () => {
  const header = segmentHeader(1, 1);
  const file = LogFile.create(directory, header, true);
  const { bytes } = file;
  file.close();
  const steps: string[] = [];
  const calls = (['ftruncateSync', 'fsyncSync'] as const).map((name) => {
    const call = fs[name];
    return jest.spyOn(fs, name).mockImplementation((handle: number, length?: number | null) => {
      steps.push(name);
      call(handle, length ?? undefined);
    });
  });
  for (const isDurable of [true, false])
    LogFile.continue(join(directory, 'log.1'), header, bytes, isDurable).close();
  calls.forEach((call) => call.mockRestore());
  expect(steps.slice(0, 3)).toEqual(['ftruncateSync', 'fsyncSync', 'ftruncateSync']);
});

test('two segments that do not follow each other are detected', async () => {
  const create = (number: number, firstCommit: number): void =>
    LogFile.create(directory, segmentHeader(number, firstCommit), false).close();
  create(1, 1);
  create(2, 1);
  expect(await reopened(await openMemoryStore())).toBe('');
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  create(1, 2);
  create(2, 1);
  expect(await reopened(await openMemoryStore())).toBe('CORRUPT_DATA');
});
