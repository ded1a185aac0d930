/**
 * `npm run bench -- bench/recovery.ts`: how long a database takes to open with 64 MiB in the log, as
 * after its process was killed, in commits of one row and of 10,000 rows.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskEngineOptions, openDiskEngine } from '../src/engines/local/index.js';
import { defaultLimits } from '../src/engines/local/kv/store/store-limits.js';
import { DataSet } from './data-set.js';
import { handKey, handValue } from './hand-codec.js';
import { benchOptions, Results } from './results.js';
import { scratchDirectory } from './stores.js';

const logBytes = 64 * 1024 * 1024;
/** No buffer is written to a table, and `close` leaves the log. */
const limits = { ...defaultLimits, buffer: 1e12, keptLog: 1e12 };
const engineOptions: DiskEngineOptions = { durability: 'relaxed', limits };
const options = benchOptions(process.argv.slice(2), 400_000);
const data = new DataSet(options.rows);
const results = new Results(options);
const qualifier = Buffer.from('status');

for (const [name, rowsOfCommit] of [
  ['one-row', 1],
  ['10000-rows', 10_000],
] as const) {
  const directory = scratchDirectory();
  const engine = await openDiskEngine(directory, engineOptions);
  await engine.createTable({ name: 'readings', families: new Map([['m', {}]]) });
  for (let from = 0; bytesOfLog(directory) < logBytes; from += 10_000)
    for (let at = from; at < from + 10_000; at += rowsOfCommit)
      await engine.mutateRows(
        'readings',
        Array.from({ length: rowsOfCommit }, (_, i) => rowOf(at + i)),
      );
  await engine.close();
  const started = performance.now();
  const opened = await openDiskEngine(directory, engineOptions);
  results.add({ name: `recovery.${name}`, value: performance.now() - started, unit: 'ms' });
  await opened.close();
}
process.exit(results.finish({ megabytes: logBytes / 1e6 }));

function bytesOfLog(directory: string): number {
  const names = readdirSync(directory).filter((name) => name.startsWith('log.'));
  return names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

function rowOf(index: number) {
  const row = data.reading(index % data.rows);
  const cell = { family: 'm', qualifier, timestamp: 1000, value: handValue(row.status!) };
  return { key: handKey(row), mutations: [{ kind: 'setCell', ...cell } as const] };
}
