/**
 * What a write holds is garbage once it has been committed, already for a collection of the young
 * generation: rows of bulk writes that survive it are copied, which took a fifth of the time of a
 * write.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import { WriteQueue } from '../../../src/engines/local/kv/write-queue.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

test('writes are collected with the young generation', async () => {
  const store = new LoggedStore(new BlockStore(await openMemoryStore()));
  const queue = new WriteQueue(store, { beforeCommit() {}, onRollback() {} });
  const write = async (): Promise<void> => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ row: i }));
    await queue.enqueue(rows.length, 0, (writer) => {
      for (let i = 0; i < rows.length; i += 1000)
        writer.put(Uint8Array.of(0, 0, 0, 1, rows[i].row), Uint8Array.of(1));
    });
  };
  for (let i = 0; i < 20; i++) await write();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 60; i++) {
    await write();
    // The first collection moves what is alive, the second one moves it to the old generation.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
  }
  const kept = process.memoryUsage().heapUsed - before;
  // The rows of all writes take 24 MB.
  expect(kept / 2 ** 20).toBeLessThan(8);
  await store.close();
});
