/** What garbage collection removes: exact on small tables, and within the interval on samples. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateTable, horizons } from '../../../src/tools/gc/gc-estimate.js';
import { openEngine } from '../../../src/engines/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { maxAge, union } from '../../../src/entities/model/index.js';
import type { Engine, GcRule, Mutation } from '../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../support/emulator.js';
import { cellsOf, dayMs, fill, horizonMs, now, randomOf, rules } from './estimated-table.js';

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
