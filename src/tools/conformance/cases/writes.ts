/** Writes of rows: mutations, timestamps, deletions. */
import { fromHex, toHex } from '../../../base/index.js';
import type { CaseGroup, ConformanceCase } from '../case.js';
import { equal, rejects } from '../assert.js';
import { deleteColumn, set, caseTable, utf8 } from '../rows.js';

const emptyKeys: ConformanceCase = {
  title: 'A1: an empty row key is rejected everywhere',
  async run({ engine, put, read }) {
    await rejects(put(''), 'INVALID_ARGUMENT');
    await rejects(
      engine.readModifyWriteRow(caseTable, utf8(''), [
        { kind: 'increment', family: 'a', qualifier: utf8('q'), amount: 1n },
      ]),
      'INVALID_ARGUMENT',
    );
    await rejects(
      engine.checkAndMutateRow(caseTable, { key: utf8(''), onFalse: [set('a', 'q', 'v')] }),
      'INVALID_ARGUMENT',
    );
    const [first, second] = await engine.mutateRows(caseTable, [
      { key: utf8(''), mutations: [set('a', 'q', 'v')] },
      { key: utf8('k'), mutations: [set('a', 'q', 'v')] },
    ]);
    equal([first?.code, second], ['INVALID_ARGUMENT', undefined]);
    equal(await read(), ['k{a:q@1000=v}']);
  },
};

const unknownFamilies: ConformanceCase = {
  title: 'A2, A3: an unknown family rejects the whole entry',
  async run({ engine, put, read }) {
    await rejects(put('k', set('a', 'q', 'v1'), set('zz', 'q', 'x')), 'FAMILY_NOT_FOUND');
    await rejects(put('k', { kind: 'deleteFromFamily', family: 'zz' }), 'FAMILY_NOT_FOUND');
    await rejects(
      put('k', { kind: 'deleteFromColumn', family: 'zz', qualifier: utf8('q') }),
      'FAMILY_NOT_FOUND',
    );
    await rejects(
      engine.readModifyWriteRow(caseTable, utf8('k'), [
        { kind: 'append', family: 'a', qualifier: utf8('s'), value: utf8('A') },
        { kind: 'append', family: 'zz', qualifier: utf8('s'), value: utf8('B') },
      ]),
      'FAMILY_NOT_FOUND',
    );
    equal(await read(), []);
  },
};

const independentRows: ConformanceCase = {
  title: 'A4, A5: each row of mutateRows is independent',
  async run({ engine, read }) {
    const results = await engine.mutateRows(caseTable, [
      { key: utf8('m1'), mutations: [set('a', 'q', '1')] },
      { key: utf8('m2'), mutations: [set('a', 'q', '2'), set('zz', 'q', 'x')] },
      { key: utf8('z1'), mutations: [] },
      { key: utf8('m3'), mutations: [set('a', 'q', '3')] },
    ]);
    equal(
      results.map((error) => error?.code),
      [undefined, 'FAMILY_NOT_FOUND', 'INVALID_ARGUMENT', undefined],
    );
    equal(await read(), ['m1{a:q@1000=1}', 'm3{a:q@1000=3}']);
  },
};

const mutationsInOrder: ConformanceCase = {
  title: 'A6: mutations of an entry apply in order',
  async run({ put, read }) {
    await put('k', set('a', 'q', 'x'), deleteColumn('q'), set('a', 'q', 'y', 2000));
    equal(await read(), ['k{a:q@2000=y}']);
    await put('k', { kind: 'deleteFromRow' }, set('b', 'q', 'new', 500_000));
    equal(await read(), ['k{b:q@500000=new}']);
    await put('k', set('a', 'q', 'x'), { kind: 'deleteFromRow' });
    equal(await read(), []);
  },
};

/** How far the clock of a service may be from ours, in milliseconds. */
const maxClockDifferenceMs = 600_000;

const timestamps: ConformanceCase = {
  title: 'A8: timestamps are whole milliseconds, or set from the clock',
  onService: { relaxed: 'the clock of the service is compared with ours, within ten minutes' },
  async run({ put, row, read, clock }) {
    for (const timestamp of [-2, 1001, 9223372036854775807n, 1.5])
      await rejects(put('k', set('a', 'q', 'v', timestamp)), 'INVALID_ARGUMENT');
    await put(
      'k',
      set('a', 'server', 'v', -1),
      set('a', 'last', 'v', 9223372036854775000n),
      set('a', 'zero', 'v', 0),
    );
    const { cells } = await row();
    const written = Number(cells[1]?.timestamp) / 1000;
    const now = clock?.now() ?? Date.now();
    const isNear = Number.isInteger(written) && Math.abs(written - now) <= maxClockDifferenceMs;
    const expected = clock === undefined && isNear ? written : now;
    equal(await read(), [`k{a:last@9223372036854775000=v a:server@${expected}000=v a:zero@0=v}`]);
  },
};

const emptyCells: ConformanceCase = {
  title: 'A10: qualifiers and values may be empty',
  async run({ engine, put, read }) {
    await put('k', set('a', '', ''));
    equal(await read(), ['k{a:@1000=}']);
    const matched = await engine.checkAndMutateRow(caseTable, {
      key: utf8('k'),
      onTrue: [set('b', 'q', 'v')],
    });
    equal(matched, true);
  },
};

const deletedRanges: ConformanceCase = {
  title: 'B1, B3, B4: a column is deleted within a range of timestamps',
  async run({ put, read }) {
    const versions = [1000, 2000, 3000, 4000].map((timestamp) =>
      set('a', 'q', `${timestamp / 1000}`, timestamp),
    );
    await put('x', ...versions, deleteColumn('q', 2000, 4000));
    await put('y', ...versions, deleteColumn('q', 0, 3000));
    await put('z', ...versions, deleteColumn('q', 3000));
    equal(await read(), [
      'x{a:q@4000=4 a:q@1000=1}',
      'y{a:q@4000=4 a:q@3000=3}',
      'z{a:q@2000=2 a:q@1000=1}',
    ]);
    for (const [start, end] of [
      [3000, 1000],
      [2000, 2000],
      [-1000, 1000],
      [1500, 2500],
    ])
      await rejects(put('missing', deleteColumn('q', start, end)), 'INVALID_ARGUMENT');
  },
};

const deletions: ConformanceCase = {
  title:
    'B5, B6, B8: deletions create no row, remove a row with its last cell, and do not mask later writes',
  async run({ engine, put, read }) {
    await put('none', { kind: 'deleteFromRow' }, deleteColumn('q'), {
      kind: 'deleteFromFamily',
      family: 'a',
    });
    equal(await read(), []);
    await put('x', set('a', 'q', 'v', 5000));
    await put('x', deleteColumn('q'));
    equal(await read({ limit: 1 }), []);
    const onFalse = [set('a', 'q', 'back', 1000)];
    equal(await engine.checkAndMutateRow(caseTable, { key: utf8('x'), onFalse }), false);
    equal(await read(), ['x{a:q@1000=back}']);
  },
};

const droppedPrefixes: ConformanceCase = {
  title: 'B9: rows are dropped by prefix',
  onService: { relaxed: 'dropped rows may be readable for up to a minute' },
  async run({ engine, rows, eventually }) {
    const keys = ['FE', 'FFFE', 'FFFF', 'FFFF01', '78', '7801', '79'].map((key) => fromHex(key)!);
    await engine.mutateRows(
      caseTable,
      keys.map((key) => ({ key, mutations: [set('a', 'q', 'v')] })),
    );
    await rejects(
      engine.dropRowRange(caseTable, { kind: 'prefix', prefix: new Uint8Array(0) }),
      'INVALID_ARGUMENT',
    );
    const left = async (): Promise<string[]> => (await rows()).map(({ key }) => toHex(key));
    await engine.dropRowRange(caseTable, { kind: 'prefix', prefix: utf8('x') });
    await engine.dropRowRange(caseTable, { kind: 'prefix', prefix: new Uint8Array([255, 255]) });
    await eventually(left, ['79', 'fe', 'fffe']);
    await engine.dropRowRange(caseTable, { kind: 'all' });
    await eventually(left, []);
  },
};

const reusedBuffers: ConformanceCase = {
  title: 'the caller may reuse its buffers at once',
  async run({ engine, read }) {
    const key = Buffer.from('key');
    const value = Buffer.from('value');
    const written = engine.mutateRow(caseTable, {
      key,
      mutations: [{ kind: 'setCell', family: 'a', qualifier: key, timestamp: 1000, value }],
    });
    key.fill(0);
    value.fill(0);
    await written;
    equal(await read(), ['key{a:key@1000=value}']);
  },
};

export const writes: CaseGroup = {
  title: 'Writes',
  cases: [
    emptyKeys,
    unknownFamilies,
    independentRows,
    mutationsInOrder,
    timestamps,
    emptyCells,
    deletedRanges,
    deletions,
    droppedPrefixes,
    reusedBuffers,
  ],
};
