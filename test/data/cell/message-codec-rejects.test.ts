/** Values and bytes that the message codec rejects. */

import { toHex } from '../../../src/base/index.js';
import { CodecError } from '../../../src/data/cell/index.js';
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { status, decodeHex, errorOf } from './status-message.js';

describe.each<Compilation>(['source', 'closures'])('compiled to %s', (compilation) => {
  const codec = messageCodec<Record<PropertyKey, unknown>>(status, compilation);
  const recode = (hex: string): string => toHex(codec.encode(decodeHex(codec, hex)));
  const decode = (hex: string): Record<PropertyKey, unknown> => decodeHex(codec, hex);

  describe('rejected values', () => {
    // protobufjs's generated `encode` silently stores other values for the first cases.
    const recursive: Record<string, unknown> = {};
    recursive.inner = recursive;
    test.each<[string, object, string, string]>([
      [
        'a bigint as int32',
        { count: 5n },
        'count',
        'expected a number for int32, got the bigint 5n',
      ],
      [
        'a bigint as double',
        { position: { lat: 5n } },
        'position.lat',
        'expected a number for double, got the bigint 5n',
      ],
      [
        'a string as double',
        { position: { lat: 'x' } },
        'position.lat',
        'expected a number for double, got the string "x"',
      ],
      [
        '2**40 as int32',
        { count: 2 ** 40 },
        'count',
        'the number 1099511627776 is outside the range of int32, -2147483648 to 2147483647',
      ],
      ['a number as string', { firmware: 5 }, 'firmware', 'expected a string, got the number 5'],
      [
        'a Map as message',
        { position: new Map([['lat', 1]]) },
        'position',
        'expected a test.Position, got a Map',
      ],
      [
        '2^64 as uint64',
        { big: 2n ** 64n },
        'big',
        'the bigint 18446744073709551616n is outside the range of uint64, 0 to 2^64-1',
      ],
      [
        'a number beyond 2^53 as int64',
        { uptimeMs: 2 ** 60 },
        'uptimeMs',
        'expected a bigint for int64, got the number 1152921504606847000',
      ],
      [
        '2^63 as int64',
        { uptimeMs: 2n ** 63n },
        'uptimeMs',
        'the bigint 9223372036854775808n is outside the range of int64, -2^63 to 2^63-1',
      ],
      [
        '2^63 as sint64',
        { zig: 2n ** 63n },
        'zig',
        'the bigint 9223372036854775808n is outside the range of sint64, -2^63 to 2^63-1',
      ],
      [
        '-1 as uint64',
        { big: -1n },
        'big',
        'the bigint -1n is outside the range of uint64, 0 to 2^64-1',
      ],
      [
        'a fraction',
        { level: 1.5 },
        'level',
        'expected a whole number for uint32, got the number 1.5',
      ],
      [
        'NaN as integer',
        { alarms: [1, 2, NaN] },
        'alarms[2]',
        'expected a whole number for int32, got the number NaN',
      ],
      // oxlint-disable-next-line no-sparse-arrays
      ['a hole in a list', { names: [, 'a'] }, 'names[0]', 'expected a string, got undefined'],
      ['a string for a list', { names: 'abc' }, 'names', 'expected an array, got the string "abc"'],
      ['an object for a Map', { probes: { a: 1 } }, 'probes', 'expected a Map, got an object'],
      [
        'a value in a Map',
        { probes: new Map([['a', 'x']]) },
        'probes["a"]',
        'expected a number for double, got the string "x"',
      ],
      [
        'a key of a Map',
        { places: new Map([['a', {}]]) },
        'places["a"]',
        'expected a number for int32, got the string "a"',
      ],
      [
        'a field in a Map',
        { places: new Map([[7, { lat: '1' }]]) },
        'places[7].lat',
        'expected a number for double, got the string "1"',
      ],
      [
        'a field in a list',
        { track: [{}, { steps: 0.5 }] },
        'track[1].steps',
        'expected a whole number for int32, got the number 0.5',
      ],
      [
        'a lone surrogate',
        { firmware: '\ud800' },
        'firmware',
        'the text contains a lone surrogate, which UTF-8 cannot encode',
      ],
      [
        'a lone surrogate in a long text',
        { firmware: `${'a'.repeat(90)}\udc00` },
        'firmware',
        'the text contains a lone surrogate, which UTF-8 cannot encode',
      ],
      ['an array as bytes', { raw: [1] }, 'raw', 'expected a Uint8Array, got an array'],
      ['a number as bool', { on: 1 }, 'on', 'expected a boolean, got the number 1'],
      ['an invalid Date', { at: new Date(NaN) }, 'at', 'the Date is invalid'],
      [
        'a Date before year 1',
        { at: new Date(-62135596800001) },
        'at',
        'the Date is outside the years 0001 to 9999, the range of a Timestamp',
      ],
      [
        'a Date after year 9999',
        { at: new Date(253402300800000) },
        'at',
        'the Date is outside the years 0001 to 9999, the range of a Timestamp',
      ],
      [
        'a float out of range',
        { ratio: -1e300 },
        'ratio',
        'the number -1e+300 is outside the range of float: the largest value is about 3.4e38',
      ],
      [
        'two of a oneof',
        { text: 'a', number: 0 },
        '',
        'text and number are set, but only one field of the oneof choice can be',
      ],
      [
        'a misspelled name',
        { inner: { firmwear: 'x' } },
        'inner.firmwear',
        'Status has no field "firmwear"',
      ],
      [
        'an array as message',
        { position: [] },
        'position',
        'expected a test.Position, got an array',
      ],
      [
        'a Date as message',
        { position: new Date(0) },
        'position',
        'expected a test.Position, got a Date',
      ],
      [
        'a message within itself',
        recursive,
        'inner'.concat('.inner'.repeat(100)),
        'messages are nested deeper than 100 levels, or contain themselves',
      ],
    ])('%s', (_name, value, path, problem) => {
      const error = errorOf(() => codec.encode(value as Record<string, unknown>));
      expect([error.path, error.problem]).toEqual([path, problem]);
    });

    test('the fix suggests a correction', () => {
      expect(errorOf(() => codec.encode({ firmwear: 'x' })).fix).toMatch(
        /^did you mean firmware\? /,
      );
      expect(errorOf(() => codec.encode({ probes: { a: 1 } })).fix).toBe(
        'give a Map, for example new Map(Object.entries(value))',
      );
      expect(errorOf(() => codec.encode({ uptimeMs: 5 })).fix).toBe('write 5n, or BigInt(value)');
    });

    test('a rejected value does not affect the next one', () => {
      expect(() => codec.encode({ firmware: 'rejected', count: 'x' })).toThrow(CodecError);
      expect(toHex(codec.encode({ count: 1 }))).toBe('1801');
    });

    test.each([undefined, null, 5, 'x', [], new Map()])('%p is not a message', (value) => {
      expect(errorOf(() => codec.encode(value as never)).problem).toMatch(
        /^expected a Status, got /,
      );
    });
  });

  describe('rejected bytes', () => {
    test.each<[string, string, string, string]>([
      ['a truncated tag', '0a016180', '', 'the bytes end inside a value'],
      ['a truncated varint', '18', 'count', 'the bytes end inside a value'],
      ['a truncated longer varint', '1880', 'count', 'the bytes end inside a value'],
      [
        'a varint of eleven bytes',
        '18ffffffffffffffffffff01',
        'count',
        'a varint is longer than 64 bits',
      ],
      [
        'a varint beyond 64 bits',
        '10ffffffffffffffffff02',
        'uptimeMs',
        'a varint is longer than 64 bits',
      ],
      ['a tag beyond 32 bits', '808080808001', '', 'the tag of a field is longer than 32 bits'],
      [
        'a tag beyond 32 bits in five bytes',
        'f8ffffff1f01',
        '',
        'the tag of a field is longer than 32 bits',
      ],
      ['a length past the end', '0a0561', 'firmware', 'a length goes past the end of the bytes'],
      [
        'a length beyond 2^32',
        '0affffffffff0f61',
        'firmware',
        'a length goes past the end of the bytes',
      ],
      [
        'a length past the end of the enclosing message',
        '4a0210054a031001',
        'position',
        'a length goes past the end of the bytes',
      ],
      [
        'a double truncated by the enclosing message',
        '4a05090000000000000840',
        'position.lat',
        'the bytes end inside a value',
      ],
      ['a truncated float', '2d0000', 'ratio', 'the bytes end inside a value'],
      ['a truncated packed list', '520201ac', 'alarms[1]', 'the bytes end inside a value'],
      ['text that is not UTF-8', '5a01615a01ff', 'names[1]', 'the text is not valid UTF-8'],
      ['a message in a list', '7a007a0210', 'track[1]', 'a length goes past the end of the bytes'],
      ['a value in a Map', '6a06080712021080', 'places[7].steps', 'the bytes end inside a value'],
      ['an entry of a Map that is cut off', '62031801ff', 'probes', 'the bytes end inside a value'],
      ['field number 0', '0001', '', 'a field has the invalid number 0'],
      ['wire type 6', '0e01', 'firmware', 'field 1 has the invalid wire type 6'],
      ['wire type 7', 'b706', '', 'field 102 has the invalid wire type 7'],
      [
        'the end of a group without its start',
        'b406',
        '',
        'the end of a group has no matching start',
      ],
      ['a group without its end', 'b3060801', '', 'the bytes end inside a value'],
      [
        'a group with the end of another',
        'b306bc06',
        '',
        'the end of a group has no matching start',
      ],
      [
        'nanoseconds below zero',
        '420b10ffffffffffffffffff01',
        'at',
        'a Timestamp has nanoseconds outside 0 to 999,999,999',
      ],
      [
        'a Timestamp beyond 9999',
        '420a08ffffffffffffffff7f',
        'at',
        'a Timestamp is outside the years 0001 to 9999',
      ],
    ])('%s', (_name, hex, path, problem) => {
      const error = errorOf(() => decode(hex));
      expect([error.path, error.problem]).toEqual([path, problem]);
    });

    test('messages and groups are nested up to 100 levels', () => {
      const nest = (levels: number): Record<string, unknown> =>
        levels === 0 ? {} : { inner: nest(levels - 1) };
      const deep = codec.encode(nest(100));
      expect(codec.decode(deep, 0, deep.length)).toEqual(nest(100));
      expect(() => codec.encode(nest(101))).toThrow(CodecError);
      const wrap = (inner: Uint8Array): Uint8Array =>
        Uint8Array.from([
          0x9a,
          0x01,
          ...(inner.length < 128
            ? [inner.length]
            : [(inner.length & 0x7f) | 0x80, inner.length >> 7]),
          ...inner,
        ]);
      const deeper = wrap(deep);
      const error = errorOf(() => codec.decode(deeper, 0, deeper.length));
      expect([error.problem, error.path]).toEqual([
        'messages are nested deeper than 100 levels, or contain themselves',
        'inner'.concat('.inner'.repeat(100)),
      ]);
      expect(() => decode('b306'.repeat(101) + 'b406'.repeat(101))).toThrow(CodecError);
      expect(recode('b306'.repeat(100) + 'b406'.repeat(100))).toBe(
        'b306'.repeat(100) + 'b406'.repeat(100),
      );
      expect(() => decode('b306'.repeat(100_000))).toThrow(CodecError);
    });
  });
});
