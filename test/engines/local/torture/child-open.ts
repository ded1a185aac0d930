/** Opens directories at the same time as other processes: commands as lines, an answer to each. */
import { createInterface } from 'node:readline';
import type { Engine } from '../../../../src/storage.js';
import { openSmall } from './open-small.js';
import { counterKey, ensureTable, increment } from './rows.js';
import { codeOf, say } from './workload.js';

/** Commands: `open DIRECTORY`, which opens and counts, and `close`. */
export async function openDatabases(): Promise<void> {
  let engine: Engine | undefined;
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      if (line === 'close') {
        await engine?.close();
        engine = undefined;
        say('closed');
      } else {
        engine = await openSmall(line.slice('open '.length));
        await ensureTable(engine);
        say(`opened ${await increment(engine, counterKey(0))}`);
      }
    } catch (error) {
      say(`failed ${JSON.stringify(codeOf(error))}`);
    }
  }
}
