/** One request with many changes of one row takes time in proportion to them, not to their square. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { everyKey } from '../../../src/base/index.js';
import { processorMs } from '../../support/processor-time.js';
import { set, utf8 } from '../conformance.js';

let engine: Engine;
const key = utf8('k');
beforeEach(async () => {
  engine = await openMemoryEngine();
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
});
afterEach(() => engine.close());

const read = () =>
  collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false }));
/** 0 to `count - 1`, shuffled: 7,919 is a prime that does not divide the counts used here. */
const shuffled = (count: number) => Array.from({ length: count }, (_, i) => (i * 7919) % count);

test('deletions of single versions of one column', async () => {
  const times = shuffled(20_000);
  await engine.mutateRow('t', {
    key,
    mutations: times.map((i) => set('a', 'q', `${i}`, (i + 1) * 1000)),
  });
  const mutations = times.slice(1).map(
    (i) =>
      ({
        kind: 'deleteFromColumn',
        family: 'a',
        qualifier: utf8('q'),
        start: (i + 1) * 1000,
        end: (i + 2) * 1000,
      }) as const,
  );
  expect(await processorMs(() => engine.mutateRow('t', { key, mutations }))).toBeLessThan(10_000);
  const [row] = await read();
  expect(row.cells.map(({ timestamp }) => timestamp)).toEqual([BigInt((times[0] + 1) * 1000)]);
});

test('increments of many columns', async () => {
  const rules = shuffled(30_000).map(
    (i) => ({ kind: 'increment', family: 'a', qualifier: utf8(`q${i}`), amount: 1n }) as const,
  );
  expect(await processorMs(() => engine.readModifyWriteRow('t', key, rules))).toBeLessThan(10_000);
  expect((await read())[0].cells).toHaveLength(30_000);
});

test('appends to one column', async () => {
  const text = 'x'.repeat(40);
  const rules = Array.from(
    { length: 40_000 },
    (_, i) =>
      ({ kind: 'append', family: 'a', qualifier: utf8('q'), value: utf8(`${i} ${text}`) }) as const,
  );
  await engine.mutateRow('t', { key, mutations: [set('a', 'q', 'old ')] });
  expect(await processorMs(() => engine.readModifyWriteRow('t', key, rules))).toBeLessThan(10_000);
  const expected = `old ${rules.map((_, i) => `${i} ${text}`).join('')}`;
  const [newest] = (await read())[0].cells;
  expect(Buffer.from(newest.value).toString() === expected).toBe(true);
});

test('rules that follow each other see their results', async () => {
  const append = (qualifier: string, value: string) =>
    ({ kind: 'append', family: 'a', qualifier: utf8(qualifier), value: utf8(value) }) as const;
  const row = await engine.readModifyWriteRow('t', key, [
    append('q', '\0\0\0\0\0\0'),
    append('p', 'p'),
    append('q', '\0\x05'),
    { kind: 'increment', family: 'a', qualifier: utf8('q'), amount: 2n },
    append('q', '!'),
    append('p', 'pp'),
  ]);
  const stored = (await read())[0].cells;
  for (const cells of [row.cells, stored])
    expect(cells.map(({ value }) => Buffer.from(value).toString())).toEqual([
      'ppp',
      '\0\0\0\0\0\0\0\x07!',
    ]);
});
