/** Stores with a write log, in a new folder for each test, and what a later process finds in it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError } from '../../../src/base/index.js';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import type { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { openLoggedStore } from '../../../src/engines/local/kv/log/open-logged-store.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';

export const keyOf = (number: number): Uint8Array =>
  Uint8Array.of(0, 0, 0, 5, number >> 8, number & 0xff);
export const start = Uint8Array.of(0, 0, 0, 5);
export const end = Uint8Array.of(0, 0, 0, 6);

export type Pairs = readonly (readonly [key: number, value: Uint8Array | undefined])[];

/** Where the log of the running test is; each test has a new one. */
export let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Opens the store over the blocks that a process has left. */
export function openStore(blocks: MemoryStore): LoggedStore {
  return openLoggedStore(new BlockStore(blocks, 300), directory, 'relaxed');
}

export function write(store: LoggedStore, pairs: Pairs): void {
  store.commit((writer) => {
    for (const [key, value] of pairs) {
      if (value === undefined) writer.remove(keyOf(key));
      else writer.put(keyOf(key), value);
    }
  });
}

export function content(store: LoggedStore): string {
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
export async function reopened(blocks: MemoryStore): Promise<string> {
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

export const zeros = (count: number): Uint8Array => new Uint8Array(count);
export const bytes = (count: number): Uint8Array =>
  new Uint8Array(count).map((_, i) => (i % 250) + 1);

/** Writes commits, and returns the bytes of the log and where the records of the last one are. */
export async function logOf(
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
export const segment = (number: number): string => join(directory, `log.${number}`);
/** Length of the log without the zeros at its end, to the start of the next record. */
function usedBytes(): number {
  const log = readFileSync(segment(1));
  let last = log.length;
  while (last > 64 && log[last - 1] === 0) last--;
  return Math.max(64, (last + 7) & ~7);
}
