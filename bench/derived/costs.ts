/**
 * `npm run bench -- bench/derived/costs.ts`: what indexes, unique values and rollups cost in the
 * situations in which they cost most. Parts, which `--only` selects: `bucket`, saves into one bucket
 * of a rollup; `bulk`, bulk writes beside the same by hand; `expired`, the first row of an index
 * behind entries of expired rows; `writers`, programs that write into one bucket; `failures`, the
 * memory of a bulk write whose rows all fail; `requests`, the requests of every write method. In
 * memory, on disk (not writers), and live to our server and Google's emulator in processes of their
 * own (bulk and writers; `bucket` if it is named): `--only memory`, `disk`, `ours`, `emulator`.
 * `--rows N`: saves into one bucket. `--json`.
 */
import { benchOptions, Results } from '../results.js';
import { startEmulator, startProgram } from '../wire/processes.js';
import { measureBackEnds } from './back-ends.js';
import { measureBucket } from './costs/bucket.js';
import { measureBulk } from './costs/bulk.js';
import { entities } from './costs/entities.js';
import { measureExpired, NewSession, Session } from './costs/expired.js';
import { measureFailures } from './costs/failures.js';
import { measureWriters } from './costs/writers.js';
import { countRequests } from './requests/count.js';
import { requestTables } from './requests/table.js';

const options = benchOptions(process.argv.slice(2), 4_000);
const results = new Results(options);
const named = (names: readonly string[]): readonly string[] =>
  options.only.filter((name) => names.includes(name));
const parts = ['bucket', 'bulk', 'expired', 'writers', 'failures', 'requests'];
const backEnds = ['memory', 'disk', 'ours', 'emulator'];
/** Whether a part or a back end is named, or none of its kind. */
const wants = (name: string): boolean =>
  [parts, backEnds].every(
    (kind) => !kind.includes(name) || named(kind).length === 0 || options.only.includes(name),
  );
const isLive = (name: string): boolean => name === 'ours' || name === 'emulator';

await measureBackEnds([...entities, Session, NewSession], wants, async (name, db) => {
  if (wants('bucket') && (!isLive(name) || options.only.includes('bucket')))
    await measureBucket(results, name, db, { rows: options.rows, rounds: isLive(name) ? 1 : 5 });
  if (wants('bulk')) await measureBulk(results, name, db);
  if (wants('expired')) await measureExpired(results, name, db, !isLive(name));
  await db.close();
});
if (wants('writers')) await measureAllWriters();
if (wants('failures') && wants('memory')) await measureFailures(results);
if (wants('requests') && wants('memory') && !options.json)
  console.log(requestTables(await countRequests()));
process.exit(results.finish({ saves: options.rows }));

async function measureAllWriters(): Promise<void> {
  if (wants('memory')) await measureWriters(results, 'memory', undefined);
  if (wants('ours')) {
    const server = await startProgram('server-process', 'ours', 'memory');
    await measureWriters(results, 'ours', server.address);
    await server.stop();
  }
  const emulator = wants('emulator') ? await startEmulator() : undefined;
  if (emulator === undefined) return;
  await measureWriters(results, 'emulator', emulator.address);
  await emulator.stop();
}
