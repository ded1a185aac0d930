/**
 * Writes again and again, and prints how many megabytes of the heap collections of the young
 * generation leave; what the writes held takes 24 MB. Run with --expose-gc.
 */
import { memoryStore } from '../../../src/engines/local/kv/store/table-store.ts';
import { WriteQueue } from '../../../src/engines/local/kv/write-queue.ts';

const store = memoryStore();
const queue = new WriteQueue(store, { beforeCommit() {}, onRollback() {} });

async function write() {
  const rows = Array.from({ length: 10_000 }, (_, row) => ({ row }));
  await queue.enqueue(rows.length, 0, (writer) => {
    for (let i = 0; i < rows.length; i += 1000)
      writer.put(Uint8Array.of(0, 0, 0, 1, rows[i].row), Uint8Array.of(1));
  });
}

for (let i = 0; i < 20; i++) await write();
globalThis.gc();
const before = process.memoryUsage().heapUsed;
for (let i = 0; i < 60; i++) {
  await write();
  // The first collection moves what is alive, the second one moves it to the old generation.
  globalThis.gc({ type: 'minor' });
  globalThis.gc({ type: 'minor' });
}
console.log((process.memoryUsage().heapUsed - before) / 2 ** 20);
await store.close();
