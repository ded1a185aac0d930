/**
 * Writes commits until it is killed, and prints the number of each one that is acknowledged. A
 * commit writes the same number to rows that are far apart, so that merges write them in different
 * steps. The buffer is small, so that it is flushed all the time.
 */
import { writeSync } from 'node:fs';
import { openLogged } from './open-logged.ts';

const [directory, first, padding] = process.argv.slice(2);
const { store } = await openLogged(directory);
const key = (table, row) => Uint8Array.of(0, 0, 0, table, row >> 8, row & 0xff);

writeSync(1, 'ready\n');
for (let number = Number(first); ; number++) {
  const value = new Uint8Array(Number(padding) + (number % 7) * 50);
  new DataView(value.buffer).setUint32(0, number);
  const row = (number * 37) % 200;
  store.commit((writer) => {
    for (const table of [5, 6, 7]) {
      if (number % 5 === 0) writer.removeRange(key(table, row), key(table, row + 1));
      else writer.put(key(table, row), value);
    }
    writer.put(key(8, 0), value.subarray(0, 4));
  });
  writeSync(1, `${number}\n`);
  if (number % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  await store.ready();
}
