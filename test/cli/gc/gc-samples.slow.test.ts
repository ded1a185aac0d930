/** Estimates from samples: intervals over many samples, and a large table. */
import { estimateTable, horizons } from '../../../src/tools/gc/gc-estimate.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { maxAge } from '../../../src/entities/model/index.js';
import type { Mutation } from '../../../src/data/store/index.js';
import { cellsOf, dayMs, fill, now, randomOf, rules } from './estimated-table.js';

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
});
