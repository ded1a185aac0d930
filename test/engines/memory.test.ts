import { everyKey, pointRange } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { LocalEngine } from '../../src/engines/local/local-engine.js';
import { memoryStore } from '../../src/engines/local/kv/store/table-store.js';
import { collectRows, type Filter, type ReadPlan } from '../../src/data/store/index.js';
import { describeEngine, read, set, utf8 } from './conformance.js';
import { CountingStore } from './local/counting-store.js';

describeEngine('the engine in memory', async (clock) => {
  const engine = await openMemoryEngine({ clock });
  return { engine, close: () => engine.close() };
});

describe('the pairs that a read visits', () => {
  const stepsOf = async (rows: number, plan: Partial<ReadPlan>) => {
    const store = new CountingStore(memoryStore());
    const engine = new LocalEngine('counting:', store);
    await engine.createTable({
      name: 't',
      families: new Map([
        ['a', {}],
        ['big', {}],
      ]),
    });
    await engine.mutateRows(
      't',
      Array.from({ length: rows }, (_, at) => ({
        key: utf8(`r${at + 100_000}`),
        mutations: [set('a', 'q', 'v')],
      })),
    );
    await engine.mutateRow('t', {
      key: utf8('r100500'),
      mutations: Array.from({ length: 2000 }, (_, at) =>
        set('big', `q${at + 1000}`, 'x'.repeat(40)),
      ),
    });
    store.steps = 0;
    const found = await collectRows(
      engine.readRows({ table: 't', ranges: [everyKey], reversed: false, ...plan }),
    );
    await engine.close();
    return [found.length, store.steps];
  };

  test.each([
    ['a limit', { limit: 1 }, 1],
    ['a limit, reversed', { limit: 1, reversed: true }, 1],
    ['a point', { ranges: [pointRange(utf8('r100007'))], limit: 1 }, 1],
    ['a limit after a start', { ranges: [{ start: utf8('r100300') }], limit: 3 }, 3],
  ] as const)(
    '%s takes the same number of steps in tables of any size',
    async (_name, plan, rows) => {
      const small = await stepsOf(1000, plan);
      const large = await stepsOf(6_000, plan);
      expect(large).toEqual(small);
      expect(small).toEqual([rows, rows]);
    },
  );

  test('one column of a large family loads one chunk, and other families none', async () => {
    const ranges = [pointRange(utf8('r100500'))];
    expect(
      await stepsOf(1000, { ranges, limit: 1, filter: { kind: 'families', families: ['a'] } }),
    ).toEqual([1, 1]);
    expect(
      await stepsOf(1000, {
        ranges,
        limit: 1,
        filter: { kind: 'columns', columns: [{ family: 'big', qualifiers: [utf8('q1777')] }] },
      }),
    ).toEqual([1, 2]);
  });

  test('the first cell of a row loads one chunk, and counting rows none but the first of each', async () => {
    const first = {
      kind: 'chain',
      filters: [
        { kind: 'families', families: ['big'] },
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'stripValue' },
      ],
    } as const;
    expect(
      await stepsOf(1000, { ranges: [pointRange(utf8('r100500'))], limit: 1, filter: first }),
    ).toEqual([1, 2]);
    // A scan of n rows takes n + 1 steps: the last finds the end.
    expect(
      await stepsOf(1000, {
        filter: {
          kind: 'chain',
          filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
        },
      }),
    ).toEqual([1000, 1001]);
  });

  test.each([
    [
      'after other filters',
      [
        { kind: 'cellsPerColumn', count: 1 },
        { kind: 'cellsPerRow', count: 1 },
      ],
      ['r{a:p@2000=1}'],
    ],
    [
      'before a filter of versions',
      [
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'cellsPerColumn', count: 1 },
      ],
      ['r{a:p@2000=1}'],
    ],
    [
      'before a filter of families',
      [
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'families', families: ['b'] },
      ],
      [],
    ],
    [
      'after a filter of columns',
      [
        { kind: 'columns', columns: [{ family: 'a', qualifiers: [utf8('q')] }] },
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'stripValue' },
      ],
      ['r{a:q@1000=}'],
    ],
    [
      'twice',
      [
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'cellsPerRow', count: 2 },
      ],
      ['r{a:p@2000=1}'],
    ],
  ] as [string, Filter[], string[]][])(
    'the first cell of a row, %s',
    async (_name, filters, rows) => {
      const engine = await openMemoryEngine();
      await engine.createTable({
        name: 't',
        families: new Map([
          ['a', {}],
          ['b', {}],
        ]),
      });
      await engine.mutateRow('t', {
        key: utf8('r'),
        mutations: [
          set('a', 'p', '1', 2000),
          set('a', 'p', '0'),
          set('a', 'q', '2'),
          set('b', 'q', '3'),
        ],
      });
      expect(await read(engine, { filter: { kind: 'chain', filters } })).toEqual(rows);
      await engine.close();
    },
  );
});
