/** Malformed bytes are decoded in linear time. */
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { minGrowth } from '../../support/growth.js';
import { everything } from './message-arbitrary.js';

describe.each<Compilation>(['source', 'closures'])(
  'compiled to %s, the cost is linear in the number of bytes',
  (compilation) => {
    const repeat = (part: readonly number[], times: number): Uint8Array =>
      Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length]);
    // With quadratic costs, eight times the parts would take 64 times as long.
    test.each<[string, readonly number[], number]>([
      [
        'one message in many parts, each with an unknown field',
        [0xa2, 0x01, 0x03, 0xc8, 0x3e, 0x01],
        100_000,
      ],
      ['unknown fields among known ones', [0xc8, 0x3e, 0x01, 0x18, 0x01], 100_000],
      ['map entries with the same key', [0xb2, 0x01, 0x03, 0x0a, 0x01, 0x61], 100_000],
      [
        'nested messages in many parts',
        [0xa2, 0x01, 0x06, 0xa2, 0x01, 0x03, 0xa2, 0x01, 0x00],
        60_000,
      ],
    ])('%s', (_name, part, times) => {
      const codec = messageCodec(everything, compilation);
      const growth = minGrowth(
        (size) => {
          const bytes = repeat(part, size);
          codec.encode(codec.decode(bytes, 0, bytes.length));
        },
        [times / 8, times],
        20,
      );
      expect(growth).toBeLessThan(40);
    });
  },
);
