/**
 * Arbitrary bytes in names and values, numbers beyond 2^53 and extreme timestamps are read as they
 * were written, on every backend.
 */
import { everyKey, pointRange } from '../../../src/base/index.js';
import {
  collectRows,
  type Cell,
  type Engine,
  type Filter,
  type Row,
} from '../../../src/data/store/index.js';
import { findEmulator } from '../../support/emulator.js';
import { openOverEmulator, openOverOurServer } from './live-backends.js';

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const int64 = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return new Uint8Array(bytes);
};

/** Names that are special in JavaScript, patterns and numbers, and bytes that are not UTF-8. */
const families = [
  'constructor',
  '__proto__',
  'toString',
  'a.b-c_d',
  '0',
  '42',
  '9x',
  'valueOf',
  'hasOwnProperty',
  '_',
  'Z',
];
const qualifiers = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  '0',
  '42',
  '007',
  '-1',
  '1e3',
  'a.b',
  'a/b',
  'a:b',
  'a b',
  '.*',
  '[a-z]+',
  '(?i)x',
  '^$',
  '\\',
  '\\C',
  '\\x00',
  '|',
  '{2}',
  '#',
  '$',
  '%',
  '\x00',
  '\x00\x00',
  '\n',
  '\r\n',
  '\xff',
  '\xff\xfe',
  '\xc3\xa9',
  '\xc3',
  '\xed\xa0\x80',
  'q\x00',
  'q',
  '\u0080',
].map(latin1);
const values = [
  new Uint8Array(0),
  latin1('v'),
  latin1('\x00'),
  latin1('\xff\xfe'),
  latin1('12345678'),
  new Uint8Array(8),
  new Uint8Array(8).fill(255),
  ...[2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n), 1n, -1n].map(
    int64,
  ),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
  new Uint8Array(70_000).fill(7),
];
const keys = [
  'a',
  'constructor',
  '__proto__',
  '0',
  '10',
  '9',
  'a.b',
  'a/b',
  '.*',
  '\\',
  '\x00',
  '\x00\x00',
  '\xff',
  '\xff\xff',
  '\xc3\xa9',
  '\xc3',
  '\xed\xa0\x80',
  'a\x00',
  'x'.repeat(4096),
  '\xff'.repeat(4096),
].map(latin1);
/** Minimum, maximum, milliseconds around 2^53 microseconds, and a current time. */
const timestamps = [
  0n,
  1000n,
  2n ** 53n - (2n ** 53n % 1000n),
  2n ** 53n - (2n ** 53n % 1000n) + 1000n,
  1_700_000_000_000_000n,
  9_223_372_036_854_775_000n,
];

const emulator = findEmulator();
type Open = () => Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }>;
const backends: Record<string, Open> = {
  'our server': () => openOverOurServer(),
  'our server, through the generated client': () =>
    openOverOurServer({}, { transport: 'generated' }),
};
if (emulator !== undefined) backends["Google's emulator"] = () => openOverEmulator(emulator);

/** Rows as text; the order of families is random in the emulator. */
function shown(rows: readonly Row[]): unknown[] {
  return rows.map(({ key, cells }) => [
    hex(key),
    cells
      .map(
        ({ family, qualifier, timestamp, value }) =>
          `${family}:${hex(qualifier)}@${timestamp}=${hex(value.slice(0, 300))}/${value.length}`,
      )
      .sort(),
  ]);
}

describe.each(Object.entries(backends))('%s', (_name, open) => {
  let engine: Engine;
  let close: () => Promise<void>;
  const read = async (filter?: Filter, key?: Uint8Array): Promise<Row[]> =>
    collectRows(
      engine.readRows({
        table: 't',
        ranges: [key === undefined ? everyKey : pointRange(key)],
        reversed: false,
        filter,
      }),
    );
  const write = (key: Uint8Array, cells: readonly Cell[]): Promise<void> =>
    engine.mutateRow('t', { key, mutations: cells.map((cell) => ({ kind: 'setCell', ...cell })) });
  beforeAll(async () => {
    ({ engine, close } = await open());
    await engine.createTable({
      name: 't',
      families: new Map(families.map((family) => [family, {}])),
    });
  });
  afterEach(() => engine.dropRowRange('t', { kind: 'all' }));
  afterAll(() => close());

  test('families are listed by their names', async () => {
    expect([...(await engine.listTables())[0].families.keys()].sort()).toEqual(
      [...families].sort(),
    );
  });

  test('qualifiers, values and timestamps', async () => {
    const cells = families.flatMap((family, f) =>
      qualifiers.flatMap((qualifier, q): Cell[] => [
        {
          family,
          qualifier,
          timestamp: timestamps[(f + q) % timestamps.length],
          value: values[(f * 5 + q) % values.length],
        },
      ]),
    );
    await write(latin1('k'), cells);
    expect(shown(await read())).toEqual(shown([{ key: latin1('k'), cells }]));
  });

  test('every value with every timestamp', async () => {
    const cells = timestamps.flatMap((timestamp) =>
      values.map((value, at): Cell => ({
        family: 'Z',
        qualifier: Uint8Array.of(at),
        timestamp,
        value,
      })),
    );
    await write(latin1('k'), cells);
    const [row] = await read();
    expect(shown([row])).toEqual(shown([{ key: latin1('k'), cells }]));
    const numbers = row.cells
      .filter(({ value }) => value.length === 8)
      .map(({ value }) => Buffer.from(value).readBigInt64BE());
    expect(new Set(numbers)).toEqual(
      new Set(
        values
          .filter(({ length }) => length === 8)
          .map((value) => Buffer.from(value).readBigInt64BE()),
      ),
    );
  });

  test('row keys, written in bulk and read one by one, in byte order', async () => {
    const cell = (at: number): Cell => ({
      family: 'Z',
      qualifier: latin1('q'),
      timestamp: 1000n,
      value: Uint8Array.of(at),
    });
    const results = await engine.mutateRows(
      't',
      keys.map((key, at) => ({ key, mutations: [{ kind: 'setCell', ...cell(at) }] })),
    );
    expect(results.filter((error) => error !== undefined)).toEqual([]);
    const sorted = keys
      .map((key, at): Row => ({ key, cells: [cell(at)] }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    expect(shown(await read())).toEqual(shown(sorted));
    for (const row of sorted) expect(shown(await read(undefined, row.key))).toEqual(shown([row]));
  });

  test('filters select exact columns and values', async () => {
    const cells = qualifiers.map((qualifier, at): Cell => ({
      family: '__proto__',
      qualifier,
      timestamp: 1000n,
      value: values[at % 15],
    })); // without the last value, which is too large for a filter
    await write(latin1('k'), cells);
    for (const cell of cells) {
      const column: Filter = {
        kind: 'columns',
        columns: [{ family: '__proto__', qualifiers: [cell.qualifier] }],
      };
      expect(shown(await read(column))).toEqual(shown([{ key: latin1('k'), cells: [cell] }]));
      const same = cells.filter(({ value }) => hex(value) === hex(cell.value));
      expect(shown(await read({ kind: 'valueEquals', value: cell.value }))).toEqual(
        shown([{ key: latin1('k'), cells: same }]),
      );
    }
  });

  test('deletions, increments and checks address exact columns', async () => {
    const column = (qualifier: Uint8Array) => ({ family: 'constructor', qualifier }) as const;
    await write(
      latin1('k'),
      qualifiers.map((qualifier) => ({
        ...column(qualifier),
        timestamp: 1000n,
        value: latin1('v'),
      })),
    );
    await engine.mutateRow('t', {
      key: latin1('k'),
      mutations: qualifiers
        .slice(0, 20)
        .map((qualifier) => ({ kind: 'deleteFromColumn', ...column(qualifier) })),
    });
    expect((await read())[0].cells.map(({ qualifier }) => hex(qualifier)).sort()).toEqual(
      qualifiers.slice(20).map(hex).sort(),
    );
    const { cells } = await engine.readModifyWriteRow(
      't',
      latin1('n'),
      qualifiers.map((qualifier) => ({
        kind: 'increment',
        ...column(qualifier),
        amount: 2n ** 62n,
      })),
    );
    expect(
      cells
        .map(({ family, qualifier, value }) => `${family} ${hex(qualifier)} ${hex(value)}`)
        .sort(),
    ).toEqual(
      qualifiers.map((qualifier) => `constructor ${hex(qualifier)} 4000000000000000`).sort(),
    );
    for (const qualifier of qualifiers.slice(20)) {
      const predicate: Filter = {
        kind: 'columns',
        columns: [{ family: 'constructor', qualifiers: [qualifier] }],
      };
      expect(
        await engine.checkAndMutateRow('t', {
          key: latin1('k'),
          predicate,
          onFalse: [{ kind: 'deleteFromRow' }],
          onTrue: [{ kind: 'deleteFromColumn', ...column(qualifier) }],
        }),
      ).toBe(true);
    }
    expect((await read()).map(({ key }) => hex(key))).toEqual([hex(latin1('n'))]);
  });
});
