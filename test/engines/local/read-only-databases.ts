/** Databases that the suites of readOnly read beside their owners. */
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { type Engine, type RowMutation } from '../../../src/data/store/index.js';
import { set, utf8 } from '../conformance.js';

export const manyRows: RowMutation[] = Array.from({ length: 6000 }, (_, i) => ({
  key: utf8(`k${String(i).padStart(5, '0')}`),
  mutations: [set('a', 'q', `${i}`.repeat(20))],
}));

export const largeRows: RowMutation[] = [
  { key: utf8('wide'), mutations: [...Array(900).keys()].map((i) => set('b', `q${i}`, 'w')) },
  { key: utf8('large'), mutations: [set('a', 'l', 'L'.repeat(60_000))] },
  { key: utf8('x'.repeat(4096)), mutations: [set('a', 'q', 'in a bucket')] },
];

export async function filled(directory: string): Promise<Engine> {
  const engine = await openDiskEngine(directory, { durability: 'relaxed' });
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  });
  await engine.mutateRows('t', [...manyRows, ...largeRows]);
  await engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('k001') });
  return engine;
}
