/**
 * ReadRowsResponse messages -> pages: tables of cases, the encoder's own messages grouped in every
 * way, and malformed bytes.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compareBytes } from '../../src/bytes/index.js';
import { ChunkDecoder } from '../../src/protocol/index.js';
import { copyRow, noLabels, type Cell, type Row } from '../../src/store/index.js';
import { chunkCases } from './chunk-cases.js';
import { chunksOf, messageOf, messagesOf } from './chunk-messages.js';
import {
  encodeCase,
  fromGoogle,
  rowText,
  type EncodedCase,
  type GoogleChunkCase,
  type RowText,
} from './encoded-case.js';
import { describeGoogleCases } from './google-cases.js';
import { encodePublished } from './published.js';
import fc from '../support/fast-check.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const protocolError = expect.objectContaining({ code: 'STORAGE_FAILED' });

const textOf = (rows: readonly Row[]): readonly RowText[] => rows.map(rowText);

/** Decodes the messages page by page. An error is returned with the complete rows before it. */
function decode(
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
function decodeAll(
  messages: readonly Uint8Array[],
  options?: { readonly reversed?: boolean; readonly pageRows?: number },
): Row[] {
  const { rows, error } = decode(messages, options);
  if (error !== undefined) throw error as Error;
  return rows;
}

async function collectGarbage(): Promise<void> {
  // Objects that a WeakRef returned stay alive until the end of the current task.
  await new Promise((resolve) => setTimeout(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Groups chunks into messages; the sizes are used in turn. */
function grouped(chunks: readonly Uint8Array[], sizes: readonly number[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0, i = 0; at < chunks.length; i++)
    messages.push(messageOf(chunks.slice(at, (at += sizes[i % sizes.length]))));
  return messages;
}

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

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
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
/** The cells of each family together, otherwise in the same order. */
function byFamily(cells: readonly Cell[]): Cell[] {
  const families = new Set(cells.map(({ family }) => family));
  return [...families].flatMap((name) => cells.filter(({ family }) => family === name));
}
const rowOf = (cells: fc.Arbitrary<Cell[]>): fc.Arbitrary<Row> =>
  fc.record({ key: fc.uint8Array({ minLength: 1, maxLength: 40 }), cells });
const rows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(rowOf(fc.array(cell, { minLength: 1, maxLength: 6 }).map(byFamily)), {
    maxLength: 20,
    selector: ({ key }) => Buffer.from(key).toString('hex'),
  })
  .map((unsorted) => unsorted.sort((a, b) => compareBytes(a.key, b.key)));
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });

/** A chunk that discards the current row. */
const resetChunk = Buffer.from(
  encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', { resetRow: true }),
);

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
      { numRuns: 300 },
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
      { numRuns: 300 },
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
      { numRuns: 300 },
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

describe('last_scanned_row_key', () => {
  const scanned = (key: string): Uint8Array =>
    encodePublished('google.bigtable.v2.ReadRowsResponse', { lastScannedRowKey: Buffer.from(key) });
  const cell = { family: 'f', qualifier: utf8('q'), timestamp: 0n, value: utf8('v') };
  const row = (key: string): Uint8Array =>
    Buffer.concat(messagesOf([{ key: utf8(key), cells: [cell] }]));
  const lastKey = (messages: readonly Uint8Array[], reversed = false): string | undefined => {
    const decoder = new ChunkDecoder(reversed);
    for (const message of messages) decoder.add(message);
    return decoder.lastKey && Buffer.from(decoder.lastKey).toString();
  };
  test('moves the last key forward, never back', () => {
    expect(lastKey([])).toBeUndefined();
    expect(lastKey([row('b'), scanned('d')])).toBe('d');
    expect(lastKey([row('b'), scanned('a')])).toBe('b');
    expect(lastKey([row('b'), scanned('a')], true)).toBe('a');
    expect(lastKey([scanned('d'), row('e')])).toBe('e');
    expect(() => lastKey([scanned('d'), row('c')])).toThrow(protocolError);
  });
  test('messages with nothing else are not retained', async () => {
    const decoder = new ChunkDecoder(false);
    const messages: WeakRef<Uint8Array>[] = [];
    for (let i = 0; i < 1000; i++) {
      const message = scanned(`k${String(i).padStart(4, '0')}`);
      messages.push(new WeakRef(message));
      decoder.add(message);
    }
    await collectGarbage();
    expect(decoder.lastKey).toEqual(utf8('k0999'));
    expect(messages.filter((message) => message.deref() !== undefined).length).toBeLessThan(100);
  });
  test('is ignored inside a row', () => {
    const [first, second] = chunksOf(messagesOf([{ key: utf8('b'), cells: [cell, cell] }]));
    const decoder = new ChunkDecoder(false);
    for (const message of [messageOf([first]), scanned('c'), messageOf([second]), row('bb')])
      decoder.add(message);
    expect([decoder.rowsRead, decoder.advances]).toEqual([2, 2]);
  });
  test('counts as progress if it is after the last key', () => {
    const decoder = new ChunkDecoder(false);
    const advances = [row('b'), scanned('a'), scanned('b'), scanned('c'), scanned('c')].map(
      (message) => {
        decoder.add(message);
        return decoder.advances;
      },
    );
    expect(advances).toEqual([1, 1, 1, 2, 2]);
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
  const expected = textOf([
    {
      key: utf8('k'),
      cells: [{ family: 'f', qualifier: utf8('q'), timestamp: 5000n, value: utf8('v') }],
    },
  ]);

  test('the order does not matter, and unknown fields are skipped', () => {
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
            textOf(
              decodeAll([
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
  test('lengths in more bytes than necessary', () => {
    expect(
      textOf(
        decodeAll([
          messageOf([Buffer.concat([Buffer.of(0x0a, 0x81, 0x00), utf8('k'), ...fields.slice(1)])]),
        ]),
      ),
    ).toEqual(expected);
    expect(
      textOf(
        decodeAll([
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

describe('malformed responses are a typed error, and never a wrong row', () => {
  /** Decodes until an error, if there is one, and checks the rows before it. */
  function checkRobust(messages: readonly Uint8Array[]): void {
    const decoder = new ChunkDecoder(false);
    let last: Uint8Array | undefined;
    try {
      for (const message of messages) {
        decoder.add(message);
        for (let page = decoder.page(3); page !== undefined; page = decoder.page(3)) {
          while (page.nextRow()) {
            const { key, cells } = copyRow(page);
            if (last !== undefined) expect(compareBytes(last, key)).toBeLessThan(0);
            expect(cells.length).toBeGreaterThan(0);
            last = key;
          }
        }
      }
      decoder.end();
    } catch (error) {
      expect(error).toEqual(protocolError);
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
        checkRobust,
      ),
      { numRuns: 2000 },
    );
  });
  test('chunks in any order, repeated or missing', () => {
    fc.assert(
      fc.property(
        rows.chain((given) =>
          fc.array(fc.constantFrom(...chunksOf(messagesOf(given)), resetChunk), { maxLength: 30 }),
        ),
        sizes,
        (chunks, each) => checkRobust(grouped(chunks, each)),
      ),
      { numRuns: 500 },
    );
  });
  test('valid messages with a changed byte, or truncated', () => {
    fc.assert(
      fc.property(
        rows,
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (given, position, byte, truncate) => {
          const message = Buffer.concat(messagesOf(given));
          if (message.length === 0) return;
          const at = position % message.length;
          if (!truncate) message[at] = byte;
          checkRobust([truncate ? message.subarray(0, at) : message]);
        },
      ),
      { numRuns: 2000 },
    );
  });
  test('a family name that is not UTF-8', () => {
    expect(() =>
      decodeAll([
        messageOf([Uint8Array.of(0x0a, 1, 0x6b, 0x12, 3, 0x0a, 1, 0xff, 0x1a, 0, 0x48, 1)]),
      ]),
    ).toThrow(protocolError);
  });
});
