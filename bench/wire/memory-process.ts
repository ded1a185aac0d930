/**
 * Reads all wide rows into an array in a separate process. Prints its peak memory in megabytes, and
 * the peak after the client was loaded, connected and had read one row: `official|ours|ours-pages
 * ADDRESS`.
 */
import { open } from '../../src/entities/repository/index.js';
import { Wide } from './entities.js';
import { memoryOf } from './processes.js';

const [client, address] = process.argv.slice(2);
let rows = 0;
let loaded = 0;
if (client === 'official') {
  // Imported here, so that our process does not load both clients.
  const { Official } = await import('./official.js');
  const official = new Official(address);
  await first(official.table('wide').createReadStream({ decode: false }));
  loaded = memoryOf(process.pid).peak;
  rows = (await official.getRows('wide')).length;
} else {
  const db = await open('bigtable://p/i', {
    entities: [Wide],
    bigtable: { emulatorHost: address },
  });
  const wide = db.repository(Wide);
  await first(wide.scanAll());
  loaded = memoryOf(process.pid).peak;
  if (client === 'ours') rows = (await wide.scanAll().all()).length;
  else for await (const page of wide.scanAll().pages()) rows += page.length;
}
console.log(`${rows} rows, ${memoryOf(process.pid).peak} MB, ${loaded} MB`);
process.exit(0);

/** Reads one row. */
async function first(rowsOf: AsyncIterable<unknown>): Promise<void> {
  for await (const row of rowsOf) if (row !== undefined) return;
}
