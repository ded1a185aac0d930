/** Takes over a database: says what it finds, writes until it is told to end, and closes it. */
import { createInterface } from 'node:readline';
import { openSmall } from './open-small.js';
import { compareRows, ensureTable } from './rows.js';
import { say, Workload } from './workload.js';
import type { WriteOptions } from './child-write.js';

/** Generations of a successor are greater than all of the owner before. */
const firstGeneration = 90_000;

export async function succeed(options: WriteOptions): Promise<void> {
  const { directory, durability, expectations, maxBytes, seed, steps } = options;
  const engine = await openSmall(directory, { durability });
  await ensureTable(engine);
  const workload = new Workload(expectations, { ...options, firstGeneration });
  await compareRows(engine, expectations, { maxBytes, result: workload.comparison });
  for (const [key, expected] of Object.entries(expectations)) {
    expected.attempted = expected.acknowledged;
    say(`t ${key} ${expected.acknowledged}`);
    say(`a ${key} ${expected.acknowledged}`);
  }
  say('found-all');
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  await lines.next();
  await workload.run(engine, seed, steps);
  await lines.next();
  await workload.run(engine, seed + 1, steps);
  await compareRows(engine, expectations, { maxBytes, result: workload.comparison });
  await engine.close();
  const faults = [...workload.errors, ...workload.comparison.lost, ...workload.comparison.wrong];
  for (const fault of faults) say(`fault ${JSON.stringify(fault)}`);
  process.exit();
}
