/** A reader that follows the log of another process: after each call it sees what was committed. */
import fs, { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { FollowedStore } from '../../../src/engines/local/kv/log/followed-store.js';
import type { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import type { PairReader } from '../../../src/engines/local/kv/ordered-store.js';
import { randomOf } from './torture/random.js';

const keyOf = (number: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, number);
const start = Uint8Array.of(0, 0, 0, 5);
const end = Uint8Array.of(0, 0, 0, 6);

let directory: string;
let blocks: MemoryStore;
let owner: LoggedStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-follow-'));
  blocks = await openMemoryStore();
  owner = openLoggedStore(new BlockStore(blocks, 300), directory, 'durable');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await owner.close();
  rmSync(directory, { recursive: true });
});

const put = (key: number, bytes: number, value = key): void =>
  owner.commit((writer) => writer.put(keyOf(key), new Uint8Array(bytes).fill(value)));

/** A reader over the same blocks, which are in memory, or over a copy of them. */
function follow(from = directory, base = blocks): FollowedStore {
  const cached = new BlockStore(base, 300);
  let known = -1;
  return new FollowedStore(cached, from, () => {
    const isNew = known !== base.version;
    known = base.version;
    if (isNew) cached.version++;
    return isNew;
  });
}

/** All pairs by a scan in either direction, and each of them by its key. */
function content(store: Pick<PairReader, 'scan' | 'get'>, reversed = false): string[] {
  const cursor = store.scan(start, end, reversed);
  const pairs: string[] = [];
  while (cursor.next()) {
    const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd } = cursor;
    const key = keyBytes.slice(keyStart, keyEnd);
    const value = valueBytes.slice(valueStart, valueEnd);
    pairs.push(`${key[4]}: ${value.length} times ${value[0]}`);
    // Jest compares long arrays slowly.
    expect(Buffer.compare(store.get(key) ?? key, value)).toBe(0);
  }
  return reversed ? pairs.reverse() : pairs;
}

test('commits, removals, checkpoints and failed commits are seen by the next call', async () => {
  const random = randomOf(1);
  const reader = follow();
  expect(reader.renew()).toBe(false);
  let failures = 0;
  for (let step = 0; step < 400; step++) {
    const key = random.below(50);
    const choice = random.below(10);
    if (choice === 0) await owner.flush();
    else if (choice === 1) failures += failCommit(key, random.chance(0.5), reader);
    else if (choice < 5) owner.commit((writer) => writer.remove(keyOf(key)));
    else put(key, 1 + random.below(2000), step % 256);
    // Some calls see several commits.
    if (random.chance(0.3)) continue;
    reader.renew();
    const expected = content(owner);
    expect([step, content(reader, step % 2 === 0)]).toEqual([step, expected]);
    expect(reader.renew()).toBe(false);
    expect(content(follow())).toEqual(expected);
  }
  expect(failures).toBeGreaterThan(10);
});

/**
 * Lets a commit fail while it is flushed; a reader may see it until then. What was written of it
 * is cut off, or, with a disk that fails altogether, remains in the segment.
 */
function failCommit(key: number, isCut: boolean, reader: FollowedStore): number {
  const fail = (): never => {
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  };
  jest.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    reader.renew();
    fail();
  });
  if (!isCut) jest.spyOn(fs, 'ftruncateSync').mockImplementation(fail);
  expect(() => put(key, 100)).toThrow();
  jest.restoreAllMocks();
  // Where it was not cut off, it is visible until the next commit.
  if (!isCut) put(60, 10);
  return 1;
}

test('a commit that is being written is seen once it is complete', () => {
  put(1, 10);
  const reader = mkdtempSync(join(tmpdir(), 'rowsmith-follow-'));
  copyFileSync(join(directory, 'log.1'), join(reader, 'log.1'));
  const before = content(owner);
  owner.commit((writer) => {
    writer.put(keyOf(2), new Uint8Array(700).fill(2));
    writer.remove(keyOf(1));
    writer.put(keyOf(3), new Uint8Array(20).fill(3));
  });
  const after = content(owner);
  const old = readFileSync(join(reader, 'log.1'));
  const log = readFileSync(join(directory, 'log.1'));
  const copy = blocks.clone();
  const followed = follow(reader, copy);
  let seen = 0;
  for (let at = 0; at <= 1000; at++) {
    // The bytes up to `at` are written, the rest is zero or not there.
    const written = Buffer.concat([log.subarray(0, at), old.subarray(at).fill(0)]);
    if (at < 150) continue;
    writeFileSync(join(reader, 'log.1'), at % 2 === 0 ? written : log.subarray(0, at));
    followed.renew();
    const found = content(followed);
    expect([at, found]).toEqual([at, found.length === 2 ? after : before]);
    if (found.length === 2) seen++;
  }
  expect(seen).toBeGreaterThan(50);
  rmSync(reader, { recursive: true });
});

test('a log that is missing or damaged is CORRUPT_DATA', async () => {
  put(1, 10);
  await owner.flush();
  put(2, 600);
  const log = readFileSync(join(directory, 'log.2'));
  const copy = mkdtempSync(join(tmpdir(), 'rowsmith-follow-'));
  const corrupt = expect.objectContaining({ code: 'CORRUPT_DATA' }) as Error;
  expect(() => follow(copy, blocks.clone())).toThrow(corrupt);
  writeFileSync(join(copy, 'log.2'), log);
  const reader = follow(copy, blocks.clone());
  expect(content(reader)).toEqual(content(owner));
  for (const damaged of [Buffer.alloc(log.length), log.subarray(0, 30)]) {
    writeFileSync(join(copy, 'log.2'), damaged);
    expect(() => follow(copy, blocks.clone())).toThrow(corrupt);
  }
  writeFileSync(join(copy, 'log.2'), log);
  reader.renew();
  expect(content(reader)).toEqual(content(owner));
  rmSync(copy, { recursive: true });
});
