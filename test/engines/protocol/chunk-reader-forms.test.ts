/** Fields in any order and form, and malformed responses. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compareBytes } from '../../../src/base/index.js';
import { ChunkDecoder } from '../../../src/engines/protocol/index.js';
import { copyRow } from '../../../src/data/store/index.js';
import { chunksOf, messageOf, messagesOf } from './chunk-messages.js';
import { encodePublished } from './published.js';
import fc from '../../support/fast-check.js';
import { minGrowth } from '../../support/growth.js';
import { utf8, textOf, decodeAll, grouped, rows, sizes, resetChunk } from './read-chunks.js';

/** Cases of each property. */
const runs = Number(process.env.RUNS ?? 150);

const protocolError = expect.objectContaining({ code: 'STORAGE_FAILED' });

async function collectGarbage(): Promise<void> {
  // Objects that a WeakRef returned stay alive until the end of the current task.
  await new Promise((resolve) => setTimeout(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

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
      { numRuns: runs },
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
      { numRuns: 200 },
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
      { numRuns: runs },
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

test('a row in many messages is not moved at each of them', () => {
  const messagesOfRow = (count: number): Uint8Array[] => {
    const cells = Array.from({ length: count }, (_, n) => ({
      family: 'f',
      qualifier: utf8(`q${n + 10_000}`),
      timestamp: 0n,
      value: utf8('v'),
    }));
    return chunksOf(messagesOf([{ key: utf8('k'), cells }])).map((chunk) => messageOf([chunk]));
  };
  const counts = [500, 5_000] as const;
  const messages = new Map(counts.map((count) => [count as number, messagesOfRow(count)]));
  const read = (count: number): void => {
    const decoder = new ChunkDecoder(false);
    for (const message of messages.get(count)!) decoder.add(message);
    expect([decoder.rowsRead, decoder.row() !== undefined]).toEqual([1, true]);
  };
  // Ten times the messages, and if the cells are moved, a hundred times the work.
  expect(minGrowth(read, counts, 25)).toBeLessThan(25);
});
