/** Which process has a directory open: races, and owners that ended without closing it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { until } from '../../support/until.js';
import { Worker } from 'node:worker_threads';
import type { RowsmithError } from '../../../src/base/index.js';
import {
  defaultTuning,
  type DiskTuning,
} from '../../../src/engines/local/kv/directory/disk-tuning.js';
import { rejects } from '../conformance.js';
import { bundleRows } from './bundle.js';
import { Holder } from './holders.js';
import { openRows } from './rows.js';

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
  },
};

let work: string;
let programs: string;
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-one-'));
  programs = bundleRows(['directory-steps.mjs', 'rows-holder.mjs']);
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
  const rows = await openRows(directory);
  rows.put('k');
  await rows.close();
}

async function expectRow(directory: string, ...more: string[]): Promise<void> {
  const rows = await openRows(directory, tuning);
  expect([...rows.rows.keys()]).toEqual(['k', ...more]);
  await rows.close();
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
        'log.1-1',
        'manifest.1-1',
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
  // Without calls for the owner file, calls inside writeFile, and flushes of the log.
  const left = / owner|^rm |^(write|fsync) (rowsmith.json|manifest)/;
  const above = dirname(work)
    .split(sep)
    .map((name) => `fsync ${name}`);
  const calls = one!.calls.filter((call) => !left.test(call) && !above.includes(call));
  expect(calls).toEqual([
    'mkdir flushed',
    `fsync ${basename(work)}`,
    'mkdir db',
    'fsync flushed',
    // Once more, with all parents: a process that was killed may have created them.
    'fsync flushed',
    `fsync ${basename(work)}`,
    'writeFile rowsmith.json.new',
    'link rowsmith.json.new',
    'fsync db',
    'write log.1-1.new',
    'fsync log.1-1.new',
    'link log.1-1.new',
    'fsync db',
    'writeFile manifest.1-1',
    'fsync db',
    'fsync db',
    'writeFile rowsmith.json.new',
    'rename rowsmith.json.new',
    'fsync db',
  ]);
});

test('a terminated worker does not hold the directory', async () => {
  const directory = join(work, 'worker');
  const worker = new Worker(join(programs, 'rows-holder.mjs'), { argv: [directory] });
  await once(worker, 'message');
  expect((await errorOf(openRows(directory)))?.code).toBe('DATABASE_IN_USE');
  await worker.terminate();
  await expectRow(directory);
});

test('a killed process that nobody reaped does not hold the directory', async () => {
  const directory = join(work, 'zombie');
  // A parent that does not ask for the exit code of its child.
  const script = `"${process.execPath}" rows-holder.mjs "${directory}" <&3 & echo $!; exec sleep 60`;
  const parent = spawn('sh', ['-c', script], {
    cwd: programs,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  try {
    (parent.stdio[3] as Writable).write('put k\n');
    let out = '';
    parent.stdout!.on('data', (text: Buffer) => void (out += text.toString()));
    await until(() => out.includes('ok'));
    const pid = Number(/\d+/.exec(out)![0]);
    expect((await errorOf(openRows(directory)))?.details.pid).toBe(pid);
    process.kill(pid, 'SIGKILL');
    const state = () => execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
    await until(() => state().startsWith('Z'));
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
  await rejects(openRows(directory, tuning), 'DATABASE_IN_USE');
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
  expect(signs.old).toBeGreaterThan(signs.silent);
});

const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
const testForeign = canUnshare ? test : test.skip;

testForeign('an owner that was stopped for long does not write beside its successor', async () => {
  const directory = join(work, 'stopped');
  const holder = await Holder.start(programs, directory, tuning, true);
  try {
    expect(await holder.do('put k')).toBe('ok');
    await rejects(openRows(directory, tuning), 'DATABASE_IN_USE');
    expect(await holder.do('put l')).toBe('ok');
    holder.signal('SIGSTOP');
    const rows = await openRows(directory, tuning);
    expect([...rows.rows.keys()]).toEqual(['k', 'l']);
    holder.signal('SIGCONT');
    expect(await holder.do('put m')).toBe('DATABASE_IN_USE');
    rows.put('n');
    expect(await holder.do('put o')).toBe('DATABASE_IN_USE');
    expect(await holder.do('close')).toBe('ok');
    expect(await holder.end()).toBe(0);
    await rejects(openRows(directory, tuning), 'DATABASE_IN_USE');
    await rows.close();
  } finally {
    await holder.kill();
  }
  await expectRow(directory, 'l', 'n');
});

// Its PID and the ID of its thread are not those in /proc.
testForeign('an owner without the /proc of its PID namespace is not taken over', async () => {
  const directory = join(work, 'other-proc', 'db');
  const steps = `"$0" directory-steps.mjs "$1" 0 ''`;
  const script = `${steps} <&3 | { head -n 1; ${steps} </dev/null; }`;
  const child = spawn(
    'unshare',
    ['--pid', '--fork', 'sh', '-c', script, process.execPath, directory],
    { cwd: programs, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] },
  );
  const outcomes: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    outcomes.push((JSON.parse(line) as Opened).outcome);
    if (outcomes.length === 2) (child.stdio[3] as Writable).end();
  }
  expect(outcomes).toEqual(['owner', 'DATABASE_IN_USE']);
});

// Its timers were late, and another container took the directory over.
testForeign('an owner with a busy event loop is not taken over', async () => {
  const directory = join(work, 'busy');
  const holder = await Holder.start(programs, directory, tuning, true);
  try {
    expect(await holder.do('put k')).toBe('ok');
    // The thread has started once it has given a sign.
    const { mtimeMs } = statSync(join(directory, 'owner.1'));
    await until(() => statSync(join(directory, 'owner.1')).mtimeMs !== mtimeMs);
    const busy = holder.do(`busy ${3 * tuning.signs.silent}`);
    let isBusy = true;
    void busy.then(() => (isBusy = false));
    let attempts = 0;
    for (; isBusy; attempts++) await rejects(openRows(directory, tuning), 'DATABASE_IN_USE');
    expect(attempts).toBeGreaterThan(2);
    expect(await holder.do('put l')).toBe('ok');
    // Wherever the directory is.
    renameSync(directory, `${directory}-moved`);
    const moved = join(`${directory}-moved`, 'owner.1');
    const before = statSync(moved).mtimeMs;
    await until(() => statSync(moved).mtimeMs !== before);
    renameSync(`${directory}-moved`, directory);
    expect(await holder.do('close')).toBe('ok');
  } finally {
    await holder.kill();
  }
  await expectRow(directory, 'l');
});

testForeign('an owner that is busy from its opening on is not taken over', async () => {
  const directory = join(work, 'busy-at-once');
  const busyMs = 2 * tuning.signs.silent;
  const holder = await Holder.start(programs, directory, tuning, true, busyMs);
  try {
    const put = holder.do('put k');
    let isBusy = true;
    void put.then(() => (isBusy = false));
    while (isBusy) await rejects(openRows(directory, tuning), 'DATABASE_IN_USE');
    expect(await put).toBe('ok');
    expect(await holder.do('close')).toBe('ok');
  } finally {
    await holder.kill();
  }
  await expectRow(directory);
});

test('a program that does not close its database ends, before and after the thread has started', async () => {
  for (const isStarted of [false, true]) {
    const directory = join(work, `open-${isStarted}`);
    const holder = await Holder.start(programs, directory, isStarted ? tuning : undefined);
    try {
      expect(await holder.do('put k')).toBe('ok');
      const owner = join(directory, 'owner.1');
      const { mtimeMs } = statSync(owner);
      if (isStarted) await until(() => statSync(owner).mtimeMs !== mtimeMs);
      expect(await holder.end()).toBe(0);
    } finally {
      await holder.kill();
    }
    await expectRow(directory);
  }
});
