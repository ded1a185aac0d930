/**
 * ReadRowsResponse messages -> pages: the acceptance suite, the writer's own messages, every way to
 * cut them, and bytes that nobody should send.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareBytes } from '../../src/bytes/index.js';
import { ChunkDecoder } from '../../src/protocol/index.js';
import { copyRow, noLabels, type Cell, type Row } from '../../src/store/index.js';
import { chunksOf, messageOf, messagesOf } from './chunk-messages.js';
import { encodePublished } from './published.js';
import fc from '../support/fast-check.js';

const suite = join(__dirname, '../../../shared/data/read-rows-acceptance-test.json');
const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const refusal = expect.objectContaining({ code: 'STORAGE_FAILED' });

interface Case {
  readonly name: string;
  readonly chunks_base64: readonly string[];
  readonly results:
    | readonly {
        readonly rk: string;
        readonly fm: string;
        readonly qual: string;
        readonly ts: number;
        readonly value: string;
        readonly label: string;
        readonly error: boolean;
      }[]
    | null;
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

/** Everything the messages hold, page by page as soon as it is whole. */
function readAll(
  messages: readonly Uint8Array[],
  { reversed = false, pageRows = 256 } = {},
): Row[] {
  const reader = new ChunkDecoder(reversed);
  const rows: Row[] = [];
  const take = (): void => {
    for (let page = reader.page(pageRows); page !== undefined; page = reader.page(pageRows))
      while (page.nextRow()) rows.push(copyRow(page));
  };
  for (const message of messages) {
    reader.add(message);
    take();
  }
  reader.end();
  expect(reader.rowsRead).toBe(rows.length);
  return rows;
}

/** The chunks in messages of so many each, the sizes over and over. */
function cut(chunks: readonly Uint8Array[], sizes: readonly number[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0, i = 0; at < chunks.length; i++)
    messages.push(messageOf(chunks.slice(at, (at += sizes[i % sizes.length]))));
  return messages;
}

if (!existsSync(suite)) {
  console.warn(`SKIPPED: the acceptance suite is not at ${suite}`);
  test.skip('the acceptance suite', () => undefined);
} else {
  const cases = (JSON.parse(readFileSync(suite, 'utf8')) as { tests: Case[] }).tests.map((one) => ({
    ...one,
    results: one.results ?? [],
  }));
  test('all cases are there', () => expect(cases).toHaveLength(48));

  describe.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const chunks = one.chunks_base64.map((base64) => Buffer.from(base64, 'base64'));
    const expected: { key: string; cells: object[] }[] = [];
    for (const { rk, fm, qual, ts, value, label, error } of one.results) {
      if (error) continue;
      const cell = {
        family: fm,
        qualifier: qual,
        timestamp: BigInt(ts),
        value,
        ...(label === '' ? {} : { labels: [label] }),
      };
      if (expected.at(-1)?.key === rk) expected.at(-1)!.cells.push(cell);
      else expected.push({ key: rk, cells: [cell] });
    }
    test.each([[[1]], [[2]], [[3]], [[1, 2]], [[2, 1]], [[100]]])(
      'in messages of %j chunks',
      (sizes) => {
        if (one.results.some(({ error }) => error))
          expect(() => readAll(cut(chunks, sizes))).toThrow(refusal);
        else expect(shown(readAll(cut(chunks, sizes), { pageRows: 1 }))).toEqual(expected);
      },
    );
  });
}

const bytes = (most: number) => fc.uint8Array({ maxLength: most });
const cell: fc.Arbitrary<Cell> = fc
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
/** The cells with their families in byte order, otherwise as they were. */
const byFamily = (cells: readonly Cell[]): Cell[] =>
  [...cells].sort((a, b) => compareBytes(utf8(a.family), utf8(b.family)));
const rowOf = (cells: fc.Arbitrary<Cell[]>): fc.Arbitrary<Row> =>
  fc.record({ key: fc.uint8Array({ minLength: 1, maxLength: 40 }), cells });
const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(rowOf(fc.array(cell, { minLength: 1, maxLength: 6 }).map(byFamily)), {
    maxLength: 20,
    selector: ({ key }) => Buffer.from(key).toString('hex'),
  })
  .map((unsorted) => unsorted.sort((a, b) => compareBytes(a.key, b.key)));
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });

/** A chunk that throws a row away, and one that begins a row which is thrown away. */
const resetChunk = Buffer.from(
  encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', { resetRow: true }),
);

describe("the writer's messages", () => {
  test('any rows come back, however their chunks are cut, forwards and backwards', () => {
    fc.assert(
      fc.property(
        rows,
        sizes,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (given, each, pageRows, reversed) => {
          const ordered = reversed ? [...given].reverse() : given;
          const messages = messagesOf(ordered);
          expect(shown(readAll(messages, { reversed, pageRows }))).toEqual(shown(ordered));
          expect(shown(readAll(cut(chunksOf(messages), each), { reversed, pageRows }))).toEqual(
            shown(ordered),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('families that a server sends in an order of its own come in byte order', () => {
    fc.assert(
      fc.property(
        fc.array(rowOf(fc.array(cell, { minLength: 1, maxLength: 12 })), { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        (given, pageRows) => {
          const numbered = given.map(({ key, cells }, at) => ({
            key: Uint8Array.of(at, ...key),
            cells,
          }));
          expect(shown(readAll(messagesOf(numbered), { pageRows }))).toEqual(
            shown(numbered.map(({ key, cells }) => ({ key, cells: byFamily(cells) }))),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('rows that are reset or broken off anywhere, and sent again, come once', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 8 }),
        (given, breaks) => {
          const reader = new ChunkDecoder(false);
          const out: Row[] = [];
          given.forEach((row, i) => {
            const chunks = chunksOf(messagesOf([row]));
            for (const [place, reset] of breaks.filter((_, n) => n % given.length === i)) {
              const sent = chunks.slice(0, place % chunks.length);
              for (const chunk of sent) reader.add(messageOf([chunk]));
              // A page shows whole rows only.
              expect(reader.pendingRows).toBe(0);
              if (reset && sent.length > 0) reader.add(messageOf([resetChunk]));
              else reader.discardIncomplete();
            }
            for (const chunk of chunks) reader.add(messageOf([chunk]));
            for (let page = reader.page(1); page !== undefined; page = reader.page(1))
              while (page.nextRow()) out.push(copyRow(page));
          });
          reader.end();
          expect(shown(out)).toEqual(shown(given));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('values in pieces of a megabyte', () => {
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
    const [row] = readAll(messagesOf(large));
    expect(
      row.cells.map((one) =>
        Buffer.compare(one.value, one.qualifier[0] === 0x7a ? utf8('small') : value),
      ),
    ).toEqual([0, 0]);
  });

  test('a row kept with row() stays when the reader goes on', () => {
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
    const reader = new ChunkDecoder(false);
    const kept = given.map((row) => {
      for (const message of messagesOf([row])) reader.add(message);
      return reader.row()!;
    });
    for (let time = 0; time < 2; time++) {
      expect(
        shown(
          kept.map((row) => {
            const page = row.cursor();
            page.nextRow();
            const copy = copyRow(page);
            expect(page.nextRow()).toBe(false);
            return copy;
          }),
        ),
      ).toEqual(shown(given));
    }
    expect(kept.map((row) => Math.sign(row.compareKey(utf8('b'))))).toEqual([-1, 0, 1]);
  });

  test('every cell of a family has the same name object, every cell without labels the same list', () => {
    const reader = new ChunkDecoder(false);
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
      reader.add(message);
    const page = reader.page(1)!;
    page.nextRow();
    while (page.nextCell()) expect(page.labels).toBe(noLabels);
  });
});

describe('last_scanned_row_key', () => {
  const scanned = (key: string): Uint8Array =>
    encodePublished('google.bigtable.v2.ReadRowsResponse', { lastScannedRowKey: Buffer.from(key) });
  const row = (key: string): Uint8Array =>
    Buffer.concat(
      messagesOf([
        {
          key: utf8(key),
          cells: [{ family: 'f', qualifier: utf8('q'), timestamp: 0n, value: utf8('v') }],
        },
      ]),
    );
  const passed = (messages: readonly Uint8Array[], reversed = false): string | undefined => {
    const reader = new ChunkDecoder(reversed);
    for (const message of messages) reader.add(message);
    return reader.lastKey && Buffer.from(reader.lastKey).toString();
  };
  test('goes on behind it, never back', () => {
    expect(passed([])).toBeUndefined();
    expect(passed([row('b'), scanned('d')])).toBe('d');
    expect(passed([row('b'), scanned('a')])).toBe('b');
    expect(passed([row('b'), scanned('a')], true)).toBe('a');
    expect(passed([scanned('d'), row('e')])).toBe('e');
    expect(() => passed([scanned('d'), row('c')])).toThrow(refusal);
  });
  test('no message is kept for it', () => {
    const reader = new ChunkDecoder(false);
    for (let i = 0; i < 1000; i++) reader.add(scanned(`k${String(i).padStart(4, '0')}`));
    expect(
      (reader as unknown as { index: { buffers: unknown[] } }).index.buffers.length,
    ).toBeLessThan(3);
  });
});

describe('fields in any order and form', () => {
  const one = {
    rowKey: utf8('k'),
    familyName: { value: 'f' },
    qualifier: { value: utf8('q') },
    timestampMicros: 5000,
    value: utf8('v'),
    commitRow: true,
  };
  const chunk = encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', one);
  /** The fields of the chunk, each with its tag. */
  const fields = [
    chunk.subarray(0, 3),
    chunk.subarray(3, 8),
    chunk.subarray(8, 13),
    chunk.subarray(13, 16),
    chunk.subarray(16, 19),
    chunk.subarray(19),
  ];
  const expected = shown([
    {
      key: utf8('k'),
      cells: [{ family: 'f', qualifier: utf8('q'), timestamp: 5000n, value: utf8('v') }],
    },
  ]);

  test('the order does not matter, and unknown fields are passed over', () => {
    expect(Buffer.concat(fields).equals(chunk)).toBe(true);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(fields, { minLength: 6, maxLength: 6 }),
        fc.constantFrom(
          [],
          [0x78, 1],
          [0x7a, 2, 9, 9],
          [0x7b, 0x08, 1, 0x7c],
          [0x7d, 1, 2, 3, 4],
          [0x79, 1, 2, 3, 4, 5, 6, 7, 8],
        ),
        (order, unknown) => {
          expect(
            shown(
              readAll([
                Buffer.concat([
                  messageOf([Buffer.concat([Buffer.from(unknown), ...order])]),
                  Buffer.from(unknown),
                ]),
              ]),
            ),
          ).toEqual(expected);
        },
      ),
    );
  });
  test('lengths that take more bytes than they need', () => {
    expect(
      shown(
        readAll([
          messageOf([Buffer.concat([Buffer.of(0x0a, 0x81, 0x00), utf8('k'), ...fields.slice(1)])]),
        ]),
      ),
    ).toEqual(expected);
    expect(
      shown(
        readAll([
          messageOf([
            Buffer.concat([
              fields[0],
              Buffer.of(0x12, 0x84, 0x00, 0x0a, 0x81, 0x00),
              utf8('f'),
              ...fields.slice(2),
            ]),
          ]),
        ]),
      ),
    ).toEqual(expected);
  });
});

describe('bytes that no server should send are a typed error, and never a wrong row', () => {
  /** What comes out before the reader refuses, if it does. */
  function survive(messages: readonly Uint8Array[]): void {
    const reader = new ChunkDecoder(false);
    let last: Uint8Array | undefined;
    try {
      for (const message of messages) {
        reader.add(message);
        for (let page = reader.page(3); page !== undefined; page = reader.page(3)) {
          while (page.nextRow()) {
            const { key, cells } = copyRow(page);
            if (last !== undefined) expect(compareBytes(last, key)).toBeLessThan(0);
            expect(cells.length).toBeGreaterThan(0);
            last = key;
          }
        }
      }
      reader.end();
    } catch (error) {
      expect(error).toEqual(refusal);
    }
  }

  test('any bytes', () => {
    const likely = fc.constantFrom(
      0x0a,
      0x12,
      0x1a,
      0x20,
      0x2a,
      0x32,
      0x38,
      0x40,
      0x48,
      0x00,
      0x01,
      0x02,
      0x03,
      0x80,
      0xff,
    );
    fc.assert(
      fc.property(
        fc.array(
          fc
            .array(fc.oneof(likely, fc.integer({ min: 0, max: 255 })), { maxLength: 80 })
            .map((list) => Uint8Array.from(list)),
          { maxLength: 3 },
        ),
        survive,
      ),
      { numRuns: 2000 },
    );
  });
  test('chunks in any order, twice, or missing', () => {
    fc.assert(
      fc.property(
        rows.chain((given) =>
          fc.array(fc.constantFrom(...chunksOf(messagesOf(given)), resetChunk), { maxLength: 30 }),
        ),
        sizes,
        (chunks, each) => survive(cut(chunks, each)),
      ),
      { numRuns: 500 },
    );
  });
  test('right messages with a byte changed, or cut', () => {
    fc.assert(
      fc.property(
        rows,
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (given, place, byte, shorten) => {
          const message = Buffer.concat(messagesOf(given));
          if (message.length === 0) return;
          const at = place % message.length;
          if (!shorten) message[at] = byte;
          survive([shorten ? message.subarray(0, at) : message]);
        },
      ),
      { numRuns: 2000 },
    );
  });
  test('a family name that is no text', () => {
    expect(() =>
      readAll([
        messageOf([Uint8Array.of(0x0a, 1, 0x6b, 0x12, 3, 0x0a, 1, 0xff, 0x1a, 0, 0x48, 1)]),
      ]),
    ).toThrow(refusal);
  });
});
