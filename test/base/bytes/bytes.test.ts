import {
  compareBytes,
  compareSlices,
  concatBytes,
  equalBytes,
  fromHex,
  printable,
  toHex,
} from '../../../src/base/index.js';
import fc from '../../support/fast-check.js';

const bytes = fc.uint8Array({ maxLength: 12 });
/** Few byte values, so that equal prefixes and equal strings are common. */
const similar = fc
  .array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { maxLength: 5 })
  .map((values) => Uint8Array.from(values));

describe('the order of byte strings', () => {
  test('is that of Buffer.compare', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, similar), fc.oneof(bytes, similar), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b));
        expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });

  test('is the same inside larger buffers', () => {
    fc.assert(
      fc.property(similar, similar, bytes, bytes, (a, b, before, after) => {
        const left = concatBytes(before, a, after);
        const right = concatBytes(after, b, before);
        const order = compareSlices(
          left,
          before.length,
          before.length + a.length,
          right,
          after.length,
          after.length + b.length,
        );
        expect(Math.sign(order)).toBe(Buffer.compare(a, b));
      }),
    );
  });

  test('is not that of JavaScript text', () => {
    const [face, replacement] = ['\u{1F600}', '\uFFFD'];
    expect(face < replacement).toBe(true);
    expect(compareBytes(Buffer.from(face), Buffer.from(replacement))).toBeGreaterThan(0);
  });
});

describe('bytes as text', () => {
  test('hexadecimal text is decoded in either case', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        expect(toHex(value)).toBe(Buffer.from(value).toString('hex'));
        expect(fromHex(toHex(value))).toEqual(value);
        expect(fromHex(toHex(value).toUpperCase())).toEqual(value);
      }),
    );
  });

  test.each(['0', 'abc', 'zz', '0x', ' 00', '00\n', '+1', '1 '])(
    '%j is not hexadecimal',
    (text) => {
      expect(fromHex(text)).toBeUndefined();
    },
  );

  test('printable text is unique, and keeps ASCII readable', () => {
    expect(printable(Buffer.from('acme#d1\\\x00\xff', 'latin1'))).toBe('acme#d1\\x5c\\x00\\xff');
    fc.assert(
      fc.property(similar, similar, (a, b) => (printable(a) === printable(b)) === equalBytes(a, b)),
    );
  });
});

test('concatBytes copies its parts in order', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 4 }), (parts) => {
      const joined = concatBytes(...parts);
      expect(Buffer.compare(joined, Buffer.concat(parts))).toBe(0);
      for (const part of parts) part.fill(1);
      expect(joined.buffer.byteLength).toBe(joined.length);
    }),
  );
});
