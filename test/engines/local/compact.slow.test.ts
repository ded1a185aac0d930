/**
 * Compacting a database on disk: the files shrink, reads and writes go on, and a process killed at
 * any step loses nothing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import {
  collectRows,
  type CompactionProgress,
  type Engine,
} from '../../../src/data/store/index.js';
import { bundleEngine } from './bundle.js';
import { rejects, set, utf8 } from '../conformance.js';
import { seed } from '../../support/seed.js';

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-compact-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Bytes of the tables. */
const fileBytes = (): number =>
  readdirSync(directory)
    .filter((name) => name.startsWith('table.'))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
const keyOf = (at: number): Uint8Array => utf8(`r${String(at).padStart(6, '0')}`);
const value = 'v'.repeat(500);

async function fill(engine: Engine, from: number, to: number, family = 'a'): Promise<void> {
  await engine.mutateRows(
    't',
    Array.from({ length: to - from }, (_, at) => ({
      key: keyOf(from + at),
      mutations: [set(family, 'q', value)],
    })),
  );
}

const keysOf = async (engine: Engine): Promise<number> =>
  (await collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false }))).length;

test('progress: the rows of all tables, and then the merge', async () => {
  const limits = { ...defaultLimits, buffer: 1_000_000, level: 500_000, table: 500_000 };
  const engine = await openDiskEngine(directory, { durability: 'relaxed', limits });
  for (const name of ['s', 't']) await engine.createTable({ name, families: new Map([['a', {}]]) });
  // More than a step of the merge.
  await fill(engine, 0, 12_000);
  const steps: CompactionProgress[] = [];
  await engine.compact(undefined, { onProgress: (progress) => steps.push(progress) });
  const rows = steps.filter(({ phase }) => phase === 'collect').map((step) => step.rows);
  const merged = steps.filter(({ phase }) => phase === 'merge');
  expect(steps).toEqual([...steps.slice(0, rows.length), ...merged]);
  expect(rows).toEqual([...rows].sort((a, b) => a - b));
  expect(rows.at(-1)).toBe(12_000);
  const fractions = merged.map(({ fraction }) => fraction ?? NaN);
  expect(fractions.length).toBeGreaterThan(1);
  expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  expect(fractions[0]).toBeGreaterThan(0);
  expect(fractions.at(-1)).toBe(1);
  expect(merged.every((step) => step.rows === 12_000)).toBe(true);
  await engine.close();
});

test('the files shrink, the result counts what was collected, and the other rows are present after reopening', async () => {
  let now = 1_700_000_000_000;
  const open = (): Promise<Engine> =>
    openDiskEngine(directory, { clock: () => now, gc: 'lazy', durability: 'relaxed' });
  let engine = await open();
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['old', { gc: { kind: 'maxAge', micros: 1_000_000 } }],
    ]),
  });
  await fill(engine, 0, 20_000, 'old');
  await fill(engine, 20_000, 20_100);
  await engine.mutateRow('t', {
    key: keyOf(20_050),
    mutations: [set('old', 'q', 'x', now * 1000)],
  });
  now += 500;
  // Closing writes what is in the log to a table.
  await engine.close();
  engine = await open();
  const before = fileBytes();
  const collected = await engine.compact();
  expect(collected).toMatchObject({ rows: 20_000, cells: 20_000 });
  // Collecting may have made the file a little larger first.
  expect(collected.bytes).toBeGreaterThanOrEqual(before - fileBytes());
  expect(fileBytes()).toBeLessThan(before / 10);
  expect(await engine.compact('t')).toEqual({
    rows: 0,
    cells: 0,
    bytes: expect.any(Number) as number,
  });
  expect(await keysOf(engine)).toBe(100);
  await fill(engine, 30_000, 30_010);
  await engine.close();
  engine = await openDiskEngine(directory);
  expect(await keysOf(engine)).toBe(110);
  await engine.close();
  expect(readdirSync(directory).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('open reads, and writes, go on while the files are replaced', async () => {
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await fill(engine, 0, 10_000);
  const stream = engine.readRows(
    { table: 't', ranges: [everyKey], reversed: false },
    { pageRows: 100 },
  );
  const page = (await stream.next())!;
  for (let row = 0; row < 50; row++) page.nextRow();
  const read = [utf8Text(page.keyBytes.slice(page.keyStart, page.keyEnd))];
  let done = false;
  const compacted = engine.compact().finally(() => (done = true));
  let written = 0;
  while (!done) {
    await fill(engine, 100_000 + written, 100_000 + (written += 500));
    await engine.mutateRow('t', { key: keyOf(5), mutations: [{ kind: 'deleteFromRow' }] });
  }
  await compacted;
  expect(read).toEqual(['r000049']);
  let rest = 0;
  while (page.nextRow()) rest++;
  for (let next = await stream.next(); next !== undefined; next = await stream.next())
    while (next.nextRow()) rest++;
  expect(rest).toBe(10_000 - 50 + written);
  expect(await keysOf(engine)).toBe(10_000 - 1 + written);
  await engine.close();
});

test('closing waits for the compaction, and concurrent calls share it', async () => {
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await fill(engine, 0, 5000);
  const both = Promise.allSettled([engine.compact('t'), engine.compact('t')]);
  await engine.close();
  await both;
  await rejects(engine.compact(), 'DATABASE_CLOSED');
  const again = await openDiskEngine(directory);
  expect(await keysOf(again)).toBe(5000);
  await again.close();
});

test('a process killed again and again while it compacts and writes loses nothing acknowledged', async () => {
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await fill(engine, 0, 5000);
  await engine.close();
  const bundle = bundleEngine(['compact-writer.mjs']);
  try {
    let acknowledged = -1;
    for (const ms of [230, 310, 270, 350, 290])
      acknowledged =
        (await killed(join(bundle, 'compact-writer.mjs'), acknowledged + 1, ms)) ?? acknowledged;
    const after = await openDiskEngine(directory);
    expect(acknowledged).toBeGreaterThan(0);
    // Each killed process may have written one row more than it reported, which the next one writes
    // again.
    const extra = (await keysOf(after)) - 5000 - (acknowledged + 1);
    expect([0, 1]).toContain(extra);
    await after.close();
  } finally {
    rmSync(bundle, { recursive: true });
  }
});

// For the soak: `RUNS=200 npx jest test/engines/local/compact`.
const soak = process.env.RUNS;

test('compacting again and again while values of mixed sizes are written does not end the process', () => {
  const bundle = bundleEngine(['mixed-writer.mjs']);
  try {
    const maxBytes = soak === undefined ? 1_000_000 : 20_000_000;
    const numbers = [seed, 0, maxBytes, soak ?? 25].map(String);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(bundle, 'mixed-writer.mjs'), directory, ...numbers],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      results: { compacted: Number(soak ?? 25) },
      open: 0,
      reopened: 0,
    });
  } finally {
    rmSync(bundle, { recursive: true });
  }
});

/**
 * Runs the program, kills it some time after its first output, and returns the last number in it.
 */
function killed(program: string, from: number, ms: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, directory, String(from)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      if (output === '') setTimeout(() => child.kill('SIGKILL'), ms);
      output += bytes.toString();
    });
    child.on('close', () =>
      resolve(
        output === ''
          ? undefined
          : Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1)),
      ),
    );
  });
}

function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
