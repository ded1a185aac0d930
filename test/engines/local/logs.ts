/** Logs in a new folder for each test, and what a later process finds in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError } from '../../../src/base/index.js';
import { PairArena } from '../../../src/engines/local/kv/buffer/pair-arena.js';
import { Log, type LogContext } from '../../../src/engines/local/kv/log/log.js';
import type { SegmentId } from '../../../src/engines/local/kv/log/log-record.js';
import {
  type FoundLog,
  readSegmentHeader,
  recoverLog,
} from '../../../src/engines/local/kv/log/recover-log.js';
import type { LogVisitor } from '../../../src/engines/local/kv/log/segment-reader.js';

export const keyOf = (number: number): Uint8Array =>
  Uint8Array.of(0, 0, 0, 5, number >> 8, number & 0xff);

export type Pairs = readonly (readonly [key: number, value: Uint8Array | undefined])[];

/** Where the log of the running test is; each test has a new one. */
export let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

export const database = new Uint8Array(16).fill(7);

export function contextOf(owner: number, more: Partial<LogContext> = {}): LogContext {
  return { directory, database, owner, isDurable: false, check: () => undefined, ...more };
}

/** The log of a new database. */
export function newLog(more: Partial<LogContext> = {}): Log {
  return Log.create(contextOf(1, more), { previous: undefined, nextCommit: 1 });
}

/** The log of the owner after those who have written it. */
export async function continuedLog(
  owner: number,
  more: Partial<LogContext> = {},
): Promise<{ log: Log; found: FoundLog }> {
  const found = await recoverLog({ directory, database }, firstSegment(), silent);
  const log = Log.create(contextOf(owner, more), { previous: found, nextCommit: found.nextCommit });
  return { log, found };
}
const silent: LogVisitor = {
  pair: () => undefined,
  range: () => undefined,
  commitEnd: () => undefined,
};

export function write(log: Log, pairs: Pairs): void {
  const arena = new PairArena();
  arena.begin();
  for (const [key, value] of pairs) arena.append(keyOf(key), value);
  log.append(
    arena.finish(),
    pairs.every(([, value]) => value === undefined),
  );
}

/** Collects what is visited, one text for each key. */
export class Content implements LogVisitor {
  readonly pairs = new Map<string, string>();
  commits = 0;

  pair(key: Uint8Array, value: Uint8Array | undefined): void {
    const name = Buffer.from(key).toString('hex');
    if (value === undefined) this.pairs.delete(name);
    else this.pairs.set(name, Buffer.from(value).toString('base64'));
  }

  range(start: Uint8Array, end: Uint8Array): void {
    const [from, to] = [start, end].map((key) => Buffer.from(key).toString('hex'));
    for (const name of this.pairs.keys()) if (name >= from && name < to) this.pairs.delete(name);
  }

  commitEnd(): void {
    this.commits++;
  }

  text(): string {
    return [...this.pairs]
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join('\n');
  }
}

export const segment = (owner: number, number: number): string =>
  join(directory, `log.${owner}-${number}`);

/** The segment that is needed first, as the manifest names it. */
let first: SegmentId | undefined;
beforeEach(() => (first = undefined));
export function firstSegment(id?: SegmentId): SegmentId {
  if (id !== undefined) first = id;
  if (first !== undefined) return first;
  const header = readSegmentHeader(segment(1, 1));
  if (header === undefined || header === 'missing') throw new Error('There is no first segment.');
  return (first = header);
}

/** What a process finds that opens the directory: its content, or the code of the error. */
export async function reopened(): Promise<string> {
  const before = readdirSync(directory);
  const content = new Content();
  let found: FoundLog;
  try {
    found = await recoverLog({ directory, database }, firstSegment(), content);
  } catch (error) {
    expect(readdirSync(directory)).toEqual(before);
    if (isRowsmithError(error)) return error.code;
    throw error;
  }
  // What is written next follows what was found.
  const log = Log.create(contextOf(99), { previous: found, nextCommit: found.nextCommit });
  write(log, [[9999, Uint8Array.of(1)]]);
  log.close();
  const again = new Content();
  await recoverLog({ directory, database }, firstSegment(), again);
  const text = content.text();
  expect(again.text()).toBe(text === '' ? lastPair : `${text}\n${lastPair}`);
  for (const name of readdirSync(directory))
    if (!before.includes(name)) rmSync(join(directory, name));
  return text;
}
const lastPair = `00000005270f=${Buffer.of(1).toString('base64')}`;

/** The same keys as in a text of `reopened`. */
export const keysOf = (text: string): number[] =>
  text === '' ? [] : text.split('\n').map((pair) => Number.parseInt(pair.slice(8, 12), 16));

export const zeros = (count: number): Uint8Array => new Uint8Array(count);
export const bytes = (count: number): Uint8Array =>
  new Uint8Array(count).map((_, i) => (i % 250) + 1);

/** Writes commits, and returns the bytes of the log and where the records of the last one are. */
export async function logOf(
  commits: readonly Pairs[],
): Promise<{ log: Buffer; from: number; to: number; before: string; after: string }> {
  const log = newLog();
  firstSegment();
  for (const pairs of commits.slice(0, -1)) write(log, pairs);
  const from = log.bytes;
  const before = await reopened();
  write(log, commits.at(-1)!);
  const to = log.bytes;
  const after = await reopened();
  log.close();
  return { log: readFileSync(segment(1, 1)), from, to, before, after };
}
