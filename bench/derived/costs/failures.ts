/** What a bulk write of rows that all fail holds: its result, and its memory while it runs. */
import { open } from '../../../src/index.js';
import type { Results } from '../../results.js';
import { Plain, valuesOf } from './entities.js';

const rows = 200_000;

interface Outcome {
  readonly failed: number;
  readonly failures: readonly unknown[];
}

/** Rows with values that are rejected before they are sent, and rows that exist. */
export async function measureFailures(results: Results): Promise<void> {
  const db = await open('memory:', { entities: [Plain] });
  const plain = db.repository(Plain);
  function* readings(items: number): Generator<Plain> {
    for (let n = 0; n < rows; n++) yield plain.create({ ...valuesOf('failures', 0, n), items });
  }
  const held = async (name: string, call: () => Promise<Outcome>): Promise<void> => {
    const before = heap();
    const { failed, failures } = await call();
    const megabytes = (heap() - before) / 1e6;
    if (failed !== rows) throw new Error(`${failed} rows failed.`);
    results.add({ name: `failures.${name}`, value: megabytes, unit: 'MB' });
    results.add({ name: `failures.${name}.listed`, value: failures.length, unit: 'failures' });
  };
  await held('items alone', async () => ({ failed: rows, failures: [...readings(1)] }));
  await held('invalid value', () => plain.saveMany(readings(1.5)));
  await plain.saveMany(readings(1));
  await held('row exists', () => plain.insertMany(readings(1)));
  await db.close();
}

/** Bytes that are in use after garbage collection. */
function heap(): number {
  for (let i = 0; i < 3; i++) gc!();
  return process.memoryUsage().heapUsed;
}
