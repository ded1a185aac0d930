/**
 * Rows -> ReadRowsResponse messages -> rows, judged by a strict merger that the acceptance suite
 * judges.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell, Row } from '../../src/store/index.js';
import { decodePublished } from './published.js';
import { messagesOf } from './chunk-messages.js';
import { RowMerger, type Chunk } from './row-merger.js';
import fc from '../support/fast-check.js';

const suite = join(__dirname, '../../../shared/data/read-rows-acceptance-test.json');

interface Case {
  readonly name: string;
  readonly chunks_base64: readonly string[];
  readonly results: readonly {
    readonly rk: string;
    readonly fm: string;
    readonly qual: string;
    readonly ts: number;
    readonly value: string;
    readonly label: string;
    readonly error: boolean;
  }[];
}

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** The rows of a case's results, which are one line a cell. */
function rowsOf({ results }: Case): Row[] {
  const rows: { key: Uint8Array; cells: Cell[] }[] = [];
  for (const { rk, fm, qual, ts, value, label, error } of results) {
    if (error) continue;
    const cell = {
      family: fm,
      qualifier: utf8(qual),
      timestamp: BigInt(ts),
      value: utf8(value),
      ...(label === '' ? {} : { labels: [label] }),
    };
    const last = rows.at(-1);
    if (last !== undefined && Buffer.from(last.key).toString() === rk) last.cells.push(cell);
    else rows.push({ key: utf8(rk), cells: [cell] });
  }
  return rows;
}

const chunksOf = (messages: readonly Buffer[]): Chunk[] =>
  messages.flatMap(
    (message) =>
      (decodePublished('google.bigtable.v2.ReadRowsResponse', message) as { chunks: Chunk[] })
        .chunks,
  );

function merge(chunks: readonly Chunk[], exact = true): Row[] {
  const merger = new RowMerger(exact);
  for (const chunk of chunks) merger.add(chunk);
  merger.end();
  return merger.rows;
}

/** Buffers and Uint8Arrays alike. */
const shown = (rows: readonly Row[]): unknown =>
  rows.map(({ key, cells }) => ({
    key: Buffer.from(key).toString('latin1'),
    cells: cells.map((cell) => ({
      ...cell,
      qualifier: Buffer.from(cell.qualifier).toString('latin1'),
      value: Buffer.from(cell.value).toString('latin1'),
    })),
  }));

if (!existsSync(suite)) {
  console.warn(`SKIPPED: the acceptance suite is not at ${suite}`);
  test.skip('the acceptance suite', () => undefined);
} else {
  // A case without rows has no results at all.
  const cases = (JSON.parse(readFileSync(suite, 'utf8')) as { tests: Case[] }).tests.map((one) => ({
    ...one,
    results: one.results ?? [],
  }));
  test('all cases are there', () => expect(cases).toHaveLength(48));

  describe.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const refused = one.results.some(({ error }) => error);
    const chunks = one.chunks_base64.map(
      (base64) =>
        decodePublished(
          'google.bigtable.v2.ReadRowsResponse.CellChunk',
          Buffer.from(base64, 'base64'),
        ) as Chunk,
    );

    test('the merger judges it as the suite does', () => {
      if (refused) expect(() => merge(chunks, false)).toThrow('Against the protocol');
      else expect(shown(merge(chunks, false))).toEqual(shown(rowsOf(one)));
    });

    test('its rows become chunks and the same rows again', () => {
      const rows = rowsOf(one);
      expect(shown(merge(chunksOf(messagesOf(rows))))).toEqual(shown(rows));
    });
  });
}

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

  test('many rows share a message of about 64 KiB, and end with it', () => {
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

  test('a chunk leaves out what has not changed', () => {
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

  test('an empty qualifier is there, and empty', () => {
    const [chunk] = chunksOf(messagesOf([{ key: utf8('r'), cells: [cell(utf8(''), '')] }]));
    expect(chunk.qualifier).toEqual({});
    expect(shown(merge([chunk]))).toEqual(shown([{ key: utf8('r'), cells: [cell(utf8(''), '')] }]));
  });

  test('large values go in pieces of 1 MiB, and a row of many goes in several messages', () => {
    const value = new Uint8Array(3_500_000).map((_, i) => i * 31);
    const rows = [
      { key: utf8('r'), cells: [cell(value), cell(utf8('small'), 'z')] },
      {
        key: utf8('s'),
        cells: Array.from({ length: 40 }, (_, i) => cell(value.subarray(0, 100_000), `q${i}`)),
      },
    ];
    const messages = messagesOf(rows);
    for (const message of messages) expect(message.length).toBeLessThan(2.2 * 1024 * 1024);
    const chunks = chunksOf(messages);
    expect(
      chunks.slice(0, 4).map(({ value: piece, valueSize }) => [piece!.length, valueSize ?? 0]),
    ).toEqual([
      [1_048_576, 3_500_000],
      [1_048_576, 3_500_000],
      [1_048_576, 3_500_000],
      [354_272, 0],
    ]);
    expect(shown(merge(chunks))).toEqual(shown(rows));
  });

  test('the commit is right at every length of a chunk, also where its length takes a byte more', () => {
    for (const size of [
      ...Array(300).keys(),
      ...Array.from({ length: 40 }, (_, i) => 16_384 - 60 + i),
    ]) {
      const rows = [{ key: utf8('r'), cells: [cell(new Uint8Array(size).fill(7))] }];
      expect(shown(merge(chunksOf(messagesOf(rows))))).toEqual(shown(rows));
    }
    const rows = Array.from({ length: 60 }, (_, i) => ({
      key: utf8(`r${i}`),
      cells: [cell(new Uint8Array(2_097_152 / 2 - 40 + i).fill(7))],
    }));
    expect(shown(merge(chunksOf(messagesOf(rows))))).toEqual(shown(rows));
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

  test('any rows come back', () => {
    const bytes = (most: number) => fc.uint8Array({ maxLength: most });
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
          expect(shown(merge(chunksOf(messagesOf(rows))))).toEqual(shown(rows));
        },
      ),
      { numRuns: 300 },
    );
  });
});
