/**
 * Damaged files: flipped bits, truncated files, pages of noise. They are reported as CORRUPT_DATA,
 * and never give wrong rows or end the process.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { readMetaPages } from '../../../src/engines/local/kv/disk/file-meta.js';
import { bundleEngine } from './bundle.js';
import { rejects, set, utf8 } from '../conformance.js';
import { seed } from '../../support/seed.js';

let work: string;
let programs: string;
const pristine = (): string => join(work, 'pristine');
/** Bits of a meta page, and some after it. */
const metaBits = 176 * 8;
/**
 * Faults of each kind. For more, and different ones: `RUNS=2000 SEED=2 npx jest
 * test/engines/local/damage`.
 */
const faults = Number(process.env.RUNS ?? 20);

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'rowsmith-damage-'));
  programs = bundleEngine(['damage.mjs']);
  const engine = await openDiskEngine(pristine(), { durability: 'relaxed' });
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  });
  // Blocks, chunks, large values, and freed pages.
  await engine.mutateRows(
    't',
    Array.from({ length: 2000 }, (_, at) => ({
      key: utf8(`k${String(at).padStart(5, '0')}`),
      mutations: [set('a', 'q', `${at}`.repeat(20)), set('b', 'x', 'y')],
    })),
  );
  await engine.mutateRow('t', {
    key: utf8('wide'),
    mutations: Array.from({ length: 600 }, (_, at) => set('b', `q${at}`, 'z'.repeat(50))),
  });
  await engine.mutateRow('t', {
    key: utf8('large'),
    mutations: [set('a', 'l', 'L'.repeat(60_000))],
  });
  for (let at = 0; at < 300; at += 3)
    await engine.mutateRow('t', {
      key: utf8(`k${String(at).padStart(5, '0')}`),
      mutations: [{ kind: 'deleteFromRow' }],
    });
  await engine.close();
});
afterAll(() => {
  rmSync(work, { recursive: true });
  rmSync(programs, { recursive: true });
});

interface Outcome {
  readonly seed: number;
  readonly open: string;
  readonly read?: string;
  readonly write?: string;
  readonly close?: string;
  readonly again?: string;
}

/** The outcome of each fault. A fault that ended the process is reported as such. */
function outcomes(kind: string, count = faults, first = (seed - 1) * faults): Outcome[] {
  const found: Outcome[] = [];
  while (found.length < count) {
    const { stdout, signal, status, stderr } = spawnSync(
      process.execPath,
      [
        join(programs, 'damage.mjs'),
        pristine(),
        join(work, 'db'),
        kind,
        `${first + found.length}`,
        `${first + count}`,
      ],
      { encoding: 'utf8' },
    );
    for (const line of stdout.split('\n').filter((text) => text.includes('{'))) {
      found.push({
        seed: first + found.length,
        ...(JSON.parse(line.slice(line.indexOf('{'))) as Omit<Outcome, 'seed'>),
      });
    }
    if (found.length < count)
      found.push({
        seed: first + found.length,
        open: `the process ended: ${signal ?? status} ${stderr}`,
      });
  }
  return found;
}

const share = (found: readonly Outcome[], matches: (outcome: Outcome) => boolean): number =>
  found.filter(matches).length / found.length;

/** The fault was reported, or it is in an unused part of the file. */
function expectTyped(one: Outcome): void {
  const { open, read = 'same', write = 'written', close = 'closed', again = 'found' } = one;
  expect(open === 'opened' || open === 'CORRUPT_DATA' ? undefined : one).toBeUndefined();
  expect(read === 'same' || read === 'CORRUPT_DATA' ? undefined : one).toBeUndefined();
  expect(write === 'written' || write === 'CORRUPT_DATA' ? undefined : one).toBeUndefined();
  expect(close).toBe('closed');
  expect(again === 'found' || again === 'CORRUPT_DATA' ? undefined : one).toBeUndefined();
}

/** Bits of both meta pages that may change without an error when the file is opened. */
function acceptedBits(): number[] {
  const file = join(work, 'bits.mdb');
  const data = readFileSync(join(pristine(), 'data.mdb'));
  writeFileSync(file, data);
  const handle = openSync(file, 'r+');
  const accepted: number[] = [];
  for (let bit = 0; bit < 2 * metaBits; bit++) {
    const at = Math.floor(bit / metaBits) * 8192 + ((bit % metaBits) >>> 3);
    writeSync(handle, Uint8Array.of(data[at] ^ (1 << (bit & 7))), 0, 1, at);
    if (readMetaPages(handle).kind === 'valid') accepted.push(bit);
    writeSync(handle, data, at, 1, at);
  }
  closeSync(handle);
  return accepted;
}

test('every bit of the meta pages: each change is reported, or has no effect', () => {
  const accepted = acceptedBits();
  // The map size and the boot ID, which are not used, and counts of a tree.
  expect(accepted.length).toBeLessThan(800);
  writeFileSync(join(work, 'bits.json'), JSON.stringify(accepted));
  const found = outcomes('meta', accepted.length, 0);
  for (const one of found) expectTyped(one);
});

test.each([
  ['anywhere', 0.3],
  ['structure', 0.2],
  // A fifth of this small file is the space that is kept for a full disk.
  ['length', 0.7],
  ['page', 0.7],
] as const)('%s', (kind, minRejected) => {
  const found = outcomes(kind);
  for (const one of found) expectTyped(one);
  expect(
    share(found, ({ open, read }) => open === 'CORRUPT_DATA' || read === 'CORRUPT_DATA'),
  ).toBeGreaterThan(minRejected);
});

test('pages of small files are verified unless disabled, and pairs always', async () => {
  const directory = join(work, 'optional');
  const fill = await openDiskEngine(directory, { durability: 'relaxed' });
  await fill.createTable({ name: 't', families: new Map([['a', {}]]) });
  await fill.mutateRows(
    't',
    Array.from({ length: 100 }, (_, at) => ({
      key: utf8(`k${at}`),
      mutations: [set('a', 'q', 'marked value')],
    })),
  );
  await fill.close();
  const file = join(directory, 'data.mdb');
  const data = readFileSync(file);
  // The page number of every page: only the verification reads it.
  const free = Buffer.from(data);
  for (let page = 2; page < data.length / 8192; page++) free[page * 8192 + 4] ^= 1;
  writeFileSync(file, free);
  await rejects(openDiskEngine(directory), 'CORRUPT_DATA');
  await rejects(openDiskEngine(directory, { verify: true }), 'CORRUPT_DATA');
  const held = Buffer.from(data);
  for (let at = held.indexOf('marked value'); at >= 0; at = held.indexOf('marked value', at + 1))
    held[at] ^= 1;
  writeFileSync(file, held);
  for (const verify of [false, true, undefined]) {
    const engine = await openDiskEngine(directory, { verify });
    await rejects(engine.sampleRowKeys('t'), 'CORRUPT_DATA');
    await engine.close();
  }
});
