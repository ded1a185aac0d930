/** Opens the directory, writes a row, says so and waits until it is killed. */
import { writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { openDiskEngine } from './engine.mjs';

const engine = await openDiskEngine(process.argv[2]);
if ((await engine.listTables()).length === 0)
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
await engine.mutateRow('t', {
  key: Buffer.from('k'),
  mutations: [
    {
      kind: 'setCell',
      family: 'a',
      qualifier: Buffer.from('q'),
      timestamp: 1000,
      value: Buffer.from('v'),
    },
  ],
});
writeSync(1, 'held\n');
parentPort?.postMessage('held');
setInterval(() => undefined, 1000);
