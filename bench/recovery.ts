/**
 * `npm run bench -- bench/recovery.ts`: how long a database takes to open after its process was
 * killed with 64 MiB in the log, in commits of one row and of 10,000 rows.
 */
import { join } from 'node:path';
import { BlockStore } from '../src/engines/local/kv/block/block-store.js';
import { CheckedStore } from '../src/engines/local/kv/checked-store.js';
import { openDiskStore } from '../src/engines/local/kv/disk/disk-store.js';
import type { LoggedStore } from '../src/engines/local/kv/log/logged-store.js';
import { openLoggedStore } from '../src/engines/local/kv/log/open-logged-store.js';
import { rowStoreKey } from '../src/engines/local/kv/store-key.js';
import { DataSet } from './data-set.js';
import { handKey, handValue } from './hand-codec.js';
import { benchOptions, Results } from './results.js';
import { scratchDirectory } from './stores.js';

const logBytes = 64 * 1024 * 1024;
const limits = { checkpoint: 1e12, idle: 1e12, buffer: 1e12, minStep: 1, maxStep: 1, direct: 1e12 };
const options = benchOptions(process.argv.slice(2), 400_000);
const data = new DataSet(options.rows);
const results = new Results(options);

for (const [name, rowsOfCommit] of [
  ['one-row', 1],
  ['10000-rows', 10_000],
] as const) {
  const directory = scratchDirectory();
  const store = await openStore(directory);
  let bytes = 0;
  for (let from = 0; bytes < logBytes; from += rowsOfCommit) {
    store.commit((writer) => {
      for (let i = from; i < from + rowsOfCommit; i++) {
        const row = data.reading(i % data.rows);
        const [key, value] = [rowStoreKey(1, handKey(row)), handValue(row.status!)];
        writer.put(key, value);
        bytes += 6 + key.length + value.length + (rowsOfCommit === 1 ? 28 : 0);
      }
    });
  }
  await store.close();
  const started = performance.now();
  const opened = await openStore(directory);
  results.add({ name: `recovery.${name}`, value: performance.now() - started, unit: 'ms' });
  await opened.close();
}
process.exit(results.finish({ megabytes: logBytes / 1e6 }));

async function openStore(directory: string): Promise<LoggedStore> {
  const disk = await openDiskStore(join(directory, 'data.mdb'), 'relaxed');
  const base = new BlockStore(new CheckedStore(disk, directory));
  return openLoggedStore(base, directory, 'relaxed', { limits });
}
