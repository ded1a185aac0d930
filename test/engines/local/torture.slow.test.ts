/**
 * The torture scenarios with few rounds, and tests that they notice what they look for. For more:
 * node scripts/torture.mjs --help.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../src/storage.js';
import { compactionSoak } from './torture/compaction.js';
import { copies } from './torture/copies.js';
import { corruption } from './torture/corruption.js';
import { DiskImage } from './torture/disk-image.js';
import { fullDisk } from './torture/full-disk.js';
import { powerLoss } from './torture/power.js';
import { races } from './torture/races.js';
import { randomOf } from './torture/random.js';
import { compareRows, ensureTable, table, writeOf, type Comparison } from './torture/rows.js';
import { shimLibrary, type ShimRecord } from './torture/shim.js';
import { killedSteps, stoppedSteps } from './torture/steps.js';
import { storm } from './torture/storm.js';
import type { ScenarioOptions } from './torture/tally.js';

const few = (rounds: number, seed = 0): ScenarioOptions => ({
  rounds,
  seed,
  onProgress: () => undefined,
  keep: () => undefined,
});
const onUnix = process.platform === 'win32' ? test.skip : test;
const withShim = shimLibrary() === undefined ? test.skip : test;

onUnix('a process killed while it writes loses nothing that it acknowledged', async () => {
  // On a busy machine a writer is killed after a few writes.
  let acknowledged = 0;
  for (let seed = 0; acknowledged <= 100 && seed < 60; seed += 6) {
    const tally = await storm(few(6, seed));
    expect(tally.faultTexts()).toEqual([]);
    acknowledged += tally.notes.get('acknowledged writes') ?? 0;
  }
  expect(acknowledged).toBeGreaterThan(100);
});

withShim('a power loss loses nothing that was acknowledged', async () => {
  // With seed 25 processes are killed too, and with 125 a flush fails. The folder of the database is
  // then created too.
  for (const seed of [0, 25, 125]) {
    const tally = await powerLoss(few(4, seed));
    expect(tally.faultTexts()).toEqual([]);
    expect(tally.trials).toBe(4);
  }
});

withShim(
  'writes that were not flushed are lost with the power, or the file is damaged',
  async () => {
    const tally = await powerLoss(few(20), 'relaxed');
    expect(tally.faultTexts().join('\n')).toMatch(/trials with (lost rows|CORRUPT_DATA)/);
  },
);

withShim('a process is killed at a call that changes a file, and nothing is lost', async () => {
  const tally = await killedSteps(few(8));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.notes.get('killed processes')).toBeGreaterThan(4);
});

withShim('a process is stopped at such a call, and taken over before it goes on', async () => {
  const tally = await stoppedSteps(few(8));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.notes.get('takeovers')).toBeGreaterThan(4);
});

onUnix('a copy of the files of an open database is whole, or CORRUPT_DATA', async () => {
  const tally = await copies(few(4));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.trials).toBe(4);
});

onUnix('damaged files are CORRUPT_DATA', async () => {
  // Each kind of damage.
  const tally = await corruption(few(12));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.notes.get('trials with CORRUPT_DATA')).toBeGreaterThan(4);
});

onUnix('a full disk is STORAGE_FAILED, and writes work again once there is space', async () => {
  const tally = await fullDisk(few(1));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.notes.get('STORAGE_FAILED')).toBeGreaterThan(10);
});

onUnix(
  'a database with large values is compacted again and again while it is written',
  async () => {
    const tally = await compactionSoak(few(3), 1_000_000);
    expect(tally.faultTexts()).toEqual([]);
    expect(tally.trials).toBe(3);
  },
);

onUnix('one of eight processes opens a directory, the others get DATABASE_IN_USE', async () => {
  const tally = await races(few(4));
  expect(tally.faultTexts()).toEqual([]);
  expect(tally.notes.get('DATABASE_IN_USE')).toBe(4 * 7);
});

test('rows that are lost, old, half written, mixed up or unknown are noticed', async () => {
  const engine = await openEngine('memory:');
  await ensureTable(engine);
  const maxBytes = 1000;
  const half = writeOf('row-half', 2, maxBytes);
  await engine.mutateRows(table, [
    writeOf('row-good', 3, maxBytes),
    writeOf('row-old', 3, maxBytes),
    { key: half.key, mutations: half.mutations.slice(0, -1) },
    { key: Buffer.from('row-mixed'), mutations: writeOf('row-good', 3, maxBytes).mutations },
    writeOf('row-unknown', 1, maxBytes),
    writeOf('row-early', 5, maxBytes),
  ]);
  const result: Comparison = { lost: [], wrong: [] };
  const exactly = (generation: number) => ({ acknowledged: generation, attempted: generation });
  const expectations = {
    'row-good': exactly(3),
    'row-old': exactly(4),
    'row-half': exactly(2),
    'row-mixed': exactly(3),
    'row-early': exactly(4),
    'row-lost': exactly(1),
    'row-deleted': exactly(9),
    'row-unfinished': { acknowledged: 0, attempted: 1 },
  };
  await compareRows(engine, expectations, { maxBytes, result });
  await engine.close();
  expect(result.lost.map((line) => line.split(' ')[0])).toEqual(['row-old', 'row-lost']);
  expect(result.wrong.map((line) => line.split(' ')[0]).sort()).toEqual([
    'row-early',
    'row-half',
    'row-mixed',
    'row-unknown',
  ]);
});

const call = (kind: ShimRecord['kind'], fields: Partial<ShimRecord> = {}): ShimRecord => ({
  kind,
  created: false,
  synced: false,
  directory: false,
  inode: 1n,
  offset: 0,
  bytes: Buffer.alloc(0),
  ...fields,
});
const create = call('open', { created: true, bytes: Buffer.from('file') });
const write = (bytes: Buffer, offset = 0): ShimRecord => call('write', { bytes, offset });
const flushNames = call('sync', { directory: true });

/** All that power losses after the calls leave, as `NAME=CONTENT`. */
function outcomes(calls: readonly ShimRecord[]): Set<string> {
  const image = new DiskImage();
  for (const one of calls) image.apply(one);
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-image-'));
  const found = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    image.writeAfterPowerLoss(directory, randomOf(seed));
    const names = readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile());
    found.add(names.map((name) => `${name}=${shown(readFileSync(join(directory, name)))}`).join());
    for (const name of names) rmSync(join(directory, name));
  }
  rmSync(directory, { recursive: true });
  return found;
}

/** The first byte of each sector. */
function shown(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 512) text += String.fromCharCode(bytes[at] || 46);
  return text;
}

test('what a power loss leaves follows from the flushes before it', () => {
  const data = write(Buffer.alloc(1024, 'a'));
  expect(outcomes([create, data, call('sync'), flushNames])).toEqual(new Set(['file=aa']));
  // Neither the name nor the file is durable without a separate flush.
  expect(outcomes([create, data, call('sync')])).toEqual(new Set(['', 'file=aa']));
  expect(outcomes([create, flushNames, data])).toEqual(
    new Set(['file=', 'file=a', 'file=.a', 'file=aa']),
  );
  const after = [create, data, call('sync'), flushNames];
  const next = write(Buffer.alloc(512, 'b'), 512);
  expect(outcomes([...after, next])).toEqual(new Set(['file=aa', 'file=ab']));
  expect(outcomes([...after, { ...next, synced: true }, call('line')])).toEqual(
    new Set(['file=ab']),
  );
  // A flush that failed may have forgotten the write for good.
  expect(outcomes([...after, next, call('syncFailed'), call('sync')])).toEqual(
    new Set(['file=aa', 'file=ab']),
  );
  const cut = call('truncate', { offset: 512 });
  expect(outcomes([...after, cut])).toEqual(new Set(['file=aa', 'file=a']));
  const rename = call('rename', { bytes: Buffer.from('file\0other') });
  expect(outcomes([...after, rename])).toEqual(new Set(['file=aa', 'other=aa']));
  expect(outcomes([...after, rename, flushNames])).toEqual(new Set(['other=aa']));
});
