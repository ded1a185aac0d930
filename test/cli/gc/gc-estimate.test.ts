/** What garbage collection removes: exact on small tables, and within the interval on samples. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  estimateTable,
  type FamilyEstimate,
  type Horizon,
  horizons,
} from '../../../src/tools/gc/gc-estimate.js';
import { openEngine } from '../../../src/engines/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { intersection, maxAge, maxVersions, union } from '../../../src/entities/model/index.js';
import type { Engine, GcRule, Mutation } from '../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../support/emulator.js';

const now = Date.UTC(2026, 10, 20, 12);
const dayMs = 86_400_000;
const horizonMs: Readonly<Record<Horizon, number>> = {
  now: 0,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};
const rules = new Map<string, GcRule | undefined>([
  ['age', maxAge('10d')],
  ['both', intersection(maxAge('2d'), maxVersions(2))],
  ['either', union(maxAge('20d'), maxVersions(3))],
  ['keep', undefined],
  ['newest', maxVersions(1)],
]);

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rows of very different sizes, with cells of up to 40 days. */
async function fill(engine: Engine, rows: number, stored = rules): Promise<void> {
  const table = 't';
  const random = randomOf(7);
  await engine.createTable({
    name: table,
    families: new Map([...stored].map(([name, gc]) => [name, { gc }])),
  });
  const list = Array.from({ length: rows }, (_, row) => {
    const versions = 1 + Math.floor(random() ** 3 * 8);
    const mutations = [...rules.keys()].flatMap((family) =>
      ['p', 'q'].flatMap((qualifier) =>
        Array.from({ length: versions }, (): Mutation => {
          const ageMs = Math.floor(random() * 40 * dayMs);
          return {
            kind: 'setCell',
            family,
            qualifier: Buffer.from(qualifier),
            timestamp: (now - ageMs) * 1000,
            value: Buffer.alloc(Math.floor(random() * 60)),
          };
        }),
      ),
    );
    return { key: Buffer.from(`row${String(row).padStart(6, '0')}`), mutations };
  });
  for (let i = 0; i < list.length; i += 500) {
    const failures = await engine.mutateRows(table, list.slice(i, i + 500));
    expect(failures.every((each) => each === undefined)).toBe(true);
  }
}

const cellsOf = (families: readonly FamilyEstimate[], horizon: Horizon): number =>
  families.reduce((sum, { due }) => sum + due[horizon].cells.value, 0);

test.each(horizons)('exact: the engine collects as many cells (%s)', async (horizon) => {
  let clock = now;
  const engine = await openMemoryEngine({ clock: () => clock, gc: 'manual' });
  await fill(engine, 300);
  const { families, share, rows } = await estimateTable(engine, {
    table: 't',
    rules,
    nowMicros: now * 1000,
  });
  expect([share, rows]).toEqual([1, 300]);
  for (const { stored, due } of families)
    for (const { cells, bytes } of [stored, ...Object.values(due)])
      expect([cells.low, cells.high, bytes.low, bytes.high]).toEqual([
        cells.value,
        cells.value,
        bytes.value,
        bytes.value,
      ]);
  clock = now + horizonMs[horizon];
  const { cells } = await engine.compact('t');
  expect(cellsOf(families, horizon)).toBe(cells);
  expect(cells).toBeGreaterThan(1000);
  await engine.close();
});

test('one cell at the edge of its age: it is due after it, as in the engine', async () => {
  const engine = await openMemoryEngine({ clock: () => now, gc: 'manual' });
  await engine.createTable({ name: 't', families: new Map([['age', { gc: maxAge('10d') }]]) });
  const at = (ageMs: number): Mutation => ({
    kind: 'setCell',
    family: 'age',
    qualifier: Buffer.from(String(ageMs)),
    timestamp: (now - ageMs) * 1000,
    value: Buffer.from('12345'),
  });
  const mutations = [at(10 * dayMs), at(10 * dayMs + 1), at(9 * dayMs), at(9 * dayMs + 1)];
  await engine.mutateRow('t', { key: Buffer.from('a'), mutations });
  const { families } = await estimateTable(engine, {
    table: 't',
    rules: new Map([['age', maxAge('10d')]]),
    nowMicros: now * 1000,
  });
  const { due } = families[0];
  expect(horizons.map((each) => due[each].cells.value)).toEqual([1, 3, 4, 4]);
  // Value, qualifier and timestamp.
  expect(due.now.bytes.value).toBe(5 + String(10 * dayMs + 1).length + 8);
  expect((await engine.compact('t')).cells).toBe(1);
  await engine.close();
});

test('an estimate from a few rows is not below what they have', async () => {
  const engine = await openMemoryEngine({ clock: () => now, gc: 'manual' });
  await fill(engine, 8);
  for (let i = 0; i < 20; i++) {
    const call = { table: 't', rules, nowMicros: now * 1000, share: 0.5 };
    const { families, rows } = await estimateTable(engine, call);
    for (const { stored } of families) {
      // Each row that was read has at least two cells of every family.
      expect(stored.cells.low).toBeGreaterThanOrEqual(2 * rows);
      expect(stored.bytes.low).toBeGreaterThanOrEqual(2 * rows);
    }
  }
  await engine.close();
});

const emulator = findEmulator();
const backEnds: Record<string, () => Promise<{ engine: Engine; close: () => Promise<void> }>> = {
  disk: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-gc-'));
    const url = `file:${folder}`;
    const writer = await openEngine(url, { durability: 'relaxed', gc: 'manual', clock: () => now });
    await fill(writer, 50);
    // As the command opens it, beside the process that writes.
    const engine = await openEngine(url, { readOnly: true, gc: 'manual', clock: () => now });
    const close = async (): Promise<void> => {
      await engine.close();
      await writer.close();
      rmSync(folder, { recursive: true });
    };
    return { engine, close };
  },
  'live, our server': async () => {
    const opened = await openOverOurServer({ clock: () => now, gc: 'manual' });
    await fill(opened.engine, 50);
    return opened;
  },
};
if (emulator !== undefined)
  backEnds["live, Google's emulator"] = async () => {
    const opened = await openOverEmulator(emulator);
    // It collects by the clock of the system, so it gets no rules.
    await fill(opened.engine, 50, new Map([...rules.keys()].map((name) => [name, undefined])));
    return opened;
  };

test.each(Object.entries(backEnds))('%s: the same figures as in memory', async (_name, open) => {
  const memory = await openMemoryEngine({ clock: () => now, gc: 'manual' });
  await fill(memory, 50);
  const call = { table: 't', rules, nowMicros: now * 1000, share: 1 };
  const expected = await estimateTable(memory, call);
  const { engine, close } = await open();
  const found = await estimateTable(engine, call);
  expect(found).toEqual(expected);
  const sampled = await estimateTable(engine, { ...call, share: 0.5 });
  expect(sampled.rows).toBeLessThan(expected.rows);
  await close();
  await memory.close();
});

test('sampled: 95 % of the intervals hold the true value, and estimates are right on average', async () => {
  let random = randomOf(1);
  const engine = await openMemoryEngine({
    clock: () => now,
    gc: 'manual',
    random: () => random(),
  });
  await fill(engine, 2000);
  const call = { table: 't', rules, nowMicros: now * 1000 };
  const truth = await estimateTable(engine, { ...call, share: 1 });
  const runs = 60;
  let held = 0;
  let intervals = 0;
  let sum = 0;
  for (let seed = 1; seed <= runs; seed++) {
    random = randomOf(seed * 7919);
    const sample = await estimateTable(engine, { ...call, share: 0.05 });
    sum += cellsOf(sample.families, 'week');
    sample.families.forEach(({ stored, due }, i) => {
      const all = [stored, ...horizons.map((each) => due[each])];
      const exact = [
        truth.families[i].stored,
        ...horizons.map((each) => truth.families[i].due[each]),
      ];
      all.forEach((amount, k) => {
        for (const kind of ['cells', 'bytes'] as const) {
          const { low, high } = amount[kind];
          const { value } = exact[k][kind];
          intervals++;
          if (low <= value && value <= high) held++;
        }
      });
    });
  }
  expect(held / intervals).toBeGreaterThan(0.92);
  expect(held / intervals).toBeLessThan(1);
  const mean = sum / runs;
  expect(Math.abs(mean / cellsOf(truth.families, 'week') - 1)).toBeLessThan(0.03);
  await engine.close();
}, 60_000);

test('sampled: what no row of the sample has may still be in the table', async () => {
  const random = randomOf(3);
  const engine = await openMemoryEngine({ clock: () => now, gc: 'manual', random });
  await engine.createTable({ name: 't', families: new Map([['age', { gc: maxAge('10d') }]]) });
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    key: Buffer.from(`row${i}`),
    mutations: [
      {
        kind: 'setCell',
        family: 'age',
        qualifier: Buffer.from('q'),
        // One row of a thousand is due.
        timestamp: (now - (i === 500 ? 11 : 1) * dayMs) * 1000,
        value: Buffer.from('v'),
      } satisfies Mutation,
    ],
  }));
  await engine.mutateRows('t', rows);
  const { families } = await estimateTable(engine, {
    table: 't',
    rules: new Map<string, GcRule | undefined>([
      ['age', maxAge('10d')],
      ['keep', undefined],
      ['empty', union()],
    ]),
    nowMicros: now * 1000,
    share: 0.1,
  });
  expect(families[0].due.now.cells).toEqual({ value: 0, low: 0, high: 30 });
  // Of a rule that removes nothing it is known without any row.
  for (const { due } of families.slice(1))
    for (const each of horizons) expect(due[each].cells).toEqual({ value: 0, low: 0, high: 0 });
  await engine.close();
});

test('a table of more than 64 MiB is sampled', async () => {
  const engine = await openMemoryEngine({ clock: () => now, gc: 'manual', random: randomOf(5) });
  await engine.createTable({ name: 't', families: new Map([['age', { gc: maxAge('10d') }]]) });
  const value = Buffer.alloc(100_000, 1);
  for (let batch = 0; batch < 9; batch++)
    await engine.mutateRows(
      't',
      Array.from({ length: 100 }, (_, i) => ({
        key: Buffer.from(`row${batch * 100 + i}`),
        mutations: [
          {
            kind: 'setCell',
            family: 'age',
            qualifier: Buffer.from('q'),
            timestamp: (now - (i % 2 === 0 ? 11 : 1) * dayMs) * 1000,
            value,
          } satisfies Mutation,
        ],
      })),
    );
  const { share, rows, families } = await estimateTable(engine, {
    table: 't',
    rules: new Map([['age', maxAge('10d')]]),
    nowMicros: now * 1000,
  });
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.6);
  expect(rows).toBeLessThan(600);
  const { low, high } = families[0].due.now.cells;
  expect(low).toBeLessThanOrEqual(450);
  expect(high).toBeGreaterThanOrEqual(450);
  expect(high - low).toBeGreaterThan(0);
  await engine.close();
}, 60_000);
