/**
 * The mode `lazy`: cells that the rules collect stay visible until they are collected in the
 * background, in steps between other calls.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openDiskEngine,
  openMemoryEngine,
  type DiskEngineOptions,
} from '../../../src/engines/local/index.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import type { OrderedStore } from '../../../src/engines/local/kv/ordered-store.js';
import { memoryStore } from '../../../src/engines/local/kv/store/table-store.js';
import type { Engine } from '../../../src/data/store/index.js';
import { pause, until } from '../../support/until.js';
import { read, set, utf8 } from '../conformance.js';

const versions = new Map([['a', { gc: { kind: 'maxVersions', versions: 1 } as const }]]);
const aged = new Map([
  ['a', { gc: { kind: 'union', rules: [{ kind: 'maxAge', micros: 60_000_000 }] } as const }],
]);

const cellsOf = async (engine: Engine): Promise<number> =>
  (await read(engine)).join('').split('=').length - 1;
const writeTwice = (engine: Engine, rows: number) =>
  engine.mutateRows(
    't',
    Array.from({ length: rows }, (_, at) => ({
      key: utf8(`k${at + 10_000}`),
      mutations: [set('a', 'q', 'old'), set('a', 'q', 'new', 2000)],
    })),
  );

describe.each([
  ['in memory', false],
  ['on disk', true],
])('%s', (_name, onDisk) => {
  let engine: Engine;
  let directory: string;
  const open = async (options: DiskEngineOptions) =>
    (engine = onDisk
      ? await openDiskEngine(directory, { durability: 'relaxed', ...options })
      : await openMemoryEngine(options));
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-lazy-'))));
  afterEach(async () => {
    await engine.close();
    rmSync(directory, { recursive: true });
  });

  test('a table is collected once enough rows have been written, and not before', async () => {
    await open({ gc: 'lazy', lazy: { everyMs: 5, rows: 1200 } });
    await engine.createTable({ name: 't', families: versions });
    await writeTwice(engine, 1100);
    await pause(60);
    expect(await cellsOf(engine)).toBe(2200);
    await writeTwice(engine, 100);
    await until(async () => (await cellsOf(engine)) === 1100);
    // Again only after as many rows have been written.
    await writeTwice(engine, 10);
    await pause(60);
    expect(await cellsOf(engine)).toBe(1110);
  });

  test('a rule by age collects as time passes, without any writes', async () => {
    let now = 1_700_000_000_000;
    await open({ gc: 'lazy', clock: () => now, lazy: { everyMs: 5, ageMs: 100_000 } });
    await engine.createTable({ name: 't', families: aged });
    await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v', now * 1000)] });
    now += 90_000;
    await pause(60);
    expect(await cellsOf(engine)).toBe(1);
    now += 20_000;
    await until(async () => (await cellsOf(engine)) === 0);
  });

  test.each(['manual', 'onRead'] as const)('%s never collects in the background', async (gc) => {
    await open({ gc, lazy: { everyMs: 1, rows: 1 } });
    await engine.createTable({ name: 't', families: versions });
    await writeTwice(engine, 100);
    await pause(60);
    // In the mode onRead, writes leave nothing to collect.
    expect((await engine.compact('t')).cells).toBe(gc === 'manual' ? 100 : 0);
  });

  test('closing in the middle of a collection ends it', async () => {
    await open({ gc: 'lazy', lazy: { everyMs: 1, rows: 1 } });
    await engine.createTable({ name: 't', families: versions });
    await writeTwice(engine, 5000);
    await until(async () => (await cellsOf(engine)) < 10_000);
    await engine.close();
    await pause(30);
  });
});

test('a collection takes several commits, with other calls in between', async () => {
  const memory = memoryStore();
  let commits = 0;
  const store: OrderedStore = {
    get: (key) => memory.get(key),
    lookup: (key) => memory.lookup(key),
    scan: (start, end, reversed) => memory.scan(start, end, reversed),
    close: () => memory.close(),
    commit: (work) => (commits++, memory.commit(work)),
  };
  const engine = new LocalEngine('counted:', store, {
    gc: 'lazy',
    lazy: { everyMs: 1, rows: 4000 },
  });
  await engine.createTable({ name: 't', families: versions });
  const before = commits;
  await writeTwice(engine, 4000);
  let between = 0;
  while ((await cellsOf(engine)) > 4001) {
    await engine.mutateRow('t', { key: utf8('z'), mutations: [set('a', 'q', 'v')] });
    between++;
  }
  // 4,000 rows in steps of 500, which may share a commit with a write, and the commit of the rows.
  expect(commits - before).toBeGreaterThanOrEqual(9);
  expect(between).toBeGreaterThan(0);
  await engine.close();
});
