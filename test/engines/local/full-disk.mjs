/**
 * Writes until the file reaches its maximum size, which the test has set, and prints what happened
 * and what can be read.
 */
import { openDiskEngine } from './engine.mjs';

const engine = await openDiskEngine(process.argv[2]);
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
const row = (at, size) => ({
  key: Buffer.from(`k${at + 1000}`),
  mutations: [
    {
      kind: 'setCell',
      family: 'a',
      qualifier: Buffer.from('q'),
      timestamp: 1000,
      value: Buffer.alloc(size, 97),
    },
  ],
});
let written = 0;
let code;
while (code === undefined) {
  await engine.mutateRow('t', row(written, 100_000)).then(
    () => written++,
    (error) => (code = error.code),
  );
}
const stream = engine.readRows({
  table: 't',
  ranges: [{ start: new Uint8Array(0) }],
  reversed: false,
});
let read = 0;
for (let page = await stream.next(); page !== undefined; page = await stream.next())
  while (page.nextRow())
    read += page.nextCell() && page.valueEnd - page.valueStart === 100_000 ? 1 : 1000;
await engine.dropRowRange('t', { kind: 'prefix', prefix: Buffer.from('k100') });
const again = await engine.mutateRow('t', row(0, 50_000)).then(
  () => 'written',
  (error) => error.code,
);
await engine.close();
console.log(JSON.stringify({ code, written, read, again }));
