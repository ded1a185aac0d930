/**
 * Writes rows of one generation each until its standard input ends: small ones, wide ones and ones
 * with large values. All of them change in every round. Compacts now and then. With
 * `small` as second argument, 3,000 small rows in commits of 100.
 */
import { writeSync } from 'node:fs';
import { openDiskEngine } from './engine.mjs';

const engine = await openDiskEngine(process.argv[2], { durability: 'relaxed' });
await engine.createTable({
  name: 't',
  families: new Map([
    ['a', {}],
    ['many', {}],
  ]),
});
const cell = (family, qualifier, value) => ({
  kind: 'setCell',
  family,
  qualifier: Buffer.from(qualifier),
  timestamp: 1000,
  value: Buffer.from(value),
});
let isEnded = false;
process.stdin.resume().on('end', () => (isEnded = true));
const isSmall = process.argv[3] === 'small';
for (let generation = 1; !isEnded && isSmall; generation++) {
  const text = `${generation}`.padEnd(60, '.');
  for (let from = 0; from < 3000; from += 100) {
    const rows = Array.from({ length: 100 }, (_, i) => ({
      key: Buffer.from(`row${10_000 + from + i}`),
      mutations: [cell('a', 'q', text), cell('a', 'r', text)],
    }));
    await engine.mutateRows('t', rows);
  }
  if (generation === 1) writeSync(1, 'written\n');
}
for (let generation = 1; !isEnded && !isSmall; generation++) {
  const text = `${generation}`.padEnd(60, '.');
  const rows = Array.from({ length: 60 }, (_, i) => {
    const mutations = [{ kind: 'deleteFromRow' }, cell('a', 'q', text)];
    if (i % 3 === 1)
      for (let c = 0; c < 300; c++) mutations.push(cell('many', `q${c + 1000}`, text));
    if (i % 3 === 2)
      for (let c = 0; c < 3; c++)
        mutations.push(cell('a', `large${c}`, text.repeat(200 + 100 * c)));
    return { key: Buffer.from(`row${i + 100}`), mutations };
  });
  for (const row of rows) void engine.mutateRow('t', row);
  await engine.mutateRow('t', { key: Buffer.from('last'), mutations: [cell('a', 'q', text)] });
  if (generation === 1) writeSync(1, 'written\n');
  if (generation % 20 === 0) await engine.compact();
}
await engine.close();
