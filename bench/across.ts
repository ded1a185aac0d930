/**
 * `npm run bench -- bench/across.ts`: queries beyond one range, beside what a user writes by hand
 * without them, and beside the official client (`decode: false`, its metrics off); in memory, and
 * live on our server and on Google's emulator in separate processes. Options: --rows N (narrow rows,
 * default 20,000; a tenth as many wide ones), --only NAME (a name of the cases below), --json. The
 * exit code is 2 if a target was missed.
 */
import { benchOptions, progress, Results } from './results.js';
import { filterCases } from './across/filters.js';
import { openStores } from './across/stores.js';
import { whereCases } from './across/where.js';

const options = benchOptions(process.argv.slice(2), 20_000);
const results = new Results(options);
const stores = await openStores(options.rows);
for (const { name, run } of [...whereCases, ...filterCases]) {
  if (options.only.length > 0 && !options.only.includes(name.split('.')[0])) continue;
  for (const store of stores) {
    progress(`${name}.${store.name}`);
    await run(store, results);
  }
}
for (const store of stores) await store.close();
process.exit(results.finish({ rows: options.rows }));
