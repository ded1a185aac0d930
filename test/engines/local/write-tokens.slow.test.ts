/** The cost of tokens of writes does not grow with the number of tokens that are kept. */
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { memoryStore } from '../../../src/engines/local/kv/store/table-store.js';
import { set, utf8 } from '../conformance.js';
import { CountingStore } from './counting-store.js';

test('steps for each token, while 30,000 are kept', async () => {
  const store = new CountingStore(memoryStore());
  const engine = new LocalEngine('counted', store);
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const mutations = [set('a', 'q', 'v')];
  const perToken: number[] = [];
  for (let thousand = 0; thousand < 30; thousand++) {
    store.steps = 0;
    const rows = Array.from({ length: 1000 }, (_, at) => ({
      key: utf8(`r${at}`),
      mutations,
      token: utf8(`token-${thousand * 1000 + at}`),
    }));
    await engine.mutateRows('t', rows);
    // Sweeps yield to other calls.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    perToken.push(store.steps / 1000);
  }
  await engine.close();
  const mean = (steps: readonly number[]) => steps.reduce((a, b) => a + b) / steps.length;
  expect(mean(perToken.slice(15))).toBeLessThan(2 * mean(perToken.slice(1, 6)));
});
