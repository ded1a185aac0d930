/** Which segments belong to a log: owners one after the other, and files that were swapped or lost. */
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { RowsmithError } from '../../../src/base/index.js';
import { Log } from '../../../src/engines/local/kv/log/log.js';
import { recoverLog } from '../../../src/engines/local/kv/log/recover-log.js';
import {
  bytes,
  Content,
  contextOf,
  continuedLog,
  database,
  directory,
  firstSegment,
  keysOf,
  newLog,
  reopened,
  segment,
  write,
} from './logs.js';

/** The file that the error of a recovery names, without its folder. */
async function damagedFile(): Promise<string | undefined> {
  const before = readdirSync(directory);
  const error = await recoverLog({ directory, database }, firstSegment(), new Content()).then(
    () => undefined,
    (reason: RowsmithError) => reason,
  );
  expect(readdirSync(directory)).toEqual(before);
  if (error === undefined) return undefined;
  expect([error.code, error.details.fix]).toEqual([
    'CORRUPT_DATA',
    'restore the directory from a backup',
  ]);
  return String(error.details.file).slice(directory.length + 1);
}

/** Ownership that a test may take away. */
function ownership(): { check(): void; isLost: boolean } {
  return {
    isLost: false,
    check() {
      if (this.isLost) throw new RowsmithError('DATABASE_IN_USE', { directory });
    },
  };
}

/** A log of three segments of owner 1 and one of owner 2, with a row in each. */
async function chain(): Promise<void> {
  const log = newLog();
  for (const key of [1, 2, 3]) {
    if (key > 1) log.rotate();
    write(log, [[key, bytes(20)]]);
  }
  log.close();
  firstSegment();
  const { log: next } = await continuedLog(2);
  write(next, [[4, bytes(20)]]);
  next.close();
  expect(readdirSync(directory).sort()).toEqual(['log.1-1', 'log.1-2', 'log.1-3', 'log.2-1']);
  expect(keysOf(await reopened())).toEqual([1, 2, 3, 4]);
}

test('what a former owner writes after a takeover is refused, and is never found', async () => {
  const owner = ownership();
  const stale = newLog({ check: () => owner.check() });
  write(stale, [[1, bytes(20)]]);
  const { log } = await continuedLog(2);
  write(log, [[2, bytes(20)]]);
  owner.isLost = true;
  const size = stale.bytes;
  for (const key of [3, 4]) expect(() => write(stale, [[key, bytes(30)]])).toThrow('in use');
  // The first of them was written, and nothing after it.
  const left = readFileSync(segment(1, 1));
  expect(left.subarray(size).some((byte) => byte !== 0)).toBe(true);
  expect(() => stale.rotate()).toThrow('in use');
  expect(() => stale.removeBefore(firstSegment())).toThrow('in use');
  write(log, [[5, bytes(20)]]);
  const files = readdirSync(directory);
  stale.close();
  expect(readdirSync(directory)).toEqual(files);
  expect(readFileSync(segment(1, 1))).toEqual(left);
  log.close();
  expect(keysOf(await reopened())).toEqual([1, 2, 5]);
});

test('a segment that a former owner begins after a takeover is not used', async () => {
  let checks = 0;
  let allowed = Infinity;
  const check = (): void => {
    if (++checks > allowed) throw new RowsmithError('DATABASE_IN_USE', { directory });
  };
  const stale = newLog({ check });
  write(stale, [[1, bytes(20)]]);
  const { log } = await continuedLog(2);
  write(log, [[2, bytes(20)]]);
  // It was stopped after it had looked for a successor.
  allowed = checks + 1;
  expect(() => stale.rotate()).toThrow('in use');
  expect(readdirSync(directory)).toContain('log.1-2');
  log.close();
  expect(keysOf(await reopened())).toEqual([1, 2]);
  const { found, log: third } = await continuedLog(3);
  third.close();
  expect(found.obsolete).toContain('log.1-2');
  expect(found.segments.map(({ owner, number }) => `${owner}-${number}`)).toEqual(['1-1', '2-1']);
});

test('a commit whose owner cannot be looked up is not acknowledged, nor any after it', async () => {
  let failure: Error | undefined;
  const log = newLog({
    check: () => {
      if (failure !== undefined) throw failure;
    },
  });
  write(log, [[1, bytes(20)]]);
  failure = new RowsmithError('STORAGE_FAILED', { file: directory });
  expect(() => write(log, [[2, bytes(20)]])).toThrow(failure);
  failure = undefined;
  expect(() => write(log, [[3, bytes(20)]])).toThrow('storage failed');
  log.close();
});

test('an owner does not write over a segment that exists', async () => {
  const log = newLog();
  write(log, [[1, bytes(20)]]);
  writeFileSync(segment(1, 2), 'other');
  expect(() => log.rotate()).toThrow(expect.objectContaining({ code: 'STORAGE_FAILED' }) as Error);
  expect(readFileSync(segment(1, 2), 'utf8')).toBe('other');
  const context = contextOf(1);
  expect(() => Log.create(context, { previous: undefined, nextCommit: 1 })).toThrow(
    expect.objectContaining({ code: 'STORAGE_FAILED' }) as Error,
  );
  rmSync(segment(1, 2));
  write(log, [[2, bytes(20)]]);
  log.close();
  expect(keysOf(await reopened())).toEqual([1, 2]);
});

test('a segment that is missing between two others is detected', async () => {
  await chain();
  for (const [name, fault] of [
    ['log.1-1', 'log.1-1'],
    ['log.1-2', 'log.1-3'],
    ['log.1-3', 'log.2-1'],
  ]) {
    renameSync(`${directory}/${name}`, `${directory}.kept`);
    expect([name, await damagedFile()]).toEqual([name, fault]);
    renameSync(`${directory}.kept`, `${directory}/${name}`);
  }
  // What is left without the last one is what was there before it was begun.
  rmSync(segment(2, 1));
  expect(keysOf(await reopened())).toEqual([1, 2, 3]);
});

test('segments in the place of others are detected', async () => {
  await chain();
  const names = ['log.1-1', 'log.1-2', 'log.1-3', 'log.2-1'];
  for (const from of names)
    for (const to of names) {
      if (from === to) continue;
      const kept = readFileSync(`${directory}/${to}`);
      copyFileSync(`${directory}/${from}`, `${directory}/${to}`);
      expect([from, to, await damagedFile()]).toEqual([from, to, to]);
      writeFileSync(`${directory}/${to}`, kept);
    }
});

test('segments of another database are detected, also those with the same names', async () => {
  await chain();
  const own = new Map(
    readdirSync(directory).map((name) => [name, readFileSync(`${directory}/${name}`)]),
  );
  const first = firstSegment();
  for (const name of own.keys()) rmSync(`${directory}/${name}`);
  const foreign = newLog({ database: new Uint8Array(16).fill(8) });
  write(foreign, [[7, bytes(20)]]);
  foreign.close();
  const other = readFileSync(segment(1, 1));
  for (const [name, kept] of own) {
    for (const [each, file] of own) writeFileSync(`${directory}/${each}`, file);
    writeFileSync(`${directory}/${name}`, other);
    expect([name, await damagedFile()]).toEqual([name, name]);
    writeFileSync(`${directory}/${name}`, kept);
  }
  // Nor is it removed as a file that is no longer needed.
  writeFileSync(`${directory}/log.1-9`, other);
  firstSegment(first);
  expect(await damagedFile()).toBe('log.1-9');
});

test('an older copy of a segment is detected where a later one follows', async () => {
  const log = newLog();
  write(log, [[1, bytes(20)]]);
  const old = readFileSync(segment(1, 1));
  write(log, [[2, bytes(20)]]);
  log.rotate();
  write(log, [[3, bytes(20)]]);
  log.close();
  writeFileSync(segment(1, 1), old);
  expect(await damagedFile()).toBe('log.1-1');
  // Without what came later, it is the state of an earlier moment.
  rmSync(segment(1, 2));
  expect(keysOf(await reopened())).toEqual([1]);
});

test('another segment than the one that the manifest names is detected', async () => {
  await chain();
  const first = firstSegment();
  for (const changed of [
    { ...first, salt: new Uint8Array(8) },
    { ...first, firstCommit: 2 },
  ]) {
    firstSegment(changed);
    expect(await damagedFile()).toBe('log.1-1');
  }
});

test('a segment without a valid header is detected unless it is not needed', async () => {
  await chain();
  const [, second] = (await recoverLog({ directory, database }, firstSegment(), new Content()))
    .segments;
  const files = new Map(
    readdirSync(directory).map((name) => [name, readFileSync(`${directory}/${name}`)]),
  );
  for (const [name, file] of files)
    for (const bytes of [0, 10, 95]) {
      writeFileSync(`${directory}/${name}`, file.subarray(0, bytes));
      expect([name, await damagedFile()]).toEqual([name, name]);
      writeFileSync(`${directory}/${name}`, file);
    }
  // One that was being created when its process was killed has another name.
  writeFileSync(`${segment(2, 2)}.new`, files.get('log.2-1')!.subarray(0, 10));
  expect(keysOf(await reopened())).toEqual([1, 2, 3, 4]);
  writeFileSync(segment(1, 1), '');
  firstSegment(second);
  expect(keysOf(await reopened())).toEqual([2, 3, 4]);
});
