/** What the result of a bulk write holds if every row fails. */
import { open } from '../../../src/index.js';
import type { Results } from '../../results.js';
import { Plain, valuesOf } from './entities.js';

const rows = 200_000;

/** Rows with values that are rejected before they are sent, and rows that exist. */
export async function measureFailures(results: Results): Promise<void> {
  const db = await open('memory:', { entities: [Plain] });
  const plain = db.repository(Plain);
  function* readings(items: number): Generator<Plain> {
    for (let n = 0; n < rows; n++) yield plain.create({ ...valuesOf('failures', 0, n), items });
  }
  const held = async (name: string, call: () => Promise<{ failed: readonly unknown[] }>) => {
    const before = heap();
    const result = await call();
    const megabytes = (heap() - before) / 1e6;
    if (result.failed.length !== rows) throw new Error(`${result.failed.length} rows failed.`);
    results.add({ name: `failures.${name}`, value: megabytes, unit: 'MB' });
    results.add({ name: `failures.${name}.row`, value: (megabytes * 1e6) / rows, unit: 'bytes' });
  };
  await held('items alone', () => Promise.resolve({ failed: [...readings(1)] }));
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
