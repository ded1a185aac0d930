/**
 * Writes rows until it is killed, and prints each acknowledged row to stdout. All cells of a row
 * hold its generation: some are small, one is an overflow value, and one family has several chunks,
 * so that a half-written row is detected.
 */
import { writeSync } from 'node:fs';
import { openDiskEngine } from './engine.mjs';

const [directory, round] = process.argv.slice(2);
const engine = await openDiskEngine(directory);
if ((await engine.listTables()).length === 0)
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['big', {}],
      ['many', {}],
      ['n', {}],
    ]),
  });
writeSync(1, 'ready\n');

const bytes = (text) => Buffer.from(text);
const set = (family, qualifier, value) => ({
  kind: 'setCell',
  family,
  qualifier: bytes(qualifier),
  timestamp: 1000,
  value: bytes(value),
});

async function writer(number) {
  for (let step = 1; ; step++) {
    const generation = `${round}.${step}.`;
    const key = bytes(`row-${number}-${step % 3}`);
    const mutations = [
      set('a', 'x', generation),
      set('a', 'y', generation),
      set('big', 'v', generation.repeat(number === 0 ? 3000 : 10)),
    ];
    // In even rows, the family has several chunks, and sometimes none at all.
    if (number % 2 === 0)
      mutations.push(
        ...(step % 5 === 0
          ? [{ kind: 'deleteFromFamily', family: 'many' }]
          : Array.from({ length: 300 }, (_, at) =>
              set('many', `q${at + 1000}`, generation.padEnd(60, '-')),
            )),
      );
    const results = await engine.mutateRows('t', [{ key, mutations }]);
    if (results[0] !== undefined) throw results[0];
    writeSync(1, `row ${key} ${generation}\n`);
    const counter = await engine.readModifyWriteRow('t', bytes(`counter-${number}`), [
      { kind: 'increment', family: 'n', qualifier: bytes('n'), amount: 1n },
    ]);
    writeSync(1, `count ${number} ${Buffer.from(counter.cells[0].value).readBigInt64BE()}\n`);
  }
}
await Promise.all([0, 1, 2, 3].map(writer));
