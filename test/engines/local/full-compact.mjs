/**
 * Compacts while the disk is full (simulated by a limit of the file size) and when it is not, and
 * prints the results for full-disk.slow.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDiskEngine } from './engine.mjs';

const [directory] = process.argv.slice(2);
let engine = await openDiskEngine(directory);
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
const row = (at) => ({
  key: Buffer.from(`k${at + 1000}`),
  mutations: [
    {
      kind: 'setCell',
      family: 'a',
      qualifier: Buffer.from('q'),
      timestamp: 1000,
      value: Buffer.alloc(20_000, 97),
    },
  ],
});
await engine.mutateRows(
  't',
  Array.from({ length: 300 }, (_, at) => row(at)),
);
// Closing writes what is in the log to a table.
await engine.close();
engine = await openDiskEngine(directory);
await engine.mutateRows(
  't',
  Array.from({ length: 100 }, (_, at) => ({
    key: row(at).key,
    mutations: [{ kind: 'deleteFromRow' }],
  })),
);

const limit = (bytes) =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
async function count() {
  const stream = engine.readRows({
    table: 't',
    ranges: [{ start: new Uint8Array(0) }],
    reversed: false,
  });
  let rows = 0;
  for (let page = await stream.next(); page !== undefined; page = await stream.next())
    while (page.nextRow())
      rows += page.nextCell() && page.valueEnd - page.valueStart === 20_000 ? 1 : 1000;
  return rows;
}
const compact = () =>
  engine.compact().then(
    ({ bytes }) => (bytes > 0 ? 'smaller' : 'same'),
    (error) => error.code,
  );

const tables = () => readdirSync(directory).filter((name) => name.startsWith('table.'));
const tableBytes = () =>
  tables().reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

const outcome = { before: await count() };
limit(1_000_000);
outcome.full = await compact();
outcome.afterFull = await count();
// The removals are in a table; what was merged of both is gone.
outcome.tables = tables().length;
limit('unlimited');
outcome.write = await engine.mutateRow('t', row(0)).then(
  () => 'written',
  (error) => error.code,
);
const size = tableBytes();
outcome.free = await compact();
outcome.shrank = tableBytes() < size;
outcome.after = await count();
await engine.close();
console.log(JSON.stringify(outcome));
