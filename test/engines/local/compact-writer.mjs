/**
 * Compacts in a loop while it writes rows, and prints the number of each acknowledged row, until
 * compact.slow.test.ts kills it.
 */
import { openDiskEngine } from './engine.mjs';

const [directory, from] = process.argv.slice(2);
const engine = await openDiskEngine(directory);
void (async () => {
  for (;;) await engine.compact();
})();
for (let at = Number(from); ; at++) {
  const mutations = [
    {
      kind: 'setCell',
      family: 'a',
      qualifier: Buffer.from('q'),
      timestamp: 1000,
      value: Buffer.from('v'),
    },
  ];
  await engine.mutateRow('t', { key: Buffer.from(`w${String(at).padStart(6, '0')}`), mutations });
  process.stdout.write(`${at}\n`);
}
