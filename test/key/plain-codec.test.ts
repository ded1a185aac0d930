/**
 * The optimised readers and writers agree with a simple, slow version: on values, and on bytes that
 * are almost those of a value.
 */
import { buildKeyCodec } from '../../src/key/index.js';
import type { SegmentType } from '../../src/key/index.js';
import { hexFloatField, orderedFloatField } from '../../src/key/kinds/float-kind.js';
import {
  readBigEndianInt64,
  readOrderedInt64,
  writeBigEndianInt64,
  writeOrderedInt64,
} from '../../src/key/encoding/int64.js';
import {
  bitwiseNot,
  readComplement,
  readDigits,
  writeComplement,
  writeDigits,
} from '../../src/key/encoding/digits.js';
import { civilFromDays, daysFromCivil } from '../../src/key/encoding/calendar.js';
import { notAValue } from '../../src/key/encoding/segment-value-error.js';
import type { Field } from '../../src/key/kinds/field.js';
import { KeyWriter } from '../../src/key/encoding/key-writer.js';
import fc from '../support/fast-check.js';

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
      { numRuns: 2000 },
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
      { numRuns: 2000 },
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
    { numRuns: 2000 },
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
  const check = (field: Field, value: number, expected: string): void => {
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
      { numRuns: 1000 },
    );
  });
  test('ordered', () => {
    fc.assert(
      fc.property(doubles, (value) => {
        check(orderedFloatField(false), value, plainOrdered(plainFloat(value)));
        check(orderedFloatField(true), value, plainOrdered(-1n - plainFloat(value)));
      }),
      { numRuns: 1000 },
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

test('the calendar agrees with Date for the years 0000 to 9999', () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (days) => {
      const [year, month, day] = new Date(days * 86_400_000)
        .toISOString()
        .slice(0, 10)
        .split('-')
        .map(Number);
      expect(civilFromDays(days)).toBe(year * 10_000 + month * 100 + day);
      expect(daysFromCivil(year * 10_000 + month * 100 + day)).toBe(days);
    }),
    { numRuns: 2000 },
  );
  for (const civil of [0, 20260001, 20260100, 20261301, 20260230, 19000229, 20260431])
    expect(daysFromCivil(civil)).toBeNaN();
});

/** A kind, and the text of its values in a key, computed in a simple way. */
interface Plain {
  readonly type: SegmentType;
  readonly values: fc.Arbitrary<unknown>;
  readonly text: (value: never) => string;
}

const times = fc.integer({ min: 0, max: 9_223_372_036_854 }).map((ms) => new Date(ms));
const long = (value: bigint): string => (2n ** 63n - 1n - value).toString().padStart(19, '0');
const timestamps = (['ms', 'us', 'ns'] as const).flatMap((unit): Plain[] => {
  const scale = { ms: 1n, us: 1000n, ns: 1_000_000n }[unit];
  const width = { ms: 13, us: 16, ns: 19 }[unit];
  const integer = (date: Date): bigint => BigInt(date.getTime()) * scale;
  return [
    {
      type: { kind: 'timestamp', unit },
      values: times,
      text: (date: Date) => integer(date).toString().padStart(width, '0'),
    },
    {
      type: { kind: 'timestamp', unit, order: 'desc' },
      values: times,
      text: (date: Date) =>
        (10n ** BigInt(width) - 1n - integer(date)).toString().padStart(width, '0'),
    },
    {
      type: { kind: 'timestamp', unit, order: 'desc', reverseFrom: 'long' },
      values: times,
      text: (date: Date) => long(integer(date)),
    },
  ];
});
const plain: readonly Plain[] = [
  ...timestamps,
  {
    type: { kind: 'micros', order: 'desc', reverseFrom: 'long' },
    values: fc.bigInt(0n, 2n ** 63n - 1n),
    text: long,
  },
  {
    type: { kind: 'isoDate' },
    values: fc
      .integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
      .map((ms) => new Date(ms)),
    text: (date: Date) => date.toISOString(),
  },
  {
    type: { kind: 'uuid' },
    values: fc.oneof(
      fc.uuid(),
      fc.uuid().map((text) => text.toUpperCase()),
      fc.uuid().map((text) => text.replaceAll('-', '')),
    ),
    text: (value: string) =>
      value
        .toLowerCase()
        .replaceAll('-', '')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  },
  {
    type: { kind: 'uuid', dashes: false },
    values: fc.uuid(),
    text: (value: string) => value.replaceAll('-', ''),
  },
  {
    type: { kind: 'ulid' },
    values: fc.oneof(
      fc.ulid(),
      fc.ulid().map((text) => text.toLowerCase()),
    ),
    text: (value: string) => value.toUpperCase(),
  },
  {
    type: { kind: 'bytes' },
    values: fc.uint8Array({ maxLength: 40 }),
    text: (value: Uint8Array) => Buffer.from(value).toString('hex'),
  },
  {
    type: { kind: 'reversedId' },
    values: fc.maxSafeNat(),
    text: (value: number) => Array.from(String(value).padStart(16, '0')).reverse().join(''),
  },
  {
    type: { kind: 'decimal', width: 16, scale: 3 },
    values: fc.bigInt(-(10n ** 16n) + 1n, 10n ** 16n - 1n).map(
      (n) =>
        `${n < 0n ? '-' : ''}${String(n < 0n ? -n : n)
          .padStart(4, '0')
          .replace(/(.{3})$/, '.$1')}`,
    ),
    text: (value: string) => {
      const n = BigInt(value.replace('.', ''));
      return n < 0n
        ? `-${(10n ** 16n + n).toString().padStart(16, '0')}`
        : n.toString().padStart(16, '0');
    },
  },
];

test.each(plain.map((sample) => [JSON.stringify(sample.type), sample] as const))(
  '%s',
  (_name, { type, values, text }) => {
    const built = buildKeyCodec(
      {
        format: 'text',
        parts: [
          { kind: 'literal', text: 'k' },
          { kind: 'segment', name: 'v', type },
        ],
      },
      'Thing',
    );
    if ('faults' in built) throw new Error(JSON.stringify(built.faults));
    const { codec } = built;
    const read = (key: Uint8Array): unknown => {
      const target: Record<string, unknown> = {};
      return codec.decoder()(key, 0, key.length, target) ? target.v : undefined;
    };
    fc.assert(
      fc.property(values, fc.nat(40), fc.nat(255), (value, at, byte) => {
        const key = Buffer.from(codec.encode({ v: value }));
        expect(key.toString()).toBe(`k#${text(value as never)}`);
        expect(text(read(key) as never)).toBe(key.toString().slice(2));
        key[2 + (at % Math.max(1, key.length - 2))] = byte;
        const other = read(key);
        if (other !== undefined) expect(`k#${text(other as never)}`).toBe(key.toString('latin1'));
      }),
      { numRuns: 300 },
    );
  },
);

test('UUIDs and ULIDs as bytes', () => {
  const ordered = (type: SegmentType) => {
    const built = buildKeyCodec(
      { format: 'ordered', parts: [{ kind: 'segment', name: 'v', type }] },
      'Thing',
    );
    if ('faults' in built) throw new Error(JSON.stringify(built.faults));
    return (v: unknown): [string, unknown] => {
      const key = built.codec.encode({ v });
      const target: Record<string, unknown> = {};
      expect(built.codec.decoder()(key, 0, key.length, target)).toBe(true);
      return [Buffer.from(key).toString('hex'), target.v];
    };
  };
  const escaped = (hex: string): string =>
    hex.replace(/../g, (byte) => (byte === '00' ? '00ff' : byte));
  const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  fc.assert(
    fc.property(fc.uuid(), fc.ulid(), (uuid, ulid) => {
      expect(ordered({ kind: 'uuid' })(uuid)).toEqual([escaped(uuid.replaceAll('-', '')), uuid]);
      const bits = Array.from(ulid).reduce(
        (sum, character) => sum * 32n + BigInt(crockford.indexOf(character)),
        0n,
      );
      expect(ordered({ kind: 'ulid' })(ulid)).toEqual([
        escaped(bits.toString(16).padStart(32, '0')),
        ulid,
      ]);
    }),
    { numRuns: 200 },
  );
});
