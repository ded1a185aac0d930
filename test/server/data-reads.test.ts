/** Reads of the Data API. */
import { status } from '@grpc/grpc-js';
import { shown } from '../engines/conformance.js';
import { dataServer } from './data-calls.js';
import { RawClient, setCell, tableName, utf8 } from './raw-client.js';

const { served, mutate, read } = dataServer();

const put = async (...keys: string[]) => {
  for (const key of keys)
    expect(await mutate(key, setCell('a', 'q', key))).toMatchObject({ code: status.OK });
};

describe('reads', () => {
  beforeEach(() => put('r1', 'r2', 'r3', 'r4', 'r5'));
  const keys = async (more: object) =>
    (await read(more)).map((line) => line.slice(0, line.indexOf('{')));
  const range = (...parts: object[]) => ({ rows: { rowRanges: parts } });

  test('E3: row sets', async () => {
    expect(await keys({})).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
    expect(await keys({ rows: {} })).toHaveLength(5);
    expect(
      await keys({ rows: { rowKeys: [utf8('r5'), utf8('r1'), utf8('r1'), utf8('none')] } }),
    ).toEqual(['r1', 'r5']);
    expect(
      await keys(
        range(
          { startKeyOpen: utf8('r1'), endKeyClosed: utf8('r3') },
          { startKeyClosed: utf8('r3'), endKeyOpen: utf8('r5') },
        ),
      ),
    ).toEqual(['r2', 'r3', 'r4']);
    expect(await keys(range({ startKeyClosed: utf8('r4'), endKeyOpen: utf8('') }))).toEqual([
      'r4',
      'r5',
    ]);
    for (const [start, end] of [
      ['Closed', 'Open'],
      ['Open', 'Closed'],
      ['Open', 'Open'],
    ])
      expect(
        await keys(range({ [`startKey${start}`]: utf8('r2'), [`endKey${end}`]: utf8('r2') })),
      ).toEqual([]);
    expect(
      await served.client.call('data', 'ReadRows', {
        tableName,
        ...range({ startKeyClosed: utf8('r4'), endKeyClosed: utf8('r2') }),
      }),
    ).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('start_key must be less than end_key'),
    });
  });

  test('E4, E5: limits count filtered rows, also of reversed reads', async () => {
    expect(await keys({ filter: { rowKeyRegexFilter: utf8('r[45]') }, rowsLimit: 1 })).toEqual([
      'r4',
    ]);
    expect(await keys({ reversed: true })).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(
      await keys({
        reversed: true,
        rowsLimit: 2,
        ...range({ startKeyOpen: utf8('r1'), endKeyClosed: utf8('r4') }),
      }),
    ).toEqual(['r4', 'r3']);
    expect(
      await served.client.call('data', 'ReadRows', { tableName, rowsLimit: -1 }),
    ).toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  test.each([
    ['no flags', ''],
    ['other flags', Buffer.of(0x20, 1, 0x30, 1).toString('base64url')],
    ['the flag, but false', Buffer.of(0x08, 0).toString('base64url')],
    ['bytes that are not a message', Buffer.of(0x08).toString('base64url')],
  ])('E5b: a reversed read of a client with %s is UNIMPLEMENTED', async (_what, flags) => {
    const client = new RawClient(served.server.address, { 'bigtable-features': flags });
    try {
      expect(await client.call('data', 'ReadRows', { tableName, reversed: true })).toMatchObject({
        code: status.UNIMPLEMENTED,
        details: expect.stringContaining('reverse_scans'),
        messages: [],
      });
      expect(shown(await client.rows({ tableName, reversed: false })).length).toBe(5);
    } finally {
      client.close();
    }
  });

  test('E3b: an empty key in row_keys is INVALID_ARGUMENT', async () => {
    const rows = { rowKeys: [utf8('r1'), utf8('')] };
    expect(await served.client.call('data', 'ReadRows', { tableName, rows })).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('Row keys must be non-empty'),
      messages: [],
    });
  });

  test('a missing table is NOT_FOUND, an invalid name INVALID_ARGUMENT', async () => {
    expect(
      await served.client.call('data', 'ReadRows', { tableName: `${tableName}x` }),
    ).toMatchObject({ code: status.NOT_FOUND, details: `Table not found: ${tableName}x` });
    expect(await mutateIn(`${tableName}x`)).toMatchObject({ code: status.NOT_FOUND });
    for (const name of ['', 't', 'projects/p/instances/i', 'projects/p/instances/i/backups/t']) {
      expect(await served.client.call('data', 'ReadRows', { tableName: name })).toMatchObject({
        code: status.INVALID_ARGUMENT,
      });
    }
    expect(
      await served.client.call('data', 'ReadRows', {
        tableName,
        materializedViewName: `${tableName.split('/tables/')[0]}/materializedViews/v`,
      }),
    ).toMatchObject({ code: status.UNIMPLEMENTED });
  });
  const mutateIn = (name: string) =>
    served.client.call('data', 'MutateRow', {
      tableName: name,
      rowKey: utf8('r'),
      mutations: [setCell('a', 'q', 'v')],
    });

  test('I5: an unknown family in a filter is NOT_FOUND, a pattern without matches returns nothing', async () => {
    expect(
      await served.client.call('data', 'ReadRows', {
        tableName,
        filter: { familyNameRegexFilter: 'nosuch' },
      }),
    ).toMatchObject({ code: status.NOT_FOUND });
    expect(await keys({ filter: { familyNameRegexFilter: 'nosuch.*' } })).toEqual([]);
    expect(await keys({ filter: { familyNameRegexFilter: 'a|b' } })).toHaveLength(5);
  });

  const compound = (filters: object[]) => ({ chain: { filters } });
  test.each<[string, object]>([
    ['a chain of one', compound([{ passAllFilter: true }])],
    ['an interleave of none', { interleave: {} }],
    ['a condition without a predicate', { condition: { trueFilter: { passAllFilter: true } } }],
    ['a condition without a branch', { condition: { predicateFilter: { passAllFilter: true } } }],
    ['pass_all = false', { passAllFilter: false }],
    ['block_all = false', { blockAllFilter: false }],
    ['strip = false', { stripValueTransformer: false }],
    ['sink = false', { sink: false }],
    [
      'a sink in a condition',
      { condition: { predicateFilter: { passAllFilter: true }, trueFilter: { sink: true } } },
    ],
    ['a row limit of 0', { cellsPerRowLimitFilter: 0 }],
    ['a column limit of 0', { cellsPerColumnLimitFilter: 0 }],
    ['a negative offset', { cellsPerRowOffsetFilter: -1 }],
    ['a label in capitals', { applyLabelTransformer: 'Foo' }],
    ['a label of 16 characters', { applyLabelTransformer: 'a'.repeat(16) }],
    [
      'two labels in a chain',
      compound([{ applyLabelTransformer: 'a' }, { applyLabelTransformer: 'b' }]),
    ],
    ['a broken pattern', { valueRegexFilter: utf8('[') }],
    ['a look-ahead', { valueRegexFilter: utf8('(?=x)') }],
    ['a family pattern with a colon', { familyNameRegexFilter: 'a:.*' }],
    ['a column range without a family', { columnRangeFilter: { startQualifierClosed: utf8('a') } }],
    [
      'timestamps finer than a millisecond',
      { timestampRangeFilter: { startTimestampMicros: 1500, endTimestampMicros: 2500 } },
    ],
    ['a sample with probability 1', { rowSampleFilter: 1 }],
    ['20,481 bytes', { valueRegexFilter: Buffer.alloc(20_478, 'a') }],
    [
      '21 levels',
      Array.from({ length: 20 }).reduce<object>(
        (inner) => compound([inner, { passAllFilter: true }]),
        { passAllFilter: true },
      ),
    ],
  ])('G, H, I: %s is INVALID_ARGUMENT', async (_what, filter) => {
    expect(await served.client.call('data', 'ReadRows', { tableName, filter })).toMatchObject({
      code: status.INVALID_ARGUMENT,
      messages: [],
    });
    // The server and the connection are still usable.
    expect(await keys({ rowsLimit: 1 })).toEqual(['r1']);
  });

  test('20 levels and 20,480 bytes are legal', async () => {
    const deep = Array.from({ length: 19 }).reduce<object>(
      (inner) => compound([inner, { passAllFilter: true }]),
      { passAllFilter: true },
    );
    expect(await keys({ filter: deep })).toHaveLength(5);
    expect(await keys({ filter: { valueRegexFilter: Buffer.alloc(20_000, 'a') } })).toEqual([]);
  });

  test('G8: cells that reach the sink are in the result, with their label', async () => {
    const sunk = compound([{ applyLabelTransformer: 'foo' }, { sink: true }]);
    const filter = compound([
      { familyNameRegexFilter: 'a' },
      { interleave: { filters: [{ passAllFilter: true }, sunk] } },
      { columnQualifierRegexFilter: utf8('none') },
    ]);
    const rows = await served.client.rows({ tableName, filter, rowsLimit: 1 });
    expect(rows.map(({ cells }) => cells.map(({ labels }) => labels))).toEqual([[['foo']]]);
  });

  test('responses have the server-timing header', async () => {
    const { headers } = await served.client.call('data', 'ReadRows', { tableName });
    expect(headers?.get('server-timing')).toEqual([expect.stringMatching(/^gfet4t7; dur=\d+$/)]);
    const written = await mutate('r9', setCell('a', 'q', 'v'));
    expect(written.headers?.get('server-timing')).toEqual([
      expect.stringMatching(/^gfet4t7; dur=\d+$/),
    ]);
  });

  test('SampleRowKeys ends with the empty key', async () => {
    const { messages } = await served.client.call('data', 'SampleRowKeys', { tableName });
    expect(messages.at(-1)).toEqual({ offsetBytes: expect.any(String) });
  });

  test('PingAndWarm', async () => {
    expect(
      await served.client.call('data', 'PingAndWarm', { name: 'projects/p/instances/i' }),
    ).toMatchObject({ code: status.OK });
    expect(await served.client.call('data', 'PingAndWarm', { name: 'p' })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  test('methods that are not offered return UNIMPLEMENTED', async () => {
    for (const [service, method] of [
      ['data', 'ReadChangeStream'],
      ['data', 'ExecuteQuery'],
      ['tables', 'UndeleteTable'],
      ['instances', 'CreateLogicalView'],
    ] as const) {
      expect(await served.client.call(service, method, {})).toMatchObject({
        code: status.UNIMPLEMENTED,
      });
    }
    expect(await keys({})).toHaveLength(5);
  });
});
