/** Changes that depend on what is stored: increments, appends, checks, aggregates. */
import type { Filter, Mutation } from '../../../data/store/index.js';
import { fromHex, pointRange, toHex } from '../../../base/index.js';
import type { CaseGroup, ConformanceCase } from '../case.js';
import { equal, rejects } from '../assert.js';
import { set, shown, caseTable, utf8 } from '../rows.js';

const incrementsAndAppends: ConformanceCase = {
  title: 'C: increments and appends',
  async run({ engine, read }) {
    const key = utf8('k');
    const increment = async (amount: bigint, qualifier = 'n') => {
      const { cells } = await engine.readModifyWriteRow(caseTable, key, [
        { kind: 'increment', family: 'a', qualifier: utf8(qualifier), amount },
      ]);
      return toHex(cells[0]?.value ?? utf8(''));
    };
    const append = async (value: string, qualifier: string) => {
      const { cells } = await engine.readModifyWriteRow(caseTable, key, [
        { kind: 'append', family: 'a', qualifier: utf8(qualifier), value: fromHex(value)! },
      ]);
      return cells.length;
    };
    equal(await increment(5n), '0000000000000005');
    equal(await increment(-7n), 'fffffffffffffffe');
    equal(await increment(2n ** 63n - 1n), '7ffffffffffffffd');
    equal(await increment(5n), '8000000000000002');
    equal(await append('000000', 'i'), 1);
    await append('0000000011', 'i');
    equal(await increment(8n, 'i'), '0000000000000019');
    await append('', 'empty');
    await rejects(increment(1n, 'empty'), 'FAILED_PRECONDITION');
    await rejects(engine.readModifyWriteRow(caseTable, key, []), 'INVALID_ARGUMENT');
    await rejects(
      engine.readModifyWriteRow(caseTable, utf8('other'), [
        { kind: 'append', family: 'a', qualifier: utf8('x'), value: utf8('12345') },
        { kind: 'increment', family: 'a', qualifier: utf8('x'), amount: 1n },
      ]),
      'FAILED_PRECONDITION',
    );
    equal(await read({ ranges: [pointRange(utf8('other'))] }), []);
  },
};

const newerResults: ConformanceCase = {
  title: 'C7: the result is never older than the cell it replaces',
  async run({ engine, put, read }) {
    await put('k', set('a', 'q', 'v', 9_000_000_000_000_000));
    const row = await engine.readModifyWriteRow(caseTable, utf8('k'), [
      { kind: 'append', family: 'a', qualifier: utf8('q'), value: utf8('w') },
    ]);
    equal(shown([row]), ['k{a:q@9000000000000000=vw}']);
    equal(await read(), ['k{a:q@9000000000000000=vw}']);
  },
};

const checks: ConformanceCase = {
  title: 'D: check and mutate',
  async run({ engine, read }) {
    const key = utf8('k');
    const predicate: Filter = {
      kind: 'chain',
      filters: [
        { kind: 'columns', columns: [{ family: 'a', qualifiers: [utf8('q')] }] },
        { kind: 'cellsPerColumn', count: 1 },
        { kind: 'valueEquals', value: utf8('1') },
      ],
    };
    const set1 = (value: string) =>
      engine.checkAndMutateRow(caseTable, { key, onFalse: [set('a', 'q', value)] });
    const replace1 = (value: string, timestamp: number) =>
      engine.checkAndMutateRow(caseTable, {
        key,
        predicate,
        onTrue: [set('a', 'q', value, timestamp)],
      });
    await rejects(engine.checkAndMutateRow(caseTable, { key }), 'INVALID_ARGUMENT');
    equal(await set1('1'), false);
    equal(await set1('2'), true);
    equal(await replace1('3', 2000), true);
    equal(await replace1('4', 3000), false);
    const onTrue = [set('a', 'q', 'ok', 4000), set('zz', 'q', 'x')];
    await rejects(engine.checkAndMutateRow(caseTable, { key, onTrue }), 'FAMILY_NOT_FOUND');
    equal(await read(), ['k{a:q@2000=3 a:q@1000=1}']);
  },
};

const aggregates: ConformanceCase = {
  title: 'K: aggregates',
  async run({ engine, put, row }) {
    const add = (family: string, input: bigint): Mutation => ({
      kind: 'addToCell',
      family,
      qualifier: utf8('q'),
      timestamp: 1000,
      input,
    });
    for (const input of [5n, -7n, 3n])
      await put('k', add('sum', input), add('min', input), add('max', input));
    const results = (await row()).cells.map(({ family, value }) => `${family}=${toHex(value)}`);
    equal(results.sort(), ['max=0000000000000005', 'min=fffffffffffffff9', 'sum=0000000000000001']);
    const mutations = [set('a', 'q', 'v'), add('sum', 2n)];
    const rows = ['new', 'newer'].map((key) => ({ key: utf8(key), mutations }));
    equal(await engine.mutateRows(caseTable, rows), [undefined, undefined]);
    const { cells } = await row({ ranges: [pointRange(utf8('new'))] });
    equal(cells.map(({ family }) => family).sort(), ['a', 'sum']);
    await rejects(put('k', set('sum', 'q', 'v')), 'INVALID_ARGUMENT');
    await rejects(put('k', add('a', 1n)), 'INVALID_ARGUMENT');
    await rejects(put('k', { ...add('sum', 1n), timestamp: -1 } as Mutation), 'INVALID_ARGUMENT');
    await rejects(
      engine.readModifyWriteRow(caseTable, utf8('k'), [
        { kind: 'increment', family: 'sum', qualifier: utf8('q'), amount: 1n },
      ]),
      'INVALID_ARGUMENT',
    );
  },
};

const concurrentWrites: ConformanceCase = {
  title: 'concurrent writes of one row are all applied',
  async run({ engine, put, row }) {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0
          ? engine.readModifyWriteRow(caseTable, utf8('k'), [
              { kind: 'increment', family: 'a', qualifier: utf8('n'), amount: 1n },
            ])
          : put('k', set('b', `${at}`, 'v')),
      ),
    );
    const { cells } = await row({ filter: { kind: 'cellsPerColumn', count: 1 } });
    const counter = cells.find(({ family }) => family === 'a');
    equal([toHex(counter?.value ?? utf8('')), cells.length], ['0000000000000019', 26]);
  },
};

export const changes: CaseGroup = {
  title: 'Changes of stored values',
  cases: [incrementsAndAppends, newerResults, checks, aggregates, concurrentWrites],
};
