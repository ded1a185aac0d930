/**
 * The optimised readers and writers agree with a simple, slow version: on values, and on bytes that
 * almost encode a value.
 */
import { hexFloatField, orderedFloatField } from '../../../src/data/key/kinds/float-kind.js';
import {
  readBigEndianInt64,
  readOrderedInt64,
  writeBigEndianInt64,
  writeOrderedInt64,
} from '../../../src/data/key/encoding/int64.js';
import {
  bitwiseNot,
  readComplement,
  readDigits,
  writeComplement,
  writeDigits,
} from '../../../src/data/key/encoding/digits.js';
import { notAValue } from '../../../src/data/key/encoding/segment-value-error.js';
import type { SegmentField } from '../../../src/data/key/fields/field.js';
import { KeyWriter } from '../../../src/data/key/encoding/key-writer.js';
import fc from '../../support/fast-check.js';

/** Cases of each property. */
const runs = Number(process.env.RUNS ?? 200);

const written = (write: (out: KeyWriter) => void): Buffer => {
  const out = new KeyWriter();
  out.byte(0xee);
  write(out);
  return Buffer.from(out.copy(1));
};

const nearInt64 = fc.oneof(
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.bigInt(-70n, 70n),
  fc.bigInt(-(2n ** 53n) - 3n, -(2n ** 53n) + 3n),
  fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n),
  fc
    .tuple(fc.nat(62), fc.bigInt(-2n, 2n), fc.boolean())
    .map(([bits, off, negative]) => (negative ? -1n : 1n) * 2n ** BigInt(bits) + off),
);

const safe = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value ? Number(value) : value;

/** google/orderedcode's rule, bit by bit as text: n ones, a zero, 7n - 1 bits of value. */
function plainOrdered(value: bigint): string {
  const size = value < 0n ? -1n - value : value;
  let n = 1;
  while (size >= 2n ** BigInt(7 * n - 1)) n++;
  const bits = `${'1'.repeat(n)}0${size.toString(2).padStart(7 * n - 1, '0')}`;
  const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  return (value < 0n ? Buffer.from(bytes.map((byte) => byte ^ 0xff)) : bytes).toString('hex');
}

/** An int64 that sorts like the double, computed with bigints. */
function plainFloat(value: number): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value + 0);
  const bits = bytes.readBigInt64BE();
  return bits < 0n ? -(2n ** 63n) - bits : bits;
}

describe('int64', () => {
  test('ordered code', () => {
    fc.assert(
      fc.property(nearInt64, (value) => {
        const expected = plainOrdered(value);
        expect(written((out) => writeOrderedInt64(out, value)).toString('hex')).toBe(expected);
        expect(written((out) => writeOrderedInt64(out, safe(value))).toString('hex')).toBe(
          expected,
        );
        const bytes = Buffer.from(`ee${expected}ee`, 'hex');
        expect(readOrderedInt64(bytes, 1, bytes.length - 1)).toBe(safe(value));
      }),
      { numRuns: runs },
    );
  });
  test('bytes that are not the canonical code of an int64 are rejected', () => {
    fc.assert(
      fc.property(
        nearInt64,
        fc.uint8Array({ minLength: 1, maxLength: 12 }),
        fc.nat(11),
        fc.nat(255),
        (value, random, at, byte) => {
          const near = Buffer.from(plainOrdered(value), 'hex');
          near[at % near.length] ^= byte;
          for (const bytes of [near, near.subarray(1), Buffer.concat([near, random]), random]) {
            const read = readOrderedInt64(bytes, 0, bytes.length);
            if (read !== undefined)
              expect(plainOrdered(BigInt(read))).toBe(Buffer.from(bytes).toString('hex'));
          }
        },
      ),
      { numRuns: runs },
    );
  });
  test('big endian', () => {
    fc.assert(
      fc.property(nearInt64, (value) => {
        const expected = Buffer.alloc(8);
        expected.writeBigInt64BE(value);
        expect(written((out) => writeBigEndianInt64(out, safe(value)))).toEqual(expected);
        expect(readBigEndianInt64(expected, 0, 8)).toBe(safe(value));
      }),
    );
  });
});

test('digits of every width, plain and complemented', () => {
  const sized = fc.integer({ min: 1, max: 99 }).chain((width) =>
    fc.tuple(
      fc.constant(width),
      fc.oneof(
        fc.bigInt(0n, 10n ** BigInt(width) - 1n),
        fc.bigInt(0n, 9n),
        fc.constant(10n ** BigInt(width) - 1n),
        nearInt64.map((n) => (n < 0n ? -n : n) % 10n ** BigInt(width)),
      ),
    ),
  );
  fc.assert(
    fc.property(
      sized,
      fc.boolean(),
      fc.nat(98),
      fc.constantFrom(0x2f, 0x3a, 0x00, 0xff),
      ([width, value], complement, at, wrong) => {
        const [read, write] = complement
          ? [readComplement, writeComplement]
          : [readDigits, writeDigits];
        const expected = (complement ? 10n ** BigInt(width) - 1n - value : value)
          .toString()
          .padStart(width, '0');
        expect(written((out) => write(out, safe(value), width)).toString()).toBe(expected);
        const bytes = Buffer.from(`x${expected}x`);
        expect(read(bytes, 1, width + 1)).toBe(safe(value));
        bytes[1 + (at % width)] = wrong;
        expect(read(bytes, 1, width + 1)).toBeUndefined();
      },
    ),
    { numRuns: runs },
  );
});

describe('doubles', () => {
  const doubles = fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom(
      0,
      -0,
      5e-324,
      -5e-324,
      2 ** -1022,
      -(2 ** -1022),
      1,
      -1,
      2 ** 32,
      -(2 ** 32),
      Infinity,
      -Infinity,
    ),
  );
  const check = (field: SegmentField, value: number, expected: string): void => {
    expect(written((out) => field.write(out, value)).toString('hex')).toBe(expected);
    const bytes = Buffer.from(expected, 'hex');
    expect(field.reader()(bytes, 0, bytes.length)).toBe(value + 0);
  };
  test('text', () => {
    fc.assert(
      fc.property(doubles, (value) => {
        const position = BigInt.asUintN(
          64,
          value + 0 < 0 ? plainFloat(value) - 1n + 2n ** 63n : plainFloat(value) + 2n ** 63n,
        );
        const ascending = position.toString(16).padStart(16, '0');
        check(hexFloatField(false), value, Buffer.from(ascending).toString('hex'));
        check(
          hexFloatField(true),
          value,
          Buffer.from((2n ** 64n - 1n - position).toString(16).padStart(16, '0')).toString('hex'),
        );
      }),
      { numRuns: runs },
    );
  });
  test('ordered', () => {
    fc.assert(
      fc.property(doubles, (value) => {
        check(orderedFloatField(false), value, plainOrdered(plainFloat(value)));
        check(orderedFloatField(true), value, plainOrdered(-1n - plainFloat(value)));
      }),
      { numRuns: runs },
    );
  });
  test('NaN, -0 and malformed digits are not a value', () => {
    for (const text of [
      '0000000000000000',
      'ffffffffffffffff',
      '7fffffffffffffff',
      '800000000000000',
      '80000000000000000',
      '800000000000000G',
      '800000000000000A',
      '80000000:0000000',
    ]) {
      const bytes = Buffer.from(text);
      expect(hexFloatField(false).reader()(bytes, 0, bytes.length)).toBe(notAValue);
    }
    for (const value of [-(2n ** 63n), 0x7ff0000000000001n, -0x7ff0000000000001n, 2n ** 63n - 1n]) {
      const bytes = Buffer.from(plainOrdered(value), 'hex');
      expect(orderedFloatField(false).reader()(bytes, 0, bytes.length)).toBe(notAValue);
    }
  });
});

test('-1 - n', () => {
  fc.assert(
    fc.property(nearInt64, (value) => {
      expect(BigInt(bitwiseNot(safe(value)))).toBe(-1n - value);
    }),
  );
});
