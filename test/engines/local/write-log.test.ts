/** The write log: what is read from it after it was cut off, damaged, or written only in part. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError } from '../../../src/base/index.js';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { CommitPairs } from '../../../src/engines/local/kv/log/commit-pairs.js';
import { LogFile } from '../../../src/engines/local/kv/log/log-file.js';
import { segmentHeader } from '../../../src/engines/local/kv/log/log-record.js';
import type { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';
import { PairArena } from '../../../src/engines/local/kv/log/pair-arena.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';

const keyOf = (number: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, number >> 8, number & 0xff);
const start = Uint8Array.of(0, 0, 0, 5);
const end = Uint8Array.of(0, 0, 0, 6);

type Pairs = readonly (readonly [key: number, value: Uint8Array | undefined])[];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Opens the store over the blocks that a process has left. */
function openStore(blocks: MemoryStore): LoggedStore {
  return openLoggedStore(new BlockStore(blocks, 300), directory, 'relaxed');
}

function write(store: LoggedStore, pairs: Pairs): void {
  store.commit((writer) => {
    for (const [key, value] of pairs) {
      if (value === undefined) writer.remove(keyOf(key));
      else writer.put(keyOf(key), value);
    }
  });
}

function content(store: LoggedStore): string {
  const cursor = store.scan(start, end, false);
  const pairs: string[] = [];
  while (cursor.next()) {
    const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd } = cursor;
    const value = Buffer.from(valueBytes.slice(valueStart, valueEnd));
    pairs.push(
      `${Buffer.from(keyBytes.slice(keyStart, keyEnd)).toString('hex')}=${value.toString('base64')}`,
    );
  }
  return pairs.join('\n');
}

/** What a process finds that opens the directory: its content, or the code of the error. */
async function reopened(blocks: MemoryStore): Promise<string> {
  let store: LoggedStore;
  try {
    store = openStore(blocks);
  } catch (error) {
    if (isRowsmithError(error)) return error.code;
    throw error;
  }
  const found = content(store);
  // What is written next follows what was found.
  write(store, [[9999, Uint8Array.of(1)]]);
  const left = blocks.clone();
  await store.close();
  const again = openStore(left);
  expect(content(again)).toBe(found === '' ? `${lastPair}` : `${found}\n${lastPair}`);
  await again.close();
  return found;
}
const lastPair = `00000005270f=${Buffer.of(1).toString('base64')}`;

const zeros = (count: number): Uint8Array => new Uint8Array(count);
const bytes = (count: number): Uint8Array => new Uint8Array(count).map((_, i) => (i % 250) + 1);

/** Writes commits, and returns the bytes of the log and where the records of the last one are. */
async function logOf(
  commits: readonly Pairs[],
): Promise<{ log: Buffer; from: number; to: number; before: string; after: string }> {
  const store = openStore(await openMemoryStore());
  for (const pairs of commits.slice(0, -1)) write(store, pairs);
  const from = usedBytes();
  const before = content(store);
  write(store, commits.at(-1)!);
  const after = content(store);
  await store.close();
  return { log: readFileSync(segment(1)), from, to: usedBytes(), before, after };
}
const segment = (number: number): string => join(directory, `log.${number}`);
/** Length of the log without the zeros at its end, to the start of the next record. */
function usedBytes(): number {
  const log = readFileSync(segment(1));
  let last = log.length;
  while (last > 64 && log[last - 1] === 0) last--;
  return Math.max(64, (last + 7) & ~7);
}

const samples: readonly (readonly [string, readonly Pairs[]])[] = [
  [
    'small',
    [
      [[1, bytes(20)]],
      [
        [2, bytes(5)],
        [1, undefined],
      ],
      [[3, bytes(33)]],
    ],
  ],
  [
    'of several sectors',
    [
      [[1, bytes(700)]],
      [
        [2, bytes(900)],
        [3, bytes(500)],
      ],
    ],
  ],
  // The header of the second record is in two sectors: 8 bytes of it, or 16, are in the first.
  ['across sectors from 8 bytes on', [[[1, bytes(401)]], [[2, bytes(1300)]]]],
  ['across sectors from 16 bytes on', [[[1, bytes(393)]], [[2, bytes(1300)]]]],
  [
    'with zeros',
    [
      [[1, zeros(600)]],
      [
        [2, zeros(1300)],
        [3, bytes(40)],
        [4, zeros(700)],
      ],
    ],
  ],
];

test.each(samples)('a commit that is %s is found whole or not at all', async (name, commits) => {
  const { log, from, to, before, after } = await logOf(commits);
  const split = /(\d+) bytes/.exec(name);
  if (split !== null) expect(from % 512).toBe(512 - Number(split[1]));
  const found = new Set<string>();
  const check = async (file: Buffer, damage: string): Promise<void> => {
    writeFileSync(segment(1), file);
    const outcome = await reopened(await openMemoryStore());
    expect([damage, outcome === before || outcome === after]).toEqual([damage, true]);
    found.add(outcome);
  };
  // Each byte of a small record; of a large one, bytes around its beginning, end and sectors.
  const isChecked = (at: number): boolean =>
    to - from < 200 || at - from < 40 || to - at < 10 || (at + 3) % 512 < 6 || at % 61 === 0;
  for (let at = from; at <= to; at++) {
    if (!isChecked(at)) continue;
    await check(log.subarray(0, at), `cut off after ${at}`);
    await check(Buffer.from(log).fill(0, at), `zero after ${at}`);
  }
  // Power loss: only some sectors were written.
  for (let sectors = 0; sectors < 64; sectors++) {
    const file = Buffer.from(log);
    for (let at = from, i = 0; at < to; i++) {
      const next = Math.min(to, at + 512 - (at % 512));
      if ((sectors & (1 << i)) === 0) file.fill(0, at, next);
      at = next;
    }
    await check(file, `sectors ${sectors}`);
  }
  expect(found).toEqual(new Set([before, after]));
});

test('a changed bit anywhere in the log is detected, or changes nothing', async () => {
  const { log, to, after } = await logOf([
    [[1, bytes(20)]],
    [
      [2, bytes(5)],
      [1, undefined],
    ],
    [
      [3, zeros(9)],
      [4, bytes(4)],
    ],
  ]);
  let detected = 0;
  for (let at = 0; at < to + 8; at++)
    for (let bit = 0; bit < 8; bit++) {
      const file = Buffer.from(log);
      file[at] ^= 1 << bit;
      writeFileSync(segment(1), file);
      const outcome = await reopened(await openMemoryStore());
      expect([at, bit, outcome === 'CORRUPT_DATA' || outcome === after]).toEqual([at, bit, true]);
      if (outcome === 'CORRUPT_DATA') detected++;
    }
  // All but the bytes after the last pair of each record.
  expect(detected / ((to + 8) * 8)).toBeGreaterThan(0.6);
});

test('a commit of several pieces is found whole or not at all', async () => {
  const commits: Pairs[] = [
    [[1, bytes(20)]],
    [
      [2, bytes(900_000)],
      [3, bytes(700_000)],
      [4, zeros(500_000)],
      [5, bytes(1_200_000)],
    ],
  ];
  const { log, from, to, before, after } = await logOf(commits);
  expect(to - from).toBeGreaterThan(3_000_000);
  for (let i = 0; i <= 40; i++) {
    const at = from + Math.floor(((to - from) * i) / 40);
    for (const file of [log.subarray(0, at), Buffer.from(log).fill(0, at)]) {
      writeFileSync(segment(1), file);
      expect(await reopened(await openMemoryStore())).toBe(i === 40 ? after : before);
    }
    // The first pieces are missing, and later ones are not.
    writeFileSync(segment(1), Buffer.from(log).fill(0, from, at));
    expect(await reopened(await openMemoryStore())).toBe(i === 0 ? after : before);
  }
});

test('a commit that is missing before others is detected', async () => {
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
