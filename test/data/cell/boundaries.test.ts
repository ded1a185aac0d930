/** Texts and times in messages, around the lengths and values at which the encoding changes. */
import { CodecError, varintLength } from '../../../src/data/cell/index.js';
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { messageShape } from './message-arbitrary.js';
import { one } from './status-message.js';

test('the bytes of a varint', () => {
  for (const [bytes, max] of [2 ** 7, 2 ** 14, 2 ** 21, 2 ** 28].entries())
    expect([max - 1, max].map(varintLength)).toEqual([bytes + 1, bytes + 2]);
  expect([0, 2 ** 32 - 1].map(varintLength)).toEqual([1, 5]);
});

const shape = messageShape('Edge', [one('text', 1, 'string'), one('time', 2, 'timestamp')]);

describe.each<Compilation>(['source', 'closures'])('compiled to %s', (compilation) => {
  const codec = messageCodec<{ text?: string; time?: Date }>(shape, compilation);

  test.each([0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 126, 127, 128, 129, 130, 16_383, 16_384])(
    'a text of %d units, with one letter of several bytes anywhere',
    (length) => {
      const plain = 'x'.repeat(length);
      const places = Array.from({ length: length < 200 ? length : 1 }, (_, i) => i);
      const texts = places.map((i) => `${plain.slice(0, i)}\u20ac${plain.slice(i + 1)}`);
      for (const text of [plain, ...texts]) {
        const bytes = codec.encode({ text });
        expect(Buffer.from(bytes).toString().endsWith(text)).toBe(true);
        expect(codec.decode(bytes, 0, bytes.length).text ?? '').toBe(text);
      }
    },
  );

  test('nanoseconds up to the last of a second', () => {
    /** A message with a Timestamp of these nanoseconds. */
    const withNanos = (nanos: number): Uint8Array => {
      const varint: number[] = [];
      let rest = nanos;
      for (; rest > 0x7f; rest >>>= 7) varint.push((rest & 0x7f) | 0x80);
      return Uint8Array.of(0x12, varint.length + 2, 0x10, ...varint, rest);
    };
    const bytes = withNanos(999_999_999);
    const message = codec.decode(bytes, 0, bytes.length);
    expect(message.time).toEqual(new Date(999));
    expect(codec.encode(message)).toEqual(bytes);
    const beyond = withNanos(1_000_000_000);
    expect(() => codec.decode(beyond, 0, beyond.length)).toThrow(CodecError);
  });
});
