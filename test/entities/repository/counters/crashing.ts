/** The programs that crash.test.ts runs: they add to a counter of a database on disk. */
import { writeSync } from 'node:fs';
import { bufferedCounters, counter, defineEntity, open, rowKey } from '../../../../src/index.js';

const [what, folder] = process.argv.slice(2);

class Shape {
  id = 0;
  hits?: bigint;
}
const Row = defineEntity(class Row extends Shape {}, {
  table: 'rows',
  families: { c: {} },
  key: rowKey('id'),
  segments: { id: 'uint' },
  columns: { hits: counter('c') },
});

const db = await open(`file:${folder}`, { entities: [Row] });
const rows = db.repository(Row);

if (what === 'read') {
  console.log(String((await rows.get({ id: 1 }))?.hits ?? 0n));
} else if (what === 'run') {
  let stored = 0n;
  const counters = bufferedCounters(rows, {
    flushEvery: 50,
    onFlush: ({ written }) => {
      for (const { amount } of written) stored += amount;
      writeSync(1, `stored ${stored}\n`);
    },
  });
  for (let added = 0n; ;) {
    for (let i = 0; i < 100; i++, added++) await counters.add({ id: 1 }, 'hits');
    writeSync(1, `added ${added}\n`);
    // Timers run between turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
} else if (what === 'throw') {
  const counters = bufferedCounters(rows, {
    flushEvery: 1,
    onFlush: () => {
      throw new Error('thrown by onFlush');
    },
  });
  await counters.add({ id: 1 }, 'hits', 7n);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
} else {
  const counters = bufferedCounters(rows, { flushEvery: 600_000 });
  for (let i = 0; i < 100; i++) await counters.add({ id: 1 }, 'hits');
  if (what === 'close') await counters.close();
}
await db.close();
