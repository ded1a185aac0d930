/**
 * Writes a row for each line of its standard input, and prints `written` or the error. Closes the
 * database at the end of the input. Arguments: the directory, and the DiskTuning as JSON.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openDiskEngine } from './engine.mjs';

const engine = await openDiskEngine(process.argv[2], {}, JSON.parse(process.argv[3]));
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
for await (const line of createInterface({ input: process.stdin })) {
  const cell = {
    kind: 'setCell',
    family: 'a',
    qualifier: Buffer.from('q'),
    timestamp: 1000,
    value: Buffer.from(line),
  };
  const outcome = await engine.mutateRow('t', { key: Buffer.from('k'), mutations: [cell] }).then(
    () => 'written',
    (error) => error.code,
  );
  writeSync(1, `${outcome}\n`);
}
await engine.close();
