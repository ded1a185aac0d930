/**
 * The write log: what is read from it after it was cut off, damaged, or written only in part.
 * write-log-damage.slow.test.ts damages it at every place.
 */
import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { PairArena, rangeBit } from '../../../src/engines/local/kv/buffer/pair-arena.js';
import { recoverLog } from '../../../src/engines/local/kv/log/recover-log.js';
import { SegmentReader } from '../../../src/engines/local/kv/log/segment-reader.js';
import {
  bytes,
  Content,
  continuedLog,
  database,
  directory,
  firstSegment,
  keyOf,
  keysOf,
  logOf,
  newLog,
  reopened,
  segment,
  write,
} from './logs.js';

const ioError = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
const storageFailed = expect.objectContaining({ code: 'STORAGE_FAILED' }) as Error;
afterEach(() => void jest.restoreAllMocks());

test('a commit that was cut off or partly written is not found, and a changed one is reported', async () => {
  const { log, from, to, before, after } = await logOf([
    [[1, bytes(20)]],
    [
      [2, bytes(900)],
      [3, bytes(33)],
    ],
  ]);
  const found = async (file: Buffer): Promise<string> => {
    writeFileSync(segment(1, 1), file);
    return reopened();
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
  expect(keysOf(after)).toEqual([1, 2, 3]);
});

test('a missing commit before later ones is detected', async () => {
  const { log, from } = await logOf([[[1, bytes(20)]], [[2, bytes(5)]], [[3, bytes(900)]]]);
  writeFileSync(segment(1, 1), Buffer.from(log).fill(0, 96, from));
  expect(await reopened()).toBe('CORRUPT_DATA');
});

test('a lone durable commit is one flush, and zeros are written ahead of it', () => {
  const log = newLog({ isDurable: true });
  write(log, [[1, bytes(20)]]);
  const calls: string[] = [];
  for (const name of ['fdatasyncSync', 'fsyncSync', 'writeSync', 'ftruncateSync'] as const) {
    const call = fs[name] as (...args: unknown[]) => number;
    jest.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
      calls.push(name);
      return call(...args);
    });
  }
  const size = (): number => readFileSync(segment(1, 1)).length;
  const before = size();
  for (let number = 2; number < 100; number++) write(log, [[number, bytes(100)]]);
  expect(calls).toEqual(Array.from({ length: 98 }, () => ['writeSync', 'fdatasyncSync']).flat());
  expect(size()).toBe(before);
  log.close();
});

test('what a failed flush has left in a segment is not found', async () => {
  const log = newLog({ isDurable: true });
  write(log, [[1, bytes(20)]]);
  const flush = jest.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    throw ioError();
  });
  expect(() => write(log, [[2, bytes(30)]])).toThrow(storageFailed);
  flush.mockRestore();
  // As a process leaves it that is killed now.
  expect(keysOf(await reopened())).toEqual([1]);
  write(log, [[3, bytes(40)]]);
  expect(keysOf(await reopened())).toEqual([1, 3]);
  log.close();
});

// It was appended to the segment before, where it looked like the rest of a failed commit.
test('a commit after a failed flush of the directory goes to another segment', async () => {
  const log = newLog({ isDurable: true });
  write(log, [[1, bytes(20)]]);
  const flush = fs.fsyncSync;
  const failing = jest.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    if (fs.fstatSync(handle).isDirectory()) throw ioError();
    flush(handle);
  });
  expect(() => log.rotate()).toThrow(storageFailed);
  expect(() => write(log, [[2, bytes(20)]])).toThrow(storageFailed);
  failing.mockRestore();
  write(log, [[3, bytes(20)]]);
  expect(keysOf(await reopened())).toEqual([1, 3]);
  const next = log.rotate();
  log.removeBefore(next);
  log.close();
  // The segments that could not be used are removed as well.
  expect(readdirSync(directory)).toEqual([`log.1-${next.number}`]);
});

test('after a failed write the commit is cut off, and the segment goes on', async () => {
  const log = newLog();
  write(log, [[1, bytes(20)]]);
  const size = log.bytes;
  const original = fs.writeSync as (...args: unknown[]) => number;
  const failing = jest.spyOn(fs, 'writeSync').mockImplementation((...args: unknown[]) => {
    // Half of it is written.
    original(...args.slice(0, 3), 20, args[4]);
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  expect(() => write(log, [[2, bytes(100)]])).toThrow(storageFailed);
  failing.mockRestore();
  expect(readFileSync(segment(1, 1)).length).toBe(size);
  write(log, [[3, bytes(20)]]);
  expect(keysOf(await reopened())).toEqual([1, 3]);
  expect(readdirSync(directory).filter((name) => !name.endsWith('.new'))).toEqual(['log.1-1']);
  log.close();
});

test('a range is removed in the order of the log', async () => {
  const log = newLog();
  const arena = new PairArena();
  arena.begin();
  for (const key of [1, 2, 3, 4]) arena.append(keyOf(key), bytes(3));
  arena.appendRange(keyOf(2), keyOf(4));
  arena.append(keyOf(3), bytes(4));
  log.append(arena.finish(), false);
  log.close();
  expect(keysOf(await reopened())).toEqual([1, 3, 4]);
  expect(rangeBit).toBe(0x8000);
});

test('a large log is read in short turns', async () => {
  const log = newLog();
  const arena = new PairArena();
  for (let commit = 0; commit < 20; commit++) {
    arena.begin();
    for (let key = 0; key < 10_000; key++) arena.append(keyOf(key), bytes(30));
    log.append(arena.finish(), false);
  }
  log.close();
  let pairs = 0;
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const found = await recoverLog({ directory, database }, firstSegment(), {
    pair: () => void pairs++,
    range: () => undefined,
    commitEnd: () => undefined,
  });
  isDone = true;
  expect([pairs, found.nextCommit]).toEqual([200_000, 21]);
  expect(turns).toBeGreaterThan(2);
});

test('a visitor may take its time between two commits', async () => {
  const log = newLog();
  for (let key = 1; key <= 3; key++) write(log, [[key, bytes(20)]]);
  log.close();
  const steps: string[] = [];
  await recoverLog({ directory, database }, firstSegment(), {
    pair: (key) => void steps.push(`pair ${key[5]}`),
    range: () => undefined,
    async commitEnd(commit) {
      await new Promise((resolve) => void setImmediate(resolve));
      steps.push(`commit ${commit}`);
    },
  });
  expect(steps).toEqual([1, 2, 3].flatMap((number) => [`pair ${number}`, `commit ${number}`]));
});

test('a segment is read on from where it ended, beside its owner', async () => {
  const log = newLog();
  write(log, [[1, bytes(20)]]);
  const read = (part?: { position: number; nextCommit: number }): [string, typeof part] => {
    const content = new Content();
    const reader = new SegmentReader(segment(1, 1), firstSegment(), content, {
      ...part,
      isLive: true,
    });
    reader.read(Infinity);
    reader.close();
    return [content.text(), { position: reader.end, nextCommit: reader.nextCommit }];
  };
  const [one, end] = read();
  expect(keysOf(one)).toEqual([1]);
  expect(read(end)).toEqual(['', end]);
  write(log, [[2, bytes(900)]]);
  write(log, [[3, bytes(20)]]);
  const [more, last] = read(end);
  expect([keysOf(more), last!.nextCommit]).toEqual([[2, 3], 4]);
  expect(last!.position).toBe(log.bytes);
  log.close();
});

test('segments are removed once they are not needed, also those of earlier owners', async () => {
  const log = newLog();
  write(log, [[1, bytes(20)]]);
  log.close();
  const { log: next, found } = await continuedLog(2);
  expect(found.segments.map(({ owner, number }) => [owner, number])).toEqual([[1, 1]]);
  write(next, [[2, bytes(20)]]);
  const id = next.rotate();
  expect(next.rotate()).toEqual(id);
  write(next, [[3, bytes(20)]]);
  next.removeBefore(id);
  next.close();
  expect(readdirSync(directory)).toEqual(['log.2-2']);
  firstSegment(id);
  expect(keysOf(await reopened())).toEqual([3]);
  rmSync(segment(2, 2));
  expect(await reopened()).toBe('CORRUPT_DATA');
});
