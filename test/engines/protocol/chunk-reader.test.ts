/**
 * ReadRowsResponse messages -> pages: tables of cases, the encoder's own messages grouped in every
 * way, and malformed bytes.
 */
import { ChunkDecoder } from '../../../src/engines/protocol/index.js';
import { copyRow, noLabels, type Row } from '../../../src/data/store/index.js';
import { chunkCases } from './chunk-cases.js';
import { chunksOf, messageOf, messagesOf } from './chunk-messages.js';
import { encodeCase, fromGoogle, type EncodedCase, type GoogleChunkCase } from './encoded-case.js';
import { describeGoogleCases } from './google-cases.js';
import fc from '../../support/fast-check.js';
import {
  utf8,
  textOf,
  decode,
  decodeAll,
  grouped,
  cell,
  byFamily,
  rowOf,
  rows,
  sizes,
  resetChunk,
} from './read-chunks.js';

/** Each case in messages of several sizes, with small and large pages. */
function testCases(cases: readonly EncodedCase[]): void {
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const { chunks, reversed, rows: expected, error: text } = one;
    for (const sizes of [[1], [2], [3], [1, 2], [2, 1], [1000]]) {
      for (const pageRows of [1, 256]) {
        const { rows, error } = decode(grouped(chunks, sizes), { reversed, pageRows });
        const actual = { sizes, pageRows, rows: textOf(rows) };
        if (expected !== undefined) expect(actual).toEqual({ sizes, pageRows, rows: expected });
        if (text === undefined) expect(error).toBeUndefined();
        else
          expect(error).toMatchObject({
            code: 'STORAGE_FAILED',
            details: { problem: expect.stringContaining(text) },
          });
      }
    }
  });
}

describe('cases', () => testCases(chunkCases.map(encodeCase)));

describeGoogleCases<GoogleChunkCase>('read-rows-acceptance-test.json', (cases) => {
  test('the number of cases', () => expect(cases).toHaveLength(48));
  testCases(cases.map(fromGoogle));
});

describe("the encoder's messages", () => {
  test('any rows are decoded again, however their chunks are grouped, forwards and backwards', () => {
    fc.assert(
      fc.property(
        rows,
        sizes,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (given, each, pageRows, reversed) => {
          const ordered = reversed ? [...given].reverse() : given;
          const messages = messagesOf(ordered);
          expect(textOf(decodeAll(messages, { reversed, pageRows }))).toEqual(textOf(ordered));
          expect(
            textOf(decodeAll(grouped(chunksOf(messages), each), { reversed, pageRows })),
          ).toEqual(textOf(ordered));
        },
      ),
      { numRuns: 120 },
    );
  });

  test('families keep the order of the server, and the cells of each become contiguous', () => {
    fc.assert(
      fc.property(
        fc.array(rowOf(fc.array(cell, { minLength: 1, maxLength: 12 })), { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        (given, pageRows) => {
          const numbered = given.map(({ key, cells }, at) => ({
            key: Uint8Array.of(at, ...key),
            cells,
          }));
          expect(textOf(decodeAll(messagesOf(numbered), { pageRows }))).toEqual(
            textOf(numbered.map(({ key, cells }) => ({ key, cells: byFamily(cells) }))),
          );
        },
      ),
      { numRuns: 120 },
    );
  });

  test('rows that are interrupted or reset anywhere, and sent again, are returned once', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 8 }),
        (given, breaks) => {
          const decoder = new ChunkDecoder(false);
          const out: Row[] = [];
          given.forEach((row, i) => {
            const chunks = chunksOf(messagesOf([row]));
            for (const [position, reset] of breaks.filter((_, n) => n % given.length === i)) {
              const sent = chunks.slice(0, position % chunks.length);
              for (const chunk of sent) decoder.add(messageOf([chunk]));
              // Only complete rows are available.
              expect(decoder.pendingRows).toBe(0);
              if (reset && sent.length > 0) decoder.add(messageOf([resetChunk]));
              else decoder.discardIncomplete();
            }
            for (const chunk of chunks) decoder.add(messageOf([chunk]));
            for (let page = decoder.page(1); page !== undefined; page = decoder.page(1))
              while (page.nextRow()) out.push(copyRow(page));
          });
          decoder.end();
          expect(textOf(out)).toEqual(textOf(given));
        },
      ),
      { numRuns: 120 },
    );
  });

  test('values that are split into chunks of a megabyte', () => {
    const value = new Uint8Array(3_500_000).map((_, i) => i * 31);
    const large = [
      {
        key: utf8('r'),
        cells: [
          { family: 'a', qualifier: utf8('q'), timestamp: 1000n, value },
          { family: 'a', qualifier: utf8('z'), timestamp: 1000n, value: utf8('small') },
        ],
      },
    ];
    const [row] = decodeAll(messagesOf(large));
    expect(
      row.cells.map((one) =>
        Buffer.compare(one.value, one.qualifier[0] === 0x7a ? utf8('small') : value),
      ),
    ).toEqual([0, 0]);
  });

  test('a row from row() stays valid when more messages are decoded', () => {
    const given = ['a', 'b', 'c'].map((key): Row => ({
      key: utf8(key),
      cells: [
        {
          family: 'f',
          qualifier: utf8('q'),
          timestamp: 7n,
          value: utf8(`of ${key}`),
          labels: [key],
        },
      ],
    }));
    const decoder = new ChunkDecoder(false);
    const retained = given.map((row) => {
      for (const message of messagesOf([row])) decoder.add(message);
      return decoder.row()!;
    });
    for (let time = 0; time < 2; time++) {
      expect(
        textOf(
          retained.map((row) => {
            const page = row.cursor();
            page.nextRow();
            const copy = copyRow(page);
            expect(page.nextRow()).toBe(false);
            return copy;
          }),
        ),
      ).toEqual(textOf(given));
    }
    expect(retained.map((row) => Math.sign(row.compareKey(utf8('b'))))).toEqual([-1, 0, 1]);
  });

  test('every cell of a family has the same name object, every cell without labels the same list', () => {
    const decoder = new ChunkDecoder(false);
    for (const message of messagesOf([
      {
        key: utf8('k'),
        cells: [1n, 2n].map((timestamp) => ({
          family: 'fam',
          qualifier: utf8('q'),
          timestamp,
          value: utf8(''),
        })),
      },
    ]))
      decoder.add(message);
    const page = decoder.page(1)!;
    page.nextRow();
    while (page.nextCell()) expect(page.labels).toBe(noLabels);
  });
});
