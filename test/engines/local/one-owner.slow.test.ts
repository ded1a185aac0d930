/** Which process has a directory open: races, and owners that ended without closing it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RowsmithError } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { defaultTuning, type DiskTuning } from '../../../src/engines/local/kv/disk/disk-tuning.js';
import { bundleEngine } from './bundle.js';
import { read, rejects, set, utf8 } from '../conformance.js';

/** Rounds of the race. For more: `RUNS=200 npx jest test/engines/local/one-owner`. */
const rounds = Number(process.env.RUNS ?? 1);

/** Waits for owners that cannot be seen are a tenth of the default. */
const { signs } = defaultTuning;
const tuning: DiskTuning = {
  ...defaultTuning,
  signs: {
    interval: signs.interval / 10,
    silent: signs.silent / 10,
    shortSilent: signs.shortSilent / 10,
    old: signs.old / 10,
    late: signs.late / 10,
  },
};

let work: string;
let programs: string;
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-one-'));
  programs = bundleEngine(['directory-steps.mjs', 'holder.mjs', 'writer-of-lines.mjs']);
});
afterAll(() => {
  rmSync(work, { recursive: true });
  rmSync(programs, { recursive: true });
});

interface Opened {
  readonly child: ChildProcess;
  readonly calls: readonly string[];
  readonly outcome: string;
}

/** Opens the directory in a process; undefined if it killed itself. */
function opened(
  directory: string,
  { killAt = 0, mode = '', copies }: { killAt?: number; mode?: string; copies?: string } = {},
): Promise<Opened | undefined> {
  const program = join(programs, 'directory-steps.mjs');
  const child = spawn(
    process.execPath,
    [program, directory, `${killAt}`, mode, ...(copies === undefined ? [] : [copies])],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve) => {
    child.stdout.once('data', (line: Buffer) => {
      const report = JSON.parse(line.toString()) as Omit<Opened, 'child'>;
      resolve({ child, ...report });
    });
    child.once('close', () => resolve(undefined));
  });
}

async function ended({ child }: Opened): Promise<void> {
  const closed = new Promise((resolve) => void child.once('close', resolve));
  child.stdin!.end();
  await closed;
}

async function errorOf(opening: Promise<unknown>): Promise<RowsmithError | undefined> {
  return opening.then(
    () => undefined,
    (error: RowsmithError) => error,
  );
}

async function writeRow(directory: string): Promise<void> {
  const engine = await openDiskEngine(directory);
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v')] });
  await engine.close();
}

async function expectRow(directory: string): Promise<void> {
  const engine = await openDiskEngine(directory, {}, tuning);
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
}

test.each(['links', 'no-links'])(
  'eight processes open a new directory: %s',
  async (mode) => {
    for (let round = 0; round < rounds; round++) {
      const directory = join(work, `race-${mode}-${round}`, 'db');
      const all = await Promise.all(Array.from({ length: 8 }, () => opened(directory, { mode })));
      const outcomes = all.map((one) => one!.outcome).sort();
      expect(outcomes).toEqual([...Array<string>(7).fill('DATABASE_IN_USE'), 'owner']);
      await Promise.all(all.map((one) => ended(one!)));
      expect(readdirSync(directory).sort()).toEqual([
        'data.mdb',
        'data.mdb-lock',
        'log.1',
        'owner.1',
        'rowsmith.json',
      ]);
    }
  },
  600_000,
);

test('a process killed at any call while it creates a database leaves one that opens', async () => {
  // The files as they were before each call are what a process that is killed there leaves.
  const copies = join(work, 'copies');
  mkdirSync(copies);
  const one = await opened(join(work, 'copied', 'db'), { copies });
  await ended(one!);
  expect(one!.calls.length).toBeGreaterThan(10);
  for (const call of one!.calls.keys()) {
    const directory = join(copies, `${call + 1}`, 'db');
    await writeRow(directory);
    await expectRow(directory);
  }
  // Some are killed indeed.
  for (let killAt = 1; killAt <= one!.calls.length; killAt += 8) {
    const directory = join(work, `killed-${killAt}`, 'db');
    expect(await opened(directory, { killAt })).toBeUndefined();
    await writeRow(directory);
    await expectRow(directory);
  }
});

test('the directory is flushed after each of its files is created', async () => {
  const one = await opened(join(work, 'flushed', 'db'));
  await ended(one!);
  // Without calls for the owner file, calls inside writeFile, and the space that data.mdb reserves.
  const left = / owner|^rm |^(write|fsync) rowsmith.json|-lock$|^(write|writeFile) data.mdb$/;
  const calls = one!.calls.filter((call) => !left.test(call));
  // lmdb creates data.mdb between the two markers.
  const marker = ['writeFile rowsmith.json.new', 'rename rowsmith.json.new', 'fsync db'];
  expect(calls.slice(0, 6)).toEqual([
    'mkdir flushed',
    `fsync ${basename(work)}`,
    'mkdir db',
    'fsync flushed',
    // Once more, with all parents: a process that was killed may have created them.
    'fsync flushed',
    `fsync ${basename(work)}`,
  ]);
  expect(calls.slice(calls.indexOf(marker[0]))).toEqual([
    ...marker,
    'fsync data.mdb',
    'fsync data.mdb',
    'fsync db',
    ...marker,
    'write log.1.new',
    'fsync log.1.new',
    'rename log.1.new',
    'fsync db',
  ]);
});

test('a data file that is missing, empty or another one is CORRUPT_DATA, and says what to do', async () => {
  const directory = join(work, 'damaged');
  const file = join(directory, 'data.mdb');
  await writeRow(directory);
  const data = readFileSync(file);
  const harms: Record<string, () => void> = {
    missing: () => rmSync(file),
    empty: () => truncateSync(file, 0),
    // The meta pages of a file that nothing was written to.
    other: () => {
      const empty = Buffer.from(data.subarray(0, 2 * 8192));
      for (const page of [0, 1]) {
        empty.fill(0, page * 8192 + 48 + 8, page * 8192 + 48 + 40);
        empty.fill(0, page * 8192 + 96, page * 8192 + 96 + 40);
        empty.fill(0xff, page * 8192 + 48 + 40, page * 8192 + 48 + 48);
        empty.fill(0xff, page * 8192 + 96 + 40, page * 8192 + 96 + 48);
      }
      writeFileSync(file, empty);
    },
  };
  for (const harm of Object.values(harms)) {
    harm();
    const error = await errorOf(openDiskEngine(directory));
    expect(error?.code).toBe('CORRUPT_DATA');
    expect(error?.details.fix).toContain('backup');
    writeFileSync(file, data);
    await expectRow(directory);
  }
});

test('a terminated worker does not hold the directory', async () => {
  const directory = join(work, 'worker');
  const worker = new Worker(join(programs, 'holder.mjs'), { argv: [directory] });
  await once(worker, 'message');
  expect((await errorOf(openDiskEngine(directory)))?.code).toBe('DATABASE_IN_USE');
  await worker.terminate();
  await expectRow(directory);
});

test('a killed process that nobody reaped does not hold the directory', async () => {
  const directory = join(work, 'zombie');
  // A parent that does not ask for the exit code of its child.
  const script = `"${process.execPath}" holder.mjs "${directory}" & echo $!; exec sleep 60`;
  const parent = spawn('sh', ['-c', script], {
    cwd: programs,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let out = '';
    parent.stdout.on('data', (text: Buffer) => void (out += text.toString()));
    while (!out.includes('held')) await pause(10);
    const pid = Number(/\d+/.exec(out)![0]);
    expect((await errorOf(openDiskEngine(directory)))?.details.pid).toBe(pid);
    process.kill(pid, 'SIGKILL');
    const state = () => execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
    while (!state().startsWith('Z')) await pause(10);
    await expectRow(directory);
  } finally {
    parent.kill('SIGKILL');
  }
});

/** Lets the owner file name a process that cannot be seen. */
function moveToContainer(owner: string, changes: object = {}): void {
  const record = JSON.parse(readFileSync(owner, 'utf8')) as Record<string, unknown>;
  const foreign = { ...record, pidNamespace: 'pid:[1]', released: false, ...changes };
  writeFileSync(owner, JSON.stringify(foreign));
}

test('a database of another container is in use while its owner shows that it runs', async () => {
  const directory = join(work, 'container');
  await writeRow(directory);
  const owner = join(directory, 'owner.1');
  moveToContainer(owner);
  const running = setInterval(() => utimesSync(owner, new Date(), new Date()), 50);
  await rejects(openDiskEngine(directory, {}, tuning), 'DATABASE_IN_USE');
  clearInterval(running);
  const aMinuteAgo = new Date(Date.now() - 61_000);
  utimesSync(owner, aMinuteAgo, aMinuteAgo);
  const started = Date.now();
  await expectRow(directory);
  expect(Date.now() - started).toBeGreaterThan(490);
  expect(readdirSync(directory)).toContain('owner.2');

  // After the machine was started again, no process of it runs.
  moveToContainer(join(directory, 'owner.2'), { started: 'another-boot 17' });
  await expectRow(directory);
});

test('the waits for owners that cannot be seen suit each other', () => {
  // A sign may be late by more than the pause of a loaded machine, and one that is late is noticed
  // before another process stops waiting for it.
  expect(signs.silent).toBeGreaterThanOrEqual(20_000);
  expect(signs.shortSilent).toBeGreaterThanOrEqual(5000);
  expect(signs.shortSilent).toBeGreaterThan(2 * signs.interval);
  expect(signs.late).toBeLessThanOrEqual(signs.silent / 2);
  expect(signs.old).toBeGreaterThan(signs.silent);
});

const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

(canUnshare ? test : test.skip)(
  'an owner that was stopped for long does not write beside its successor',
  async () => {
    const directory = join(work, 'stopped');
    // In a separate container: its process IDs begin with 1.
    const program = [join(programs, 'writer-of-lines.mjs'), directory, JSON.stringify(tuning)];
    const args = ['--pid', '--fork', '--mount-proc', process.execPath, ...program];
    const child = spawn('unshare', args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    const closed = new Promise((resolve) => void child.once('close', resolve));
    const write = (line: string): Promise<string> => {
      child.stdin.write(`${line}\n`);
      return new Promise((resolve) => {
        child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
      });
    };
    try {
      expect(await write('first')).toBe('written');
      await rejects(openDiskEngine(directory, {}, tuning), 'DATABASE_IN_USE');
      expect(await write('second')).toBe('written');
      process.kill(-child.pid!, 'SIGSTOP');
      const engine = await openDiskEngine(directory, {}, tuning);
      expect(await read(engine)).toEqual(['k{a:q@1000=second}']);
      process.kill(-child.pid!, 'SIGCONT');
      expect(await write('third')).toBe('DATABASE_IN_USE');
      expect(await read(engine)).toEqual(['k{a:q@1000=second}']);
      child.stdin.end();
      await closed;
      await rejects(openDiskEngine(directory, {}, tuning), 'DATABASE_IN_USE');
      await engine.close();
    } finally {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    }
  },
  30_000,
);

test('a directory that turns out to be no database is left as it was', async () => {
  const directory = join(work, 'unchanged');
  await writeRow(directory);
  rmSync(join(directory, 'owner.1'));
  writeFileSync(join(directory, 'data.mdb'), 'x'.repeat(100_000));
  const files = readdirSync(directory);
  await rejects(openDiskEngine(directory), 'CORRUPT_DATA');
  expect(readdirSync(directory)).toEqual(files);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
