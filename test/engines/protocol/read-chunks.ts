/** Rows from chunks, for the suites of the chunk reader. */
import { compareBytes } from '../../../src/base/index.js';
import { ChunkDecoder } from '../../../src/engines/protocol/index.js';
import { copyRow, type Cell, type Row } from '../../../src/data/store/index.js';
import { messageOf } from './chunk-messages.js';
import { rowText, type RowText } from './encoded-case.js';
import { encodePublished } from './published.js';
import fc from '../../support/fast-check.js';

export const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
export const textOf = (rows: readonly Row[]): readonly RowText[] => rows.map(rowText);

/** Decodes the messages page by page. An error is returned with the complete rows before it. */
export function decode(
  messages: readonly Uint8Array[],
  { reversed = false, pageRows = 256 } = {},
): { readonly rows: Row[]; readonly error: unknown } {
  const decoder = new ChunkDecoder(reversed);
  const rows: Row[] = [];
  const readPages = (): void => {
    for (let page = decoder.page(pageRows); page !== undefined; page = decoder.page(pageRows))
      while (page.nextRow()) rows.push(copyRow(page));
  };
  let error: unknown;
  try {
    for (const message of messages) {
      decoder.add(message);
      readPages();
    }
    decoder.end();
  } catch (thrown) {
    error = thrown;
    readPages();
  }
  expect(decoder.rowsRead).toBe(rows.length);
  return { rows, error };
}

/** Decodes messages that must be valid. */
export function decodeAll(
  messages: readonly Uint8Array[],
  options?: { readonly reversed?: boolean; readonly pageRows?: number },
): Row[] {
  const { rows, error } = decode(messages, options);
  if (error !== undefined) throw error as Error;
  return rows;
}

/** Groups chunks into messages; the sizes are used in turn. */
export function grouped(chunks: readonly Uint8Array[], sizes: readonly number[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0, i = 0; at < chunks.length; i++)
    messages.push(messageOf(chunks.slice(at, (at += sizes[i % sizes.length]))));
  return messages;
}

export const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
export const cell: fc.Arbitrary<Cell> = fc
  .tuple(
    fc.record({
      family: fc.constantFrom('a', 'b', 'constructor', '__proto__', 'a-long.family_name'),
      qualifier: fc.oneof(fc.constantFrom(utf8(''), utf8('q'), utf8('constructor')), bytes(200)),
      timestamp: fc.oneof(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.constantFrom(0n, 1000n, 1_700_000_000_000_000n, 2n ** 53n, 2n ** 63n - 1n),
      ),
      value: bytes(300),
    }),
    fc.option(fc.stringMatching(/^[a-z0-9-]{1,15}$/)),
  )
  .map(([one, label]) => (label === null ? one : { ...one, labels: [label] }));

/** The cells of each family together, otherwise in the same order. */
export function byFamily(cells: readonly Cell[]): Cell[] {
  const families = new Set(cells.map(({ family }) => family));
  return [...families].flatMap((name) => cells.filter(({ family }) => family === name));
}

export const rowOf = (cells: fc.Arbitrary<Cell[]>): fc.Arbitrary<Row> =>
  fc.record({ key: fc.uint8Array({ minLength: 1, maxLength: 40 }), cells });

export const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(rowOf(fc.array(cell, { minLength: 1, maxLength: 6 }).map(byFamily)), {
    maxLength: 20,
    selector: ({ key }) => Buffer.from(key).toString('hex'),
  })
  .map((unsorted) => unsorted.sort((a, b) => compareBytes(a.key, b.key)));

export const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });

/** A chunk that discards the current row. */
export const resetChunk = Buffer.from(
  encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', { resetRow: true }),
);
