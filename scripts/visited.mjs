/**
 * Prints how many functions and files single calls visit, by layer of ARCHITECTURE.md: `npm run
 * visited`, `-- --live` over loopback to our server, which is another process and not counted. A
 * reader who follows the call passes all of them. `--list CALL` names the files and functions of one
 * call, `--json` prints everything for machines.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compileSources } from './compile-sources.mjs';
import { visitedBy } from './visited/coverage.mjs';
import { startServer } from './visited/server.mjs';
import { listOf, tableOf } from './visited/table.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, `.tmp/visited-${process.pid}`);
const { values } = parseArgs({
  options: {
    live: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'string' },
  },
});
process.once('exit', () => rmSync(out, { recursive: true, force: true }));
await compileSources(root, ['src', 'decorators', 'scripts/visited'], out);
/** @param {string} path */
const compiled = (path) => import(pathToFileURL(join(out, path)).href);
const { callsOf, openDatabase } = await compiled('scripts/visited/calls.js');
const { styleFor } = await compiled('src/cli/terminal/style.js');

const server = values.live ? await startServer(join(out, 'src/cli/main.js')) : undefined;
const visited = await measure();
server?.stop();
process.exitCode = print();

/** One call after the other. @returns {Promise<import('./visited/table.mjs').VisitedCall[]>} */
async function measure() {
  const db = await openDatabase(server?.address);
  const calls = [];
  for (const { name, prepare } of callsOf(db))
    calls.push({ name, files: await visitedBy(out, prepare) });
  await db.close();
  return calls;
}

function print() {
  const style = styleFor(process.stdout);
  const { list } = values;
  if (values.json) console.log(JSON.stringify({ live: values.live, calls: visited }, undefined, 1));
  else if (list === undefined) console.log(tableOf(visited, style));
  else {
    const call = visited.find(({ name }) => name === list);
    if (call === undefined) {
      console.error(`no call '${list}': ${visited.map(({ name }) => name).join('; ')}`);
      return 2;
    }
    console.log(listOf(call, style));
  }
  return 0;
}
