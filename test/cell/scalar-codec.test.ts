import { fromHex, toHex } from '../../src/bytes/index.js';
import { CellFault, scalarCodec } from '../../src/cell/index.js';
import type { ScalarKind } from '../../src/cell/index.js';
import fc from '../support/fast-check.js';

const encode = (kind: ScalarKind, value: unknown): string => toHex(scalarCodec(kind).encode(value));
const decode = (kind: ScalarKind, hex: string): unknown => {
  const bytes = fromHex(`aa${hex}aa`)!;
  return scalarCodec(kind).decode(bytes, 1, bytes.length - 1);
};
const faultOf = (run: () => unknown): CellFault => {
  try {
    run();
  } catch (fault) {
    expect(fault).toBeInstanceOf(CellFault);
    expect((fault as CellFault).fix).not.toBe('');
    return fault as CellFault;
  }
  throw new Error('nothing was refused');
};

describe('bytes of each kind', () => {
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
  ])('%s %p is %s', (kind, value, hex) => {
    expect(encode(kind, value)).toBe(hex);
    expect(decode(kind, hex)).toStrictEqual(value);
  });

  test('a float is rounded to the nearest', () => {
    expect(decode('float', encode('float', 0.1))).toBe(Math.fround(0.1));
  });
});

describe('what comes back is what was given', () => {
  const law = <T>(kind: ScalarKind, values: fc.Arbitrary<T>): void => {
    test(kind, () => {
      fc.assert(
        fc.property(values, (value) =>
          expect(decode(kind, encode(kind, value))).toStrictEqual(value),
        ),
      );
    });
  };
  law('string', fc.string({ unit: 'binary', maxLength: 80 }));
  law('bytes', fc.uint8Array());
  law('int32', fc.integer());
  law('uint32', fc.nat(0xffffffff));
  law('int64', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  law('double', fc.double());
  law('float', fc.float());
  law('timestamp', fc.date({ noInvalidDate: true }));
  law(
    'date',
    fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
  );
  law(
    'json',
    fc
      .jsonValue({ stringUnit: 'binary' })
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  );
});

describe('values that are refused', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[ScalarKind, unknown, string]>([
    ['string', 5, 'expected a string, got the number 5'],
    ['string', undefined, 'expected a string, got undefined'],
    ['string', 'a\ud800', 'the text holds a lone surrogate, which UTF-8 cannot hold'],
    ['bytes', 'abc', 'expected a Uint8Array, got the string "abc"'],
    ['bytes', [1], 'expected a Uint8Array, got an array'],
    ['bool', 1, 'expected a boolean, got the number 1'],
    ['int32', 1.5, 'int32 takes whole numbers, got the number 1.5'],
    ['int32', NaN, 'int32 takes whole numbers, got the number NaN'],
    ['int32', 2 ** 31, 'the number 2147483648 is outside int32, -2147483648 to 2147483647'],
    ['int32', 1n, 'expected a number for int32, got the bigint 1n'],
    ['uint32', -1, 'the number -1 is outside uint32, 0 to 4294967295'],
    ['int64', 5, 'expected a bigint for int64, got the number 5'],
    ['int64', 2n ** 63n, 'the bigint 9223372036854775808n is outside int64, -2^63 to 2^63-1'],
    ['double', '1', 'expected a number for double, got the string "1"'],
    ['float', 1e39, 'the number 1e+39 is outside float, whose greatest is about 3.4e38'],
    ['timestamp', new Date(NaN), 'the Date is invalid'],
    ['timestamp', 0, 'expected a Date, got the number 0'],
    ['date', '2023-02-29', 'the string "2023-02-29" is not a calendar day'],
    ['date', '1900-02-29', 'the string "1900-02-29" is not a calendar day'],
    ['date', '0000-01-01', 'the string "0000-01-01" is not a calendar day'],
    ['date', '2024-1-1', 'the string "2024-1-1" is not a calendar day'],
    ['date', '2024-01-01\n', 'the string "2024-01-01\\n" is not a calendar day'],
    ['json', undefined, 'JSON cannot hold undefined'],
    ['json', cycle, 'the value nests deeper than 1000 levels, or contains itself'],
    [
      'json',
      Object.assign([1], { extra: 1 }),
      'the array has properties besides its elements, which JSON drops',
    ],
    [
      'json',
      { [Symbol('s')]: 1 },
      'the property Symbol(s) is a symbol, hidden or computed, which JSON cannot hold',
    ],
  ])('%s %p', (kind, value, problem) => {
    expect(faultOf(() => encode(kind, value)).problem).toBe(problem);
  });

  test.each<[unknown, string, string]>([
    [{ a: undefined }, 'a', 'undefined'],
    [{ a: [1, { b: NaN }] }, 'a[1].b', 'the number NaN'],
    [[, 1], '[0]', 'undefined'], // eslint-disable-line no-sparse-arrays
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
  ])('json %p names the place', (value, path, what) => {
    const fault = faultOf(() => encode('json', value));
    expect([fault.path, fault.problem]).toEqual([path, `JSON cannot hold ${what}`]);
  });
});

describe('cells that are refused', () => {
  test.each<[ScalarKind, string, string]>([
    ['string', 'ff', 'the text is not valid UTF-8'],
    ['string', 'c0af', 'the text is not valid UTF-8'],
    ['string', 'eda080', 'the text is not valid UTF-8'],
    ['string', `${'61'.repeat(40)}c3`, 'the text is not valid UTF-8'],
    ['bool', '', 'a bool cell has 1 byte, this one has 0'],
    ['bool', '02', 'a bool is 0x00 or 0x01, the cell holds 0x2'],
    ['int32', '00000001', 'an int32 cell has 8 bytes, this one has 4'],
    ['int32', '0000000080000000', 'the cell holds 2147483648, which is outside int32'],
    ['uint32', 'ffffffffffffffff', 'the cell holds -1, which is outside uint32'],
    ['int64', '', 'an int64 cell has 8 bytes, this one has 0'],
    ['double', '00', 'a double cell has 8 bytes, this one has 1'],
    ['float', '0000000000000000', 'a float cell has 4 bytes, this one has 8'],
    ['timestamp', '00', 'a timestamp cell has 8 bytes, this one has 1'],
    ['timestamp', '0000000000000001', 'the cell has microseconds, which a Date cannot hold'],
    ['timestamp', '7ce66c50e2840000', 'the cell holds a moment beyond the last Date'],
    ['date', '323032342d31332d3031', 'the cell does not hold a calendar day'],
    ['date', '', 'the cell does not hold a calendar day'],
  ])('%s %s', (kind, hex, problem) => {
    expect(faultOf(() => decode(kind, hex)).problem).toBe(problem);
  });

  test('json that is no JSON', () => {
    expect(faultOf(() => decode('json', '7b')).problem).toMatch(/^the cell does not hold JSON: /);
    expect(faultOf(() => decode('json', '')).problem).toMatch(/^the cell does not hold JSON: /);
  });
});

test('decoded bytes and encoded bytes share no memory with what they came from', () => {
  const given = Uint8Array.of(1, 2, 3);
  const cell = scalarCodec('bytes').encode(given);
  given[0] = 9;
  expect([...cell]).toEqual([1, 2, 3]);
  const read = scalarCodec('bytes').decode(cell, 0, 3);
  cell[1] = 9;
  expect([...read]).toEqual([1, 2, 3]);
});

// lmdb hands out one buffer for every value and patches `length` on it, to the size of the value or
// less than where the value lies.
test('every kind reads from a buffer whose length is patched', () => {
  const patched = Buffer.alloc(4096);
  Object.defineProperty(patched, 'length', { value: 3, writable: true, configurable: true });
  const values: [ScalarKind, unknown][] = [
    ['string', 'short'],
    ['string', 'a longer text, past what is built character by character: é'],
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
    for (let i = 0; i < bytes.length; i++) patched[1000 + i] = bytes[i];
    expect(scalarCodec(kind).decode(patched, 1000, 1000 + bytes.length)).toStrictEqual(value);
  }
});
