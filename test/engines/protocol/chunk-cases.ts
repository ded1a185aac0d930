/**
 * Streams of CellChunks and the rows they contain, or why they violate the protocol
 * (google/bigtable/v2/bigtable.proto, ReadRowsResponse.CellChunk). Readings of a harbour: row keys
 * are devices, families are `meta`, `tide` and `wind`.
 */

/** One CellChunk. Fields that are left out are not sent. Text is Latin-1, one byte a character. */
export interface ChunkSpec {
  readonly key?: string;
  readonly family?: string;
  readonly qualifier?: string;
  readonly timestamp?: bigint | number;
  readonly labels?: readonly string[];
  readonly value?: string;
  readonly valueSize?: number;
  readonly commit?: boolean;
  readonly reset?: boolean;
}

/** A stream of chunks and what it contains. */
export interface ChunkCase {
  readonly name: string;
  readonly reversed?: boolean;
  readonly chunks: readonly ChunkSpec[];
  /**
   * The complete rows, including rows before an error: the key, then each cell as
   * `family:qualifier@timestamp=value [labels]`.
   */
  readonly rows: readonly (readonly [key: string, ...cells: string[]])[];
  /** Part of the error's text, for a stream that violates the protocol. */
  readonly error?: string;
}

/** The first chunk of the row `buoy-07`. */
const height = {
  key: 'buoy-07',
  family: 'tide',
  qualifier: 'height',
  timestamp: 7000,
  value: '1.84 m',
} as const;
const heightRow = ['buoy-07', 'tide:height@7000=1.84 m'] as const;

/** The first chunk of `buoy-12`, the next row. */
const speed = {
  key: 'buoy-12',
  family: 'wind',
  qualifier: 'speed',
  timestamp: 9000,
  value: '11 kn',
} as const;
const speedRow = ['buoy-12', 'wind:speed@9000=11 kn'] as const;

const oneRow: readonly ChunkCase[] = [
  { name: 'no chunks', chunks: [], rows: [] },
  { name: 'one cell', chunks: [{ ...height, commit: true }], rows: [heightRow] },
  {
    name: 'a missing timestamp is 0',
    chunks: [
      { key: 'buoy-07', family: 'tide', qualifier: 'height', value: '1.84 m', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@0=1.84 m']],
  },
  {
    name: 'a missing value is empty',
    chunks: [{ key: 'buoy-07', family: 'tide', qualifier: 'alarm', timestamp: 7000, commit: true }],
    rows: [['buoy-07', 'tide:alarm@7000=']],
  },
  {
    name: 'a value field without bytes',
    chunks: [{ ...height, value: '', commit: true }],
    rows: [['buoy-07', 'tide:height@7000=']],
  },
  {
    name: 'an empty qualifier is a column',
    chunks: [
      { ...height, qualifier: '' },
      { qualifier: 'low', value: '0.3 m' },
      { qualifier: '', value: 'x', commit: true },
    ],
    rows: [['buoy-07', 'tide:@7000=1.84 m', 'tide:low@0=0.3 m', 'tide:@0=x']],
  },
  {
    name: 'several versions of a column',
    chunks: [
      height,
      { timestamp: 5000, value: '1.71 m' },
      { timestamp: 2000, value: '1.66 m', commit: true },
    ],
    rows: [
      ['buoy-07', 'tide:height@7000=1.84 m', 'tide:height@5000=1.71 m', 'tide:height@2000=1.66 m'],
    ],
  },
  {
    name: 'a qualifier without a family is in the same family',
    chunks: [height, { qualifier: 'trend', timestamp: 6000, value: 'rising', commit: true }],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'tide:trend@6000=rising']],
  },
  {
    name: 'another family',
    chunks: [
      height,
      { family: 'wind', qualifier: 'gust', timestamp: 6000, value: '19 kn', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'wind:gust@6000=19 kn']],
  },
  {
    name: 'a version after a change of the column is in the new column',
    chunks: [
      height,
      { family: 'wind', qualifier: 'gust', timestamp: 6000, value: '19 kn' },
      { timestamp: 4000, value: '23 kn', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'wind:gust@6000=19 kn', 'wind:gust@4000=23 kn']],
  },
  {
    name: 'timestamps are not inherited from the cell before',
    chunks: [height, { qualifier: 'trend', value: 'rising', commit: true }],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'tide:trend@0=rising']],
  },
  {
    name: 'labels belong to one cell',
    chunks: [
      { ...height, labels: ['checked'] },
      { timestamp: 5000, value: '1.71 m' },
      { timestamp: 2000, labels: ['raw', 'late'], value: '1.66 m', commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@7000=1.84 m [checked]',
        'tide:height@5000=1.71 m',
        'tide:height@2000=1.66 m [raw,late]',
      ],
    ],
  },
  {
    name: 'the key may be repeated inside the row, and so may family and qualifier',
    chunks: [
      height,
      { key: 'buoy-07', timestamp: 5000, value: '1.71 m' },
      { key: 'buoy-07', family: 'tide', qualifier: 'height', value: '1.60 m', commit: true },
    ],
    rows: [
      ['buoy-07', 'tide:height@7000=1.84 m', 'tide:height@5000=1.71 m', 'tide:height@0=1.60 m'],
    ],
  },
  {
    name: 'a chunk with commit_row only is an empty cell at 0',
    chunks: [height, { commit: true }],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'tide:height@0=']],
  },
  {
    name: 'a chunk without fields is an empty cell at 0',
    chunks: [height, {}, { timestamp: 3000, value: 'x', commit: true }],
    rows: [['buoy-07', 'tide:height@7000=1.84 m', 'tide:height@0=', 'tide:height@3000=x']],
  },
  {
    name: 'commit_row and reset_row that are false mean nothing',
    chunks: [
      { ...height, commit: false },
      { reset: false },
      { commit: false, value: 'x' },
      { timestamp: 1000, commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@7000=1.84 m',
        'tide:height@0=',
        'tide:height@0=x',
        'tide:height@1000=',
      ],
    ],
  },
  {
    name: 'timestamps over the whole range of int64',
    chunks: [
      { ...height, timestamp: 9_223_372_036_854_775_807n, value: 'a' },
      { timestamp: 1_764_000_000_123_000n, value: 'b' },
      { timestamp: 9_007_199_254_740_993n, value: 'c' },
      { timestamp: 4_294_967_296n, value: 'd' },
      { timestamp: 127, value: 'e' },
      { timestamp: -1n, value: 'f' },
      { timestamp: -9_223_372_036_854_775_808n, value: 'g', commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@9223372036854775807=a',
        'tide:height@1764000000123000=b',
        'tide:height@9007199254740993=c',
        'tide:height@4294967296=d',
        'tide:height@127=e',
        'tide:height@-1=f',
        'tide:height@-9223372036854775808=g',
      ],
    ],
  },
  {
    name: 'a family name beyond ASCII, and bytes that are no text',
    chunks: [
      {
        key: 'b\xff\x00',
        family: 'größe',
        qualifier: '\x00\xfe',
        value: '\xff'.repeat(200),
        commit: true,
      },
    ],
    rows: [['b\xff\x00', `größe:\x00\xfe@0=${'\xff'.repeat(200)}`]],
  },
  {
    name: 'families keep their order, and the cells of each become contiguous',
    chunks: [
      { ...speed, value: '11 kn' },
      { qualifier: 'gust', value: '19 kn' },
      { family: 'meta', qualifier: 'owner', value: 'port' },
      { family: 'tide', qualifier: 'trend', value: 'rising' },
      { family: 'meta', qualifier: 'model', value: 'M3', commit: true },
    ],
    rows: [
      [
        'buoy-12',
        'wind:speed@9000=11 kn',
        'wind:gust@0=19 kn',
        'meta:owner@0=port',
        'meta:model@0=M3',
        'tide:trend@0=rising',
      ],
    ],
  },
  {
    name: '150 cells',
    chunks: [
      height,
      ...Array.from({ length: 148 }, (_, i) => ({ qualifier: `s${i}`, timestamp: i + 1 })),
      { qualifier: 'last', commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@7000=1.84 m',
        ...Array.from({ length: 148 }, (_, i) => `tide:s${i}@${i + 1}=`),
        'tide:last@0=',
      ],
    ],
  },
  {
    name: 'no commit_row',
    chunks: [height],
    rows: [],
    error: 'ends inside a row',
  },
  {
    name: 'no commit_row after two cells',
    chunks: [height, { timestamp: 5000, value: '1.71 m', commit: false }],
    rows: [],
    error: 'ends inside a row',
  },
  {
    name: 'commit_row without a row',
    chunks: [{ commit: true }],
    rows: [],
    error: 'without a row key',
  },
  {
    name: 'a value without a row',
    chunks: [{ timestamp: 7000, value: '1.84 m' }],
    rows: [],
    error: 'without a row key',
  },
  {
    name: 'a column without a row',
    chunks: [{ family: 'tide', qualifier: 'height', value: '1.84 m', commit: true }],
    rows: [],
    error: 'without a row key',
  },
  {
    name: 'an empty row key',
    chunks: [{ ...height, key: '', commit: true }],
    rows: [],
    error: 'without a row key',
  },
  {
    name: 'a row without family and qualifier',
    chunks: [{ key: 'buoy-07', value: '1.84 m', commit: true }],
    rows: [],
    error: 'without a column',
  },
  {
    name: 'a row without a family',
    chunks: [{ key: 'buoy-07', qualifier: 'height', value: '1.84 m', commit: true }],
    rows: [],
    error: 'without a column',
  },
  {
    name: 'a row without a qualifier',
    chunks: [{ key: 'buoy-07', family: 'tide', value: '1.84 m', commit: true }],
    rows: [],
    error: 'without a column',
  },
  {
    name: 'a family without a qualifier inside a row',
    chunks: [height, { family: 'wind', timestamp: 6000, value: '19 kn', commit: true }],
    rows: [],
    error: 'a family but no qualifier',
  },
];

const severalRows: readonly ChunkCase[] = [
  {
    name: 'two rows',
    chunks: [
      { ...height, commit: true },
      { ...speed, commit: true },
    ],
    rows: [heightRow, speedRow],
  },
  {
    name: 'two rows with the same column, one without a timestamp',
    chunks: [
      { ...height, commit: true },
      { key: 'buoy-12', family: 'tide', qualifier: 'height', value: '1.9 m', commit: true },
    ],
    rows: [heightRow, ['buoy-12', 'tide:height@0=1.9 m']],
  },
  {
    name: 'two rows, the first with an empty value',
    chunks: [
      { key: 'buoy-07', family: 'tide', qualifier: 'alarm', commit: true },
      { ...speed, commit: true },
    ],
    rows: [['buoy-07', 'tide:alarm@0='], speedRow],
  },
  {
    name: 'two rows with several cells, labels and families',
    chunks: [
      { ...height, labels: ['checked'] },
      { qualifier: 'trend', timestamp: 6000, value: 'rising' },
      { family: 'wind', qualifier: 'gust', timestamp: 5000, value: '19 kn', commit: true },
      { ...speed, family: 'meta', qualifier: 'owner', value: 'port' },
      { family: 'wind', qualifier: 'speed', timestamp: 8000, labels: ['raw'], value: '11 kn' },
      { timestamp: 3000, value: '9 kn', commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@7000=1.84 m [checked]',
        'tide:trend@6000=rising',
        'wind:gust@5000=19 kn',
      ],
      ['buoy-12', 'meta:owner@9000=port', 'wind:speed@8000=11 kn [raw]', 'wind:speed@3000=9 kn'],
    ],
  },
  {
    name: 'keys in byte order: prefixes, 00 and ff',
    chunks: [
      { ...height, key: 'pier', value: '1', commit: true },
      { ...height, key: 'pier\x00', value: '2', commit: true },
      { ...height, key: 'pier\x7f', value: '3', commit: true },
      { ...height, key: 'pier\x80', value: '4', commit: true },
      { ...height, key: 'pier\xff\xff', value: '5', commit: true },
      { ...height, key: 'q', value: '6', commit: true },
    ],
    rows: [
      ['pier', 'tide:height@7000=1'],
      ['pier\x00', 'tide:height@7000=2'],
      ['pier\x7f', 'tide:height@7000=3'],
      ['pier\x80', 'tide:height@7000=4'],
      ['pier\xff\xff', 'tide:height@7000=5'],
      ['q', 'tide:height@7000=6'],
    ],
  },
  {
    name: '40 rows',
    chunks: Array.from({ length: 40 }, (_, i) => ({ ...height, key: `b${i + 10}`, commit: true })),
    rows: Array.from({ length: 40 }, (_, i) => [`b${i + 10}`, 'tide:height@7000=1.84 m'] as const),
  },
  {
    name: 'a reversed read has descending keys',
    reversed: true,
    chunks: [
      { ...speed, commit: true },
      { ...height, commit: true },
    ],
    rows: [speedRow, heightRow],
  },
  {
    name: 'the next row begins before commit_row',
    chunks: [height, speed],
    rows: [],
    error: 'before the previous one is committed',
  },
  {
    name: 'the next row begins before commit_row, and is committed',
    chunks: [height, { ...speed, commit: true }],
    rows: [],
    error: 'before the previous one is committed',
  },
  {
    name: 'the key changes inside a row to one that begins with it',
    chunks: [height, { key: 'buoy-07b', timestamp: 5000, value: '1.71 m', commit: true }],
    rows: [],
    error: 'before the previous one is committed',
  },
  {
    name: 'the second row is not committed',
    chunks: [{ ...height, commit: true }, speed],
    rows: [heightRow],
    error: 'ends inside a row',
  },
  {
    name: 'the second row has no key',
    chunks: [
      { ...height, commit: true },
      { timestamp: 5000, value: '1.71 m', commit: true },
    ],
    rows: [heightRow],
    error: 'without a row key',
  },
  {
    name: 'the second row has no column: that of the first is not inherited',
    chunks: [
      { ...height, commit: true },
      { key: 'buoy-12', value: '1.9 m', commit: true },
    ],
    rows: [heightRow],
    error: 'without a column',
  },
  {
    name: 'commit_row again after a row',
    chunks: [{ ...height, commit: true }, { commit: true }],
    rows: [heightRow],
    error: 'without a row key',
  },
  {
    name: 'the same key again',
    chunks: [
      { ...height, commit: true },
      { ...speed, key: 'buoy-07', commit: true },
    ],
    rows: [heightRow],
    error: 'out of order or repeated',
  },
  {
    name: 'a smaller key',
    chunks: [
      { ...speed, commit: true },
      { ...height, commit: true },
    ],
    rows: [speedRow],
    error: 'out of order or repeated',
  },
  {
    name: 'a key that is a prefix of the one before',
    chunks: [
      { ...height, commit: true },
      { ...height, key: 'buoy', commit: true },
    ],
    rows: [heightRow],
    error: 'out of order or repeated',
  },
  {
    name: 'a greater key in a reversed read',
    reversed: true,
    chunks: [
      { ...height, commit: true },
      { ...speed, commit: true },
    ],
    rows: [heightRow],
    error: 'out of order or repeated',
  },
  {
    name: 'the same key again in a reversed read',
    reversed: true,
    chunks: [
      { ...height, commit: true },
      { ...height, commit: true },
    ],
    rows: [heightRow],
    error: 'out of order or repeated',
  },
];

/** The first chunk of a split value of 12 bytes. */
const split = { ...height, value: 'calm', valueSize: 12 } as const;

const splitValues: readonly ChunkCase[] = [
  {
    name: 'a value in two chunks',
    chunks: [split, { value: ' and dry', commit: true }],
    rows: [['buoy-07', 'tide:height@7000=calm and dry']],
  },
  {
    name: 'a value in five chunks, with labels',
    chunks: [
      { ...split, labels: ['log', 'night'] },
      { value: ' an', valueSize: 12 },
      { value: 'd', valueSize: 12 },
      { value: ' dr', valueSize: 12 },
      { value: 'y', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=calm and dry [log,night]']],
  },
  {
    name: 'chunks of a value without bytes: the first, one between, the last',
    chunks: [
      { ...split, value: '' },
      { value: 'calm and', valueSize: 12 },
      { valueSize: 12 },
      { value: ' dry', valueSize: 12 },
      { commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=calm and dry']],
  },
  {
    name: 'a split value, and an empty cell with commit_row',
    chunks: [split, { value: ' and dry' }, { commit: true }],
    rows: [['buoy-07', 'tide:height@7000=calm and dry', 'tide:height@0=']],
  },
  {
    name: 'two split versions of a column',
    chunks: [
      split,
      { value: ' and dry' },
      { timestamp: 5000, value: 'rough ', valueSize: 13 },
      { value: 'and wet', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=calm and dry', 'tide:height@5000=rough and wet']],
  },
  {
    name: 'split values in several columns and families, with a whole one between',
    chunks: [
      split,
      { value: ' and', valueSize: 12 },
      { value: ' dry' },
      { qualifier: 'trend', timestamp: 6000, value: 'rising' },
      { family: 'wind', qualifier: 'gust', timestamp: 5000, value: '1', valueSize: 5 },
      { value: '9', valueSize: 5 },
      { value: ' kn', commit: true },
    ],
    rows: [
      [
        'buoy-07',
        'tide:height@7000=calm and dry',
        'tide:trend@6000=rising',
        'wind:gust@5000=19 kn',
      ],
    ],
  },
  {
    name: 'split values in two rows with the same timestamp',
    chunks: [
      split,
      { value: ' and dry', commit: true },
      { ...split, key: 'buoy-12' },
      { value: ' and wet', commit: true },
    ],
    rows: [
      ['buoy-07', 'tide:height@7000=calm and dry'],
      ['buoy-12', 'tide:height@7000=calm and wet'],
    ],
  },
  {
    name: 'the stream ends inside a value',
    chunks: [split, { value: ' and', valueSize: 12 }],
    rows: [],
    error: 'ends inside a row',
  },
  {
    name: 'commit_row in the first chunk of a split value',
    chunks: [{ ...split, commit: true }, { value: ' and dry' }],
    rows: [],
    error: 'committed inside a value',
  },
  {
    name: 'commit_row in a middle chunk of a split value',
    chunks: [split, { value: ' and', valueSize: 12, commit: true }],
    rows: [],
    error: 'committed inside a value',
  },
  ...(
    [
      ['the same row key', { key: 'buoy-07' }],
      ['another row key', { key: 'buoy-12' }],
      ['a family', { family: 'tide' }],
      ['a qualifier', { qualifier: 'height' }],
      ['an empty qualifier', { qualifier: '' }],
      ['a timestamp', { timestamp: 7000 }],
      ['a negative timestamp', { timestamp: -1 }],
      ['a timestamp of 2^32', { timestamp: 2 ** 32 }],
      ['a label', { labels: ['late'] }],
    ] as const
  ).map(([what, fields]): ChunkCase => ({
    name: `a later chunk of a value has ${what}`,
    chunks: [split, { ...fields, value: ' and dry', commit: true }],
    rows: [],
    error: 'a cell begins inside a value',
  })),
];

const resets: readonly ChunkCase[] = [
  {
    name: 'a row is reset and sent again',
    chunks: [height, { reset: true }, { ...height, commit: true }],
    rows: [heightRow],
  },
  {
    name: 'a row is reset and has another value and column then',
    chunks: [
      { ...height, labels: ['late'] },
      { reset: true },
      { ...height, qualifier: 'trend', timestamp: 0, value: 'rising', commit: true },
    ],
    rows: [['buoy-07', 'tide:trend@0=rising']],
  },
  {
    name: 'two cells are reset, and three come',
    chunks: [
      height,
      { timestamp: 5000, value: '1.71 m' },
      { reset: true },
      { ...height, value: '2 m' },
      { timestamp: 4000, value: '1 m' },
      { family: 'wind', qualifier: 'gust', value: '19 kn', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=2 m', 'tide:height@4000=1 m', 'wind:gust@0=19 kn']],
  },
  {
    name: 'a row is reset twice',
    chunks: [
      height,
      { reset: true },
      { ...height, value: '2 m' },
      { timestamp: 4000 },
      { reset: true },
      { ...height, value: '3 m', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=3 m']],
  },
  {
    name: 'a reset row is followed by a greater key',
    chunks: [height, { reset: true }, { ...speed, commit: true }],
    rows: [speedRow],
  },
  {
    name: 'a reset row is followed by a smaller key that was not read yet',
    chunks: [
      { ...height, key: 'anchor', commit: true },
      speed,
      { reset: true },
      { ...height, commit: true },
    ],
    rows: [['anchor', 'tide:height@7000=1.84 m'], heightRow],
  },
  {
    name: 'a reset inside a split value',
    chunks: [
      { ...split, labels: ['late'] },
      { value: ' and', valueSize: 12 },
      { reset: true },
      { ...speed, commit: true },
    ],
    rows: [speedRow],
  },
  {
    name: 'a reset after a split value, and another split value',
    chunks: [
      split,
      { value: ' and dry' },
      { reset: true },
      split,
      { value: ' and wet', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=calm and wet']],
  },
  {
    name: 'families out of order before the reset do not matter after it',
    chunks: [
      { ...height, family: 'wind' },
      { family: 'meta', qualifier: 'owner' },
      { reset: true },
      { ...height, value: 'b' },
      { timestamp: 8000, value: 'a', commit: true },
    ],
    rows: [['buoy-07', 'tide:height@7000=b', 'tide:height@8000=a']],
  },
  {
    name: 'nothing after a reset',
    chunks: [height, { reset: true }],
    rows: [],
  },
  {
    name: 'nothing after a reset of the second row',
    chunks: [{ ...height, commit: true }, speed, { reset: true }],
    rows: [heightRow],
  },
  {
    name: 'a reset before any row',
    chunks: [{ reset: true }],
    rows: [],
    error: 'reset_row outside a row',
  },
  {
    name: 'a reset before the first row',
    chunks: [{ reset: true }, height],
    rows: [],
    error: 'reset_row outside a row',
  },
  {
    name: 'a reset after commit_row',
    chunks: [{ ...height, commit: true }, { reset: true }],
    rows: [heightRow],
    error: 'reset_row outside a row',
  },
  {
    name: 'a reset after a reset',
    chunks: [height, { reset: true }, { reset: true }],
    rows: [],
    error: 'reset_row outside a row',
  },
  {
    name: 'no key after a reset',
    chunks: [height, { reset: true }, { timestamp: 5000, value: '1.71 m', commit: true }],
    rows: [],
    error: 'without a row key',
  },
  {
    name: 'no column after a reset',
    chunks: [height, { reset: true }, { key: 'buoy-07', value: '1.71 m', commit: true }],
    rows: [],
    error: 'without a column',
  },
  {
    name: 'no commit_row after a reset',
    chunks: [height, { reset: true }, height],
    rows: [],
    error: 'ends inside a row',
  },
  {
    name: 'the key of the last complete row after a reset',
    chunks: [{ ...height, commit: true }, speed, { reset: true }, { ...height, commit: true }],
    rows: [heightRow],
    error: 'out of order or repeated',
  },
  ...(
    [
      ['the row key', { key: 'buoy-07' }],
      ['a family', { family: 'tide' }],
      ['a qualifier', { qualifier: 'height' }],
      ['a timestamp', { timestamp: 5000 }],
      ['a negative timestamp', { timestamp: -1 }],
      ['a timestamp of 2^32', { timestamp: 2 ** 32 }],
      ['a label', { labels: ['late'] }],
      ['a value', { value: 'x' }],
      ['a value size', { valueSize: 12 }],
    ] as const
  ).map(([what, fields]): ChunkCase => ({
    name: `a reset with ${what}`,
    chunks: [height, { ...fields, reset: true }, { ...height, commit: true }],
    rows: [],
    error: 'a chunk has reset_row and other fields',
  })),
  {
    name: 'a reset with a part of a split value',
    chunks: [split, { value: ' and', valueSize: 12, reset: true }],
    rows: [],
    error: 'a chunk has reset_row and other fields',
  },
];

export const chunkCases: readonly ChunkCase[] = [
  ...oneRow,
  ...severalRows,
  ...splitValues,
  ...resets,
];
