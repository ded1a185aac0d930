/** Reads every wide row as an array in a process of its own, and prints the most memory it ever had, in megabytes: `official|ours|ours-pages ADDRESS`. */
import { open } from '../../src/repository/index.js';
import { Wide } from './entities.js';
import { Official } from './official.js';
import { memoryOf } from './processes.js';

const [who, address] = process.argv.slice(2);
let rows = 0;
if (who === 'official') rows = (await new Official(address).getRows('wide')).length;
else {
  const db = await open('bigtable://p/i', { entities: [Wide], bigtable: { emulatorHost: address } });
  const wide = db.repository(Wide);
  if (who === 'ours') rows = (await wide.scanAll().all()).length;
  else for await (const page of wide.scanAll().pages()) rows += page.length;
}
console.log(`${rows} rows, ${memoryOf(process.pid).peak} MB`);
process.exit(0);
