/**
 * The data API over a real connection, with the status codes of production. docs/data-model.md
 * defines identifiers such as A1.
 */
import { status } from '@grpc/grpc-js';
import { dataServer } from './data-calls.js';
import { setCell, tableName, utf8 } from './raw-client.js';

const { served, mutate, read } = dataServer();

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
