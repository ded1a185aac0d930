/**
 * Rows -> ReadRowsResponse messages -> rows: our encoder against a strict merger, which is itself
 * tested with tables of cases.
 */
import type { Cell, Row } from '../../../src/data/store/index.js';
import { decodePublished } from './published.js';
import { chunkCases } from './chunk-cases.js';
import { messagesOf } from './chunk-messages.js';
import {
  encodeCase,
  fromGoogle,
  rowText,
  type EncodedCase,
  type GoogleChunkCase,
  type RowText,
} from './encoded-case.js';
import { describeGoogleCases } from './google-cases.js';
import { RowMerger, type Chunk } from './row-merger.js';
import fc from '../../support/fast-check.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const chunksOf = (messages: readonly Buffer[]): Chunk[] =>
  messages.flatMap(
    (message) =>
      (decodePublished('google.bigtable.v2.ReadRowsResponse', message) as { chunks: Chunk[] })
        .chunks,
  );

function merge(chunks: readonly Chunk[], merger = new RowMerger(true)): Row[] {
  for (const chunk of chunks) merger.add(chunk);
  merger.end();
  return merger.rows;
}

const textOf = (rows: readonly Row[]): readonly RowText[] => rows.map(rowText);
/** The rows with the cells of each family together, otherwise in the same order. */
const byFamily = (rows: readonly Row[]): Row[] =>
  rows.map(({ key, cells }) => {
    const families = new Set(cells.map(({ family }) => family));
    const together = (name: string) => cells.filter(({ family }) => family === name);
    return { key, cells: [...families].flatMap(together) };
  });

/** The merger must accept and reject the same streams as the decoder; then it can be the oracle. */
function testCases(cases: readonly EncodedCase[], exact: boolean): void {
  describe.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const chunks = one.chunks.map(
      (chunk) =>
        decodePublished(
          'google.bigtable.v2.ReadRowsResponse.CellChunk',
          Buffer.from(chunk),
        ) as Chunk,
    );
    const merger = new RowMerger(exact, one.reversed ? 'descending' : 'ascending');

    test('the merger returns the expected rows', () => {
      if (one.error === undefined) merge(chunks, merger);
      else expect(() => merge(chunks, merger)).toThrow('Protocol violation');
      if (one.rows !== undefined) expect(textOf(byFamily(merger.rows))).toEqual(one.rows);
    });

    test('its rows become chunks and the same rows again', () => {
      expect(textOf(merge(chunksOf(messagesOf(merger.rows))))).toEqual(textOf(merger.rows));
    });
  });
}

describe('cases', () => testCases(chunkCases.map(encodeCase), true));

describeGoogleCases<GoogleChunkCase>('read-rows-acceptance-test.json', (cases) => {
  test('the number of cases', () => expect(cases).toHaveLength(48));
  testCases(cases.map(fromGoogle), false);
});

describe('messages', () => {
  const cell = (
    value: Uint8Array,
    qualifier = 'q',
    family = 'a',
    timestamp = 1_700_000_000_000_000n,
  ): Cell => ({ family, qualifier: utf8(qualifier), timestamp, value });
  const narrow = (count: number, size: number): Row[] =>
    Array.from({ length: count }, (_, i) => ({
      key: utf8(`row-${String(i).padStart(8, '0')}`),
      cells: [cell(new Uint8Array(size).fill(i))],
    }));

  test('many rows share a message of about 64 KiB, which ends with a row', () => {
    const messages = messagesOf(narrow(5000, 100));
    expect(messages.length).toBeGreaterThan(5);
    for (const message of messages.slice(0, -1)) {
      expect(message.length).toBeGreaterThanOrEqual(64 * 1024);
      expect(message.length).toBeLessThan(66 * 1024);
    }
    for (const message of messages)
      expect(chunksOf([message]).at(-1)).toMatchObject({ commitRow: true });
    expect(merge(chunksOf(messages))).toHaveLength(5000);
  });

  test('a chunk omits fields that are unchanged', () => {
    const first = [
      cell(utf8('1'), 'x', 'a', 3000n),
      cell(utf8('2'), 'x', 'a', 2000n),
      cell(utf8('3'), 'y'),
      cell(utf8('4'), 'y', 'b'),
    ];
    const rows = [
      { key: utf8('r'), cells: first },
      { key: utf8('s'), cells: [cell(utf8('5'), 'y', 'b')] },
    ];
    expect(chunksOf(messagesOf(rows)).map((chunk) => Object.keys(chunk).sort().join(' '))).toEqual([
      'familyName qualifier rowKey timestampMicros value',
      'timestampMicros value',
      'qualifier timestampMicros value',
      'commitRow familyName qualifier timestampMicros value',
      'commitRow familyName qualifier rowKey timestampMicros value',
    ]);
  });

  test('an empty qualifier is sent as an empty wrapper', () => {
    const [chunk] = chunksOf(messagesOf([{ key: utf8('r'), cells: [cell(utf8(''), '')] }]));
    expect(chunk.qualifier).toEqual({});
    expect(textOf(merge([chunk]))).toEqual(
      textOf([{ key: utf8('r'), cells: [cell(utf8(''), '')] }]),
    );
  });

  test('large values are split into chunks of 1 MiB, a row of up to 4 MiB is in one message', () => {
    const value = new Uint8Array(3_500_000).map((_, i) => i * 31);
    const cells = (count: number): Cell[] =>
      Array.from({ length: count }, (_, i) => cell(value.subarray(0, 100_000), `q${i}`));
    const rows = [
      { key: utf8('r'), cells: [cell(value), cell(utf8('small'), 'z')] },
      { key: utf8('s'), cells: cells(41) },
      { key: utf8('t'), cells: cells(100) },
      // The last cell has the qualifier of the last but one, which is in the message before.
      { key: utf8('u'), cells: [cell(value, 'q'), cell(value, 'q')] },
    ];
    const messages = messagesOf(rows);
    const limit = 4 * 1024 * 1024;
    for (const message of messages) expect(message.length).toBeLessThanOrEqual(limit);
    const endsRow = messages.map((message) => chunksOf([message]).at(-1)!.commitRow === true);
    expect(endsRow).toEqual([true, true, false, false, true, false, true]);
    const chunks = chunksOf(messages);
    expect(
      chunks.slice(0, 4).map(({ value: piece, valueSize }) => [piece!.length, valueSize ?? 0]),
    ).toEqual([
      [1_048_576, 3_500_000],
      [1_048_576, 3_500_000],
      [1_048_576, 3_500_000],
      [354_272, 0],
    ]);
    expect(textOf(merge(chunks))).toEqual(textOf(rows));
  });

  test('commit_row is correct for every chunk length, also where it makes the length prefix longer', () => {
    for (const size of [
      ...Array(140).keys(),
      ...Array.from({ length: 40 }, (_, i) => 16_384 - 60 + i),
    ]) {
      const rows = [{ key: utf8('r'), cells: [cell(new Uint8Array(size).fill(7))] }];
      expect(textOf(merge(chunksOf(messagesOf(rows))))).toEqual(textOf(rows));
    }
    const rows = Array.from({ length: 60 }, (_, i) => ({
      key: utf8(`r${i}`),
      cells: [cell(new Uint8Array(2_097_152 / 2 - 40 + i).fill(7))],
    }));
    const merged = merge(chunksOf(messagesOf(rows)));
    // Compared as bytes: as text, 60 MiB take seconds.
    const values = (of: readonly Row[]): Buffer =>
      Buffer.concat(of.map((row) => row.cells[0].value));
    expect(merged.map(({ key }) => key)).toEqual(rows.map(({ key }) => key));
    expect(values(merged).equals(values(rows))).toBe(true);
  });

  test.each([
    0n,
    1000n,
    127_000n,
    2n ** 49n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 56n - 1n,
    9_223_372_036_854_775_000n,
    -1000n,
  ])('timestamp %s', (timestamp) => {
    const rows = [{ key: utf8('r'), cells: [cell(utf8('v'), 'q', 'a', timestamp)] }];
    expect(merge(chunksOf(messagesOf(rows)))[0].cells[0].timestamp).toBe(timestamp);
  });

  test('a row without cells is no row', () =>
    expect(messagesOf([{ key: utf8('r'), cells: [] }])).toEqual([]));

  test('any rows are merged again', () => {
    const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
    const anyCell: fc.Arbitrary<Cell> = fc.record({
      family: fc.constantFrom('a', 'b', 'a-long.family_name'),
      qualifier: fc.oneof(fc.constantFrom(utf8(''), utf8('q')), bytes(200)),
      timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      value: bytes(300),
    });
    const labelled = fc
      .tuple(anyCell, fc.option(fc.stringMatching(/^[a-z0-9-]{1,15}$/)))
      .map(([one, label]) => (label === null ? one : { ...one, labels: [label] }));
    const anyRow = fc.record({
      key: fc.uint8Array({ minLength: 1, maxLength: 40 }),
      cells: fc.array(labelled, { minLength: 1, maxLength: 6 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(anyRow, {
          maxLength: 20,
          selector: ({ key }) => Buffer.from(key).toString('hex'),
        }),
        (rows) => {
          expect(textOf(merge(chunksOf(messagesOf(rows))))).toEqual(textOf(rows));
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 20) },
    );
  });
});
