/**
 * The data API over a real connection, with the status codes of production. Identifiers such as A1
 * are those of docs/data-model.md.
 */
import { status } from '@grpc/grpc-js';
import { shown } from '../engines/conformance.js';
import {
  createTestTable,
  RawClient,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
});
afterAll(() => served.close());
beforeEach(() =>
  served.client.unary('tables', 'DropRowRange', { name: tableName, deleteAllDataFromTable: true }),
);

const mutate = (rowKey: string | Buffer, ...mutations: object[]) =>
  served.client.call('data', 'MutateRow', { tableName, rowKey: Buffer.from(rowKey), mutations });
const read = async (more: object = {}): Promise<string[]> =>
  shown(await served.client.rows({ tableName, ...more }));
const put = async (...keys: string[]) => {
  for (const key of keys)
    expect(await mutate(key, setCell('a', 'q', key))).toMatchObject({ code: status.OK });
};

describe('writes', () => {
  test('A1: an empty row key is INVALID_ARGUMENT', async () => {
    const wrong = {
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('Row keys must be non-empty'),
    };
    expect(await mutate('', setCell('a', 'q', 'v'))).toMatchObject(wrong);
    expect(
      await served.client.call('data', 'ReadModifyWriteRow', {
        tableName,
        rules: [{ familyName: 'a', appendValue: utf8('x') }],
      }),
    ).toMatchObject(wrong);
    expect(
      await served.client.call('data', 'CheckAndMutateRow', {
        tableName,
        trueMutations: [setCell('a', 'q', 'v')],
      }),
    ).toMatchObject(wrong);
    expect(await read()).toEqual([]);
  });

  test('A2, A3: an unknown family is NOT_FOUND, and nothing is written to the row', async () => {
    const missing = { code: status.NOT_FOUND, details: 'Requested column family not found: zz' };
    expect(await mutate('r', setCell('a', 'q', 'v1'), setCell('zz', 'q', 'x'))).toMatchObject(
      missing,
    );
    expect(await mutate('r', { deleteFromFamily: { familyName: 'zz' } })).toMatchObject(missing);
    expect(await read()).toEqual([]);
  });

  test('A4, A5: each entry of MutateRows has its own status', async () => {
    const entries = [
      { rowKey: utf8('m1'), mutations: [setCell('a', 'q', '1')] },
      { rowKey: utf8('m2'), mutations: [setCell('a', 'q', '2'), setCell('zz', 'q', 'x')] },
      { rowKey: utf8('m3'), mutations: [] },
      { rowKey: utf8(''), mutations: [setCell('a', 'q', '4')] },
      { rowKey: utf8('m5'), mutations: [setCell('a', 'q', '5')] },
    ];
    const { code, messages } = await served.client.call('data', 'MutateRows', {
      tableName,
      entries,
    });
    expect(code).toBe(status.OK);
    const statuses = (
      messages as { entries: { index?: string; status: { code?: number } }[] }[]
    ).flatMap((message) => message.entries);
    const expected = [
      ['0', 0],
      ['1', status.NOT_FOUND],
      ['2', status.INVALID_ARGUMENT],
      ['3', status.INVALID_ARGUMENT],
      ['4', 0],
    ];
    expect(statuses.map(({ index = '0', status: { code: each = 0 } }) => [index, each])).toEqual(
      expected,
    );
    expect(await read()).toEqual(['m1{a:q@1000=1}', 'm5{a:q@1000=5}']);
    const empty = { tableName, entries: [{ rowKey: utf8('m') }] };
    expect(await served.client.call('data', 'MutateRows', empty)).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('No mutations provided'),
    });
  });

  test('A6, B: deletes in order and by range', async () => {
    for (const timestamp of [1000, 2000, 3000, 4000])
      await mutate('r', setCell('a', 'q', String(timestamp), timestamp));
    await mutate('r', {
      deleteFromColumn: {
        familyName: 'a',
        columnQualifier: utf8('q'),
        timeRange: { startTimestampMicros: 2000, endTimestampMicros: 4000 },
      },
    });
    expect(await read()).toEqual(['r{a:q@4000=4000 a:q@1000=1000}']);
    const inverted = {
      deleteFromColumn: {
        familyName: 'a',
        columnQualifier: utf8('q'),
        timeRange: { startTimestampMicros: 3000, endTimestampMicros: 1000 },
      },
    };
    expect(await mutate('missing', inverted)).toMatchObject({ code: status.INVALID_ARGUMENT });
    await mutate('r', { deleteFromRow: {} }, setCell('b', 'q', 'new', 500_000));
    expect(await read()).toEqual(['r{b:q@500000=new}']);
  });

  test('A8: timestamps', async () => {
    expect(
      await mutate(
        'r',
        setCell('a', 'none', 'v', 0),
        setCell('a', 'server', 'v', -1),
        setCell('a', 'last', 'v', '9223372036854775000'),
      ),
    ).toMatchObject({ code: status.OK });
    const [{ cells }] = await served.client.rows({ tableName });
    expect(cells.map(({ timestamp }) => timestamp)).toEqual([
      9223372036854775000n,
      0n,
      expect.any(BigInt),
    ]);
    expect(cells[2].timestamp % 1000n).toBe(0n);
    expect(Math.abs(Number(cells[2].timestamp / 1000n) - Date.now())).toBeLessThan(120_000);
    for (const wrong of [-2, 1001, '9223372036854775807'])
      expect(await mutate('r', setCell('a', 'q', 'v', wrong))).toMatchObject({
        code: status.INVALID_ARGUMENT,
      });
  });

  test('A8c: an unknown origin of a timestamp is UNIMPLEMENTED, in each call', async () => {
    const unknown = { ...setCell('a', 'q', 'v'), timestampOrigin: 3 };
    const rowKey = utf8('r');
    const calls = [
      await mutate('r', unknown),
      await served.client.call('data', 'CheckAndMutateRow', {
        tableName,
        rowKey,
        trueMutations: [unknown],
      }),
    ];
    expect(calls.map(({ code }) => code)).toEqual([status.UNIMPLEMENTED, status.UNIMPLEMENTED]);
    const { messages } = await served.client.call('data', 'MutateRows', {
      tableName,
      entries: [{ rowKey, mutations: [unknown] }],
    });
    expect(messages).toMatchObject([{ entries: [{ status: { code: status.UNIMPLEMENTED } }] }]);
    expect(await read()).toEqual([]);
  });

  test('A9: limits', async () => {
    expect(await mutate(Buffer.alloc(4096, 1), setCell('a', 'q', 'v'))).toMatchObject({
      code: status.OK,
    });
    expect(await mutate(Buffer.alloc(4097, 1), setCell('a', 'q', 'v'))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    expect(await mutate('r', setCell('a', 'q'.repeat(16_385), 'v'))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    const many = Array.from({ length: 50_001 }, () => ({ deleteFromRow: {} }));
    const entries = [
      { rowKey: utf8('x'), mutations: many },
      { rowKey: utf8('y'), mutations: many },
    ];
    expect(await served.client.call('data', 'MutateRows', { tableName, entries })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  test('A9b: a write that makes a row larger than 256 MiB is FAILED_PRECONDITION', async () => {
    const large = (qualifier: string, mebibytes: number) =>
      mutate('r', setCell('a', qualifier, Buffer.alloc(mebibytes * 1024 * 1024)));
    for (const qualifier of ['x', 'y'])
      expect(await large(qualifier, 90)).toMatchObject({ code: 0 });
    const tooLarge = { code: status.FAILED_PRECONDITION };
    expect(await large('z', 90)).toMatchObject(tooLarge);
    expect(await large('z', 60)).toMatchObject({ code: 0 });
    const cells = { filter: { stripValueTransformer: true } };
    expect(await read(cells)).toEqual(['r{a:x@1000= a:y@1000= a:z@1000=}']);
  }, 60_000);

  test('an empty or unknown mutation is rejected', async () => {
    expect(await mutate('r', {})).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await mutate('r')).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('No mutations provided'),
    });
  });

  test('C: read-modify-write', async () => {
    const write = (...rules: object[]) =>
      served.client.call('data', 'ReadModifyWriteRow', { tableName, rowKey: utf8('r'), rules });
    const increment = (incrementAmount: number) => ({
      familyName: 'a',
      columnQualifier: utf8('n'),
      incrementAmount,
    });
    const append = (familyName: string, text: string) => ({
      familyName,
      columnQualifier: utf8('s'),
      appendValue: utf8(text),
    });
    const first = await write(increment(5), append('b', 'abc'));
    const cell = (value: Buffer) => [{ timestampMicros: expect.any(String), value }];
    expect(first.messages).toEqual([
      {
        row: {
          key: utf8('r'),
          families: [
            {
              name: 'a',
              columns: [
                { qualifier: utf8('n'), cells: cell(Buffer.from('0000000000000005', 'hex')) },
              ],
            },
            { name: 'b', columns: [{ qualifier: utf8('s'), cells: cell(utf8('abc')) }] },
          ],
        },
      },
    ]);
    expect(
      (await write(increment(-7))).messages[0].row.families[0].columns[0].cells[0].value.toString(
        'hex',
      ),
    ).toBe('fffffffffffffffe');
    expect(
      await write({ familyName: 'b', columnQualifier: utf8('s'), incrementAmount: 1 }),
    ).toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(await write(append('b', 'x'), append('zz', 'x'))).toMatchObject({
      code: status.NOT_FOUND,
    });
    expect(await write()).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await write({ familyName: 'a', columnQualifier: utf8('s') })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    expect(await read({ filter: { columnQualifierRegexFilter: utf8('s') } })).toEqual([
      expect.stringMatching(/^r\{b:s@\d+=abc\}$/),
    ]);
  });

  test('D: check and mutate', async () => {
    const check = (more: object) =>
      served.client.call('data', 'CheckAndMutateRow', { tableName, rowKey: utf8('r'), ...more });
    expect(await check({})).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect((await check({ falseMutations: [setCell('a', 'q', 'created')] })).messages).toEqual([
      {},
    ]);
    expect((await check({ trueMutations: [setCell('a', 'p', 'there')] })).messages).toEqual([
      { predicateMatched: true },
    ]);
    expect(
      (
        await check({
          predicateFilter: { valueRegexFilter: utf8('created') },
          falseMutations: [setCell('a', 'x', 'no')],
        })
      ).messages,
    ).toEqual([{ predicateMatched: true }]);
    expect(
      await check({ trueMutations: [setCell('a', 'x', 'no'), setCell('zz', 'x', 'no')] }),
    ).toMatchObject({ code: status.NOT_FOUND });
    expect(await read()).toEqual(['r{a:p@1000=there a:q@1000=created}']);
  });

  test('K: aggregates', async () => {
    const value = (input: object) => ({
      familyName: 'sum',
      columnQualifier: { rawValue: utf8('n') },
      timestamp: { rawTimestampMicros: 1000 },
      input,
    });
    for (const intValue of [5, -7, 3])
      expect(await mutate('r', { addToCell: value({ intValue }) })).toMatchObject({
        code: status.OK,
      });
    expect(
      await mutate('r', {
        mergeToCell: value({ rawValue: Buffer.from('000000000000000a', 'hex') }),
      }),
    ).toMatchObject({ code: status.OK });
    expect((await served.client.rows({ tableName }))[0].cells[0].value).toEqual(
      new Uint8Array([0, 0, 0, 0, 0, 0, 0, 11]),
    );
    for (const wrong of [
      { addToCell: value({ rawValue: utf8('12345678') }) },
      { addToCell: { ...value({ intValue: 1 }), input: undefined } },
      { mergeToCell: value({ rawValue: utf8('short') }) },
      { addToCell: { ...value({ intValue: 1 }), familyName: 'a' } },
      setCell('sum', 'n', 'v'),
      { addToCell: { ...value({ intValue: 1 }), timestamp: { rawTimestampMicros: -1 } } },
    ])
      expect(await mutate('r', wrong)).toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

test('K4: the type of a value is checked, not ignored', async () => {
  const int64 = { int64Type: {} };
  const value = { intValue: 5 };
  const time = { rawTimestampMicros: 1000 };
  const column = { familyName: 'sum', columnQualifier: { rawValue: utf8('q') }, timestamp: time };
  const write = async (...mutations: object[]) => {
    const request = { tableName, rowKey: utf8('typed'), mutations };
    return (await served.client.call('data', 'MutateRow', request)).code;
  };
  const raw = (input: object) => ({ mergeToCell: { ...column, input } });
  const state = Buffer.alloc(8);
  for (const rejected of [
    { addToCell: { ...column, input: { ...value, type: { stringType: {} } } } },
    { addToCell: { ...column, input: { ...value, type: {} } } },
    // data.proto, Value.raw_value and raw_timestamp_micros: "The `type` field must be omitted".
    { addToCell: { ...column, input: value, timestamp: { ...time, type: int64 } } },
    {
      addToCell: {
        ...column,
        input: value,
        columnQualifier: { rawValue: utf8('q'), type: { bytesType: {} } },
      },
    },
    raw({ rawValue: state, type: int64 }),
    raw({ type: { stringType: {} } }),
  ])
    expect([rejected, await write(rejected)]).toEqual([rejected, status.INVALID_ARGUMENT]);
  const keys = { rows: { rowKeys: [utf8('typed')] } };
  expect(await served.client.rows({ tableName, ...keys })).toEqual([]);
  const typed = { addToCell: { ...column, input: { ...value, type: int64 } } };
  expect([await write(typed), await write(raw({ type: int64 }))]).toEqual([0, 0]);
  const [row] = await served.client.rows({ tableName, ...keys });
  expect(Buffer.from(row.cells[0].value).readBigInt64BE()).toBe(5n);
});

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
        authorizedViewName: `${tableName}/authorizedViews/v`,
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
      ['tables', 'CreateBackup'],
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
