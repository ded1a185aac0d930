import { fromHex, toHex } from '../../../src/base/index.js';
import { CodecError, scalarCodec } from '../../../src/data/cell/index.js';
import type { ScalarKind } from '../../../src/data/cell/index.js';
import fc, { anyCharacter } from '../../support/fast-check.js';

const encode = (kind: ScalarKind, value: unknown): string => toHex(scalarCodec(kind).encode(value));
const decode = (kind: ScalarKind, hex: string): unknown => {
  const bytes = fromHex(`aa${hex}aa`)!;
  return scalarCodec(kind).decode(bytes, 1, bytes.length - 1);
};
const errorOf = (run: () => unknown): CodecError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    expect((error as CodecError).fix).not.toBe('');
    return error as CodecError;
  }
  throw new Error('no error was thrown');
};

describe('encoding of each kind', () => {
  test.each<[ScalarKind, unknown, string]>([
    ['string', '', ''],
    ['string', 'abc', '616263'],
    ['string', 'é€😀', 'c3a9e282acf09f9880'],
    ['string', '\ufffd', 'efbfbd'],
    ['string', '\ufeffa', 'efbbbf61'],
    ['bytes', Uint8Array.of(0, 255), '00ff'],
    ['bool', true, '01'],
    ['bool', false, '00'],
    ['int32', 1, '0000000000000001'],
    ['int32', -1, 'ffffffffffffffff'],
    ['int32', -0x80000000, 'ffffffff80000000'],
    ['int32', 0x7fffffff, '000000007fffffff'],
    ['uint32', 0xffffffff, '00000000ffffffff'],
    ['int64', 258n, '0000000000000102'],
    ['int64', -(2n ** 63n), '8000000000000000'],
    ['int64', 2n ** 63n - 1n, '7fffffffffffffff'],
    ['double', 1.5, '3ff8000000000000'],
    ['double', -0, '8000000000000000'],
    ['double', NaN, '7ff8000000000000'],
    ['double', -Infinity, 'fff0000000000000'],
    ['float', 1.5, '3fc00000'],
    ['timestamp', new Date(0), '0000000000000000'],
    ['timestamp', new Date(-1), 'fffffffffffffc18'],
    ['timestamp', new Date(8.64e15), '77e772392b600000'],
    ['timestamp', new Date(-8.64e15), '88188dc6d4a00000'],
    ['date', '2024-02-29', '323032342d30322d3239'],
    ['json', { a: [1, null, 'é'] }, '7b2261223a5b312c6e756c6c2c22c3a9225d7d'],
  ])('%s %p is encoded as %s', (kind, value, hex) => {
    expect(encode(kind, value)).toBe(hex);
    expect(decode(kind, hex)).toStrictEqual(value);
  });

  test('a float is rounded to the nearest value', () => {
    expect(decode('float', encode('float', 0.1))).toBe(Math.fround(0.1));
  });
});

describe('decoding an encoded value returns the value', () => {
  const roundTrips = <T>(kind: ScalarKind, values: fc.Arbitrary<T>): void => {
    test(kind, () => {
      fc.assert(
        fc.property(values, (value) =>
          expect(decode(kind, encode(kind, value))).toStrictEqual(value),
        ),
      );
    });
  };
  roundTrips('string', fc.string({ unit: anyCharacter, maxLength: 80 }));
  roundTrips('bytes', fc.uint8Array());
  roundTrips('int32', fc.integer());
  roundTrips('uint32', fc.nat(0xffffffff));
  roundTrips('int64', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  roundTrips('double', fc.double());
  roundTrips('float', fc.float());
  roundTrips('timestamp', fc.date({ noInvalidDate: true }));
  roundTrips(
    'date',
    fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  );
  roundTrips(
    'json',
    fc
      .jsonValue({ stringUnit: anyCharacter })
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  );
});

describe('rejected values', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[ScalarKind, unknown, string]>([
    ['string', 5, 'expected a string, got the number 5'],
    ['string', undefined, 'expected a string, got undefined'],
    ['string', 'a\ud800', 'the text contains a lone surrogate, which UTF-8 cannot encode'],
    ['bytes', 'abc', 'expected a Uint8Array, got the string "abc"'],
    ['bytes', [1], 'expected a Uint8Array, got an array'],
    ['bool', 1, 'expected a boolean, got the number 1'],
    ['int32', 1.5, 'expected a whole number for int32, got the number 1.5'],
    ['int32', NaN, 'expected a whole number for int32, got the number NaN'],
    [
      'int32',
      2 ** 31,
      'the number 2147483648 is outside the range of int32, -2147483648 to 2147483647',
    ],
    ['int32', 1n, 'expected a number for int32, got the bigint 1n'],
    ['uint32', -1, 'the number -1 is outside the range of uint32, 0 to 4294967295'],
    ['int64', 5, 'expected a bigint for int64, got the number 5'],
    [
      'int64',
      2n ** 63n,
      'the bigint 9223372036854775808n is outside the range of int64, -2^63 to 2^63-1',
    ],
    ['double', '1', 'expected a number for double, got the string "1"'],
    [
      'float',
      1e39,
      'the number 1e+39 is outside the range of float: the largest value is about 3.4e38',
    ],
    ['timestamp', new Date(NaN), 'the Date is invalid'],
    ['timestamp', 0, 'expected a Date, got the number 0'],
    ['date', '2023-02-29', 'the string "2023-02-29" is not a calendar day'],
    ['date', '1900-02-29', 'the string "1900-02-29" is not a calendar day'],
    ['date', '0000-01-01', 'the string "0000-01-01" is not a calendar day'],
    ['date', '2024-1-1', 'the string "2024-1-1" is not a calendar day'],
    ['date', '2024-01-01\n', 'the string "2024-01-01\\n" is not a calendar day'],
    ['json', undefined, 'JSON cannot represent undefined'],
    ['json', cycle, 'the value is nested deeper than 1000 levels, or contains itself'],
    [
      'json',
      Object.assign([1], { extra: 1 }),
      'the array has properties other than its elements, which JSON would drop',
    ],
    [
      'json',
      { [Symbol('s')]: 1 },
      'the property Symbol(s) is a symbol, not enumerable or an accessor, which JSON cannot represent',
    ],
  ])('%s %p', (kind, value, problem) => {
    expect(errorOf(() => encode(kind, value)).problem).toBe(problem);
  });

  test.each<[unknown, string, string]>([
    [{ a: undefined }, 'a', 'undefined'],
    [{ a: [1, { b: NaN }] }, 'a[1].b', 'the number NaN'],
    [[, 1], '[0]', 'undefined'], // oxlint-disable-line no-sparse-arrays
    [{ when: new Date(0) }, 'when', 'a Date'],
    [{ tags: new Map() }, 'tags', 'a Map'],
    [{ n: 1n }, 'n', 'the bigint 1n'],
    [{ f: () => 1 }, 'f', 'a function'],
    [
      {
        x: new (class Point {
          x = 1;
        })(),
      },
      'x',
      'a Point',
    ],
    [[Infinity], '[0]', 'the number Infinity'],
    [{ a: [0, -0] }, 'a[1]', 'the number -0'],
  ])('json %p: the error has the path', (value, path, description) => {
    const error = errorOf(() => encode('json', value));
    expect([error.path, error.problem]).toEqual([path, `JSON cannot represent ${description}`]);
  });
});

describe('rejected cells', () => {
  test.each<[ScalarKind, string, string]>([
    ['string', 'ff', 'the text is not valid UTF-8'],
    ['string', 'c0af', 'the text is not valid UTF-8'],
    ['string', 'eda080', 'the text is not valid UTF-8'],
    ['string', `${'61'.repeat(40)}c3`, 'the text is not valid UTF-8'],
    ['bool', '', 'expected 1 byte for bool, but the cell has 0'],
    ['bool', '02', 'a bool is 0x00 or 0x01, but the cell contains 0x2'],
    ['int32', '00000001', 'expected 8 bytes for int32, but the cell has 4'],
    [
      'int32',
      '0000000080000000',
      'the cell contains 2147483648, which is outside the range of int32',
    ],
    ['uint32', 'ffffffffffffffff', 'the cell contains -1, which is outside the range of uint32'],
    ['int64', '', 'expected 8 bytes for int64, but the cell has 0'],
    ['double', '00', 'expected 8 bytes for double, but the cell has 1'],
    ['float', '0000000000000000', 'expected 4 bytes for float, but the cell has 8'],
    ['timestamp', '00', 'expected 8 bytes for timestamp, but the cell has 1'],
    [
      'timestamp',
      '0000000000000001',
      'the cell has microsecond precision, which a Date cannot represent',
    ],
    ['timestamp', '7ce66c50e2840000', 'the cell contains a timestamp outside the range of Date'],
    ['date', '323032342d31332d3031', 'the cell does not contain a calendar day'],
    ['date', '', 'the cell does not contain a calendar day'],
  ])('%s %s', (kind, hex, problem) => {
    expect(errorOf(() => decode(kind, hex)).problem).toBe(problem);
  });

  test('json with invalid text', () => {
    expect(errorOf(() => decode('json', '7b')).problem).toMatch(
      /^the cell does not contain JSON: /,
    );
    expect(errorOf(() => decode('json', '')).problem).toMatch(/^the cell does not contain JSON: /);
  });
});

test('encoded and decoded bytes own their memory', () => {
  const given = Uint8Array.of(1, 2, 3);
  const cell = scalarCodec('bytes').encode(given);
  given[0] = 9;
  expect([...cell]).toEqual([1, 2, 3]);
  const read = scalarCodec('bytes').decode(cell, 0, 3);
  cell[1] = 9;
  expect([...read]).toEqual([1, 2, 3]);
});

test('every kind decodes from the middle of a buffer', () => {
  const buffer = Buffer.alloc(4096, 0xff);
  const values: [ScalarKind, unknown][] = [
    ['string', 'short'],
    ['string', 'a longer text that is decoded by a native call: é'],
    ['bytes', Uint8Array.from({ length: 100 }, (_, i) => i)],
    ['bool', true],
    ['int32', -7],
    ['int64', -(2n ** 40n)],
    ['double', Math.PI],
    ['float', 0.5],
    ['timestamp', new Date(1e12)],
    ['date', '2026-11-20'],
    ['json', { deep: [1, 'a text that is longer than twenty bytes'] }],
  ];
  for (const [kind, value] of values) {
    const bytes = scalarCodec(kind).encode(value);
    for (let i = 0; i < bytes.length; i++) buffer[1000 + i] = bytes[i];
    expect(scalarCodec(kind).decode(buffer, 1000, 1000 + bytes.length)).toStrictEqual(value);
  }
});
