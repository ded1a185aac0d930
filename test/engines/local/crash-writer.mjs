/**
 * Writes rows until it is killed, and says each acknowledged one on stdout. Every row of generation
 * g holds g in all of its cells: some small, one large enough to lie apart, and many of them in one
 * family, so that a half-written row shows.
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
    // The even rows' family takes several chunks, and now and then none at all.
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
