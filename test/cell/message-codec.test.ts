import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { fromHex, toHex } from '../../src/bytes/index.js';
import {
  CodecError,
  unknownFields,
  type CellCodec,
  type FieldKind,
  type FieldShape,
  type FieldType,
  type MapKeyKind,
  type MessageShape,
} from '../../src/cell/index.js';
import { messageCodec, type Compilation } from '../../src/cell/message/message-codec.js';
import { messageShape } from './message-arbitrary.js';

const scalar = (kind: FieldKind): FieldType => ({ kind: 'scalar', scalar: kind });
const one = (
  name: string,
  number: number,
  type: FieldKind | FieldType,
  oneof?: string,
): FieldShape => ({
  name,
  number,
  label: 'singular',
  type: typeof type === 'string' ? scalar(type) : type,
  oneof,
});
const list = (name: string, number: number, type: FieldKind | FieldType): FieldShape => ({
  ...one(name, number, type),
  label: 'repeated',
});
const map = (
  name: string,
  number: number,
  mapKey: MapKeyKind,
  type: FieldKind | FieldType,
): FieldShape => ({ ...one(name, number, type), label: 'map', mapKey });

class Position {
  lat?: number;
  declare steps?: number;
}
const position: MessageShape = {
  name: 'test.Position',
  fields: [one('lat', 1, 'double'), one('steps', 2, 'int32')],
  create: () => new Position(),
  messageClass: Position,
};
const positionType: FieldType = { kind: 'message', shape: () => position };
const status: MessageShape = messageShape('Status', [
  one('firmware', 1, 'string'),
  one('uptimeMs', 2, 'int64'),
  one('count', 3, 'int32'),
  one('level', 4, 'uint32'),
  one('ratio', 5, 'float'),
  one('on', 6, 'bool'),
  one('raw', 7, 'bytes'),
  one('at', 8, 'timestamp'),
  one('position', 9, positionType),
  list('alarms', 10, 'int32'),
  list('names', 11, 'string'),
  map('probes', 12, 'string', 'double'),
  map('places', 13, 'int32', positionType),
  one('big', 14, 'uint64'),
  list('track', 15, positionType),
  one('text', 16, 'string', 'choice'),
  one('number', 17, 'sint32', 'choice'),
  one('spot', 18, positionType, 'choice'),
  one('inner', 19, { kind: 'message', shape: () => status }),
  one('zig', 20, 'sint64'),
]);

const decodeHex = <T extends object>(codec: CellCodec<T>, hex: string): T => {
  const bytes = fromHex(hex)!;
  return codec.decode(bytes, 0, bytes.length);
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

describe.each<Compilation>(['source', 'closures'])('compiled to %s', (compilation) => {
  const codec = messageCodec<Record<PropertyKey, unknown>>(status, compilation);
  const recode = (hex: string): string => toHex(codec.encode(decodeHex(codec, hex)));
  const decode = (hex: string): Record<PropertyKey, unknown> => decodeHex(codec, hex);

  test.each<[object, string]>([
    [{}, ''],
    [{ firmware: '', count: 0, on: false }, '0a0018003000'],
    [{ firmware: undefined, count: null, alarms: [], probes: new Map() }, ''],
    [{ firmware: 'é' }, '0a02c3a9'],
    [{ count: -1 }, '18ffffffffffffffffff01'],
    [{ uptimeMs: 300n }, '10ac02'],
    [{ uptimeMs: -(2n ** 63n) }, '1080808080808080808001'],
    [{ big: 2n ** 64n - 1n }, '70ffffffffffffffffff01'],
    [{ zig: -(2n ** 63n) }, 'a001ffffffffffffffffff01'],
    [{ zig: -1n }, 'a00101'],
    [{ ratio: 1.5 }, '2d0000c03f'],
    [{ raw: Uint8Array.of(1, 2) }, '3a020102'],
    [{ at: new Date(0) }, '4200'],
    [{ at: new Date(1500) }, '420808011080cab5ee01'],
    [{ at: new Date(-1) }, '421108ffffffffffffffffff0110c08faedc03'],
    [{ alarms: [1, 300] }, '520301ac02'],
    [{ names: ['a', ''] }, '5a01615a00'],
    [{ probes: new Map([['a', 0]]) }, '620c0a0161110000000000000000'],
    [{ places: new Map([[-1, {}]]) }, '6a0d08ffffffffffffffffff011200'],
    [{ position: {} }, '4a00'],
    [{ track: [{}, { steps: 1 }] }, '7a007a021001'],
    [{ number: -2 }, '880103'],
  ])('%p is encoded as %s', (value, hex) => {
    expect(toHex(codec.encode(value as Record<string, unknown>))).toBe(hex);
    const present = Object.fromEntries(
      Object.entries(value).filter(
        ([, fieldValue]) =>
          fieldValue !== undefined &&
          fieldValue !== null &&
          !(Array.isArray(fieldValue) && fieldValue.length === 0) &&
          !(fieldValue instanceof Map && fieldValue.size === 0),
      ),
    );
    expect(decode(hex)).toEqual(present);
  });

  test('lengths of long strings, lists and messages', () => {
    for (const length of [41, 42, 43, 126, 127, 128, 129, 1000, 16383, 16384, 100_000, 2_100_000]) {
      const value = {
        firmware: 'x'.repeat(length),
        inner: { firmware: 'é'.repeat(length), names: ['y'.repeat(length)] },
      };
      const bytes = codec.encode(value);
      expect(codec.decode(bytes, 0, bytes.length)).toEqual(value);
    }
  });

  test('absent fields are not set, and messages are instances of their class', () => {
    const decoded = decode('4a021005');
    expect(Object.keys(decoded)).toEqual(['position']);
    expect(decoded.position).toBeInstanceOf(Position);
  });

  test('initial values of a class are not mistaken for stored values', () => {
    class Mode {
      mode?: number = 1;
      tags: string[] = [];
      nonEmpty: string[] = ['x'];
    }
    const shape: MessageShape = {
      name: 'Mode',
      fields: [one('mode', 1, 'int32'), list('tags', 2, 'string'), list('nonEmpty', 3, 'string')],
      create: () => new Mode(),
      messageClass: Mode,
    };
    expect(decodeHex(messageCodec<Mode>(shape, compilation), '')).toEqual({
      mode: undefined,
      tags: [],
      nonEmpty: undefined,
    });
    expect(decodeHex(messageCodec<Mode>(shape, compilation), '1201611201' + '62')).toEqual({
      tags: ['a', 'b'],
    });
  });

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
      // eslint-disable-next-line no-sparse-arrays
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

  test('methods, inherited, undefined and symbol properties are ignored', () => {
    class Richer {
      count = 1;
      get double(): number {
        return 2;
      }
      twice(): number {
        return 2;
      }
    }
    expect(toHex(codec.encode(new Richer() as never))).toBe('1801');
    expect(
      toHex(
        codec.encode(
          Object.assign(Object.create({ inherited: 1 }) as Record<string, unknown>, {
            count: 1,
            other: undefined,
            [Symbol('x')]: 1,
          }),
        ),
      ),
    ).toBe('1801');
  });

  test('a getter may encode another message', () => {
    const value = {
      firmware: 'a',
      get count() {
        codec.encode({ firmware: 'nested call' });
        return 7;
      },
    };
    expect(toHex(codec.encode(value))).toBe('0a01611807');
  });

  describe('unknown fields', () => {
    test.each([
      ['an undeclared field number', '1801', 'b0060a'],
      ['every wire type', '', 'b0060a' + 'b10600000000000000ff' + 'b206026162' + 'b506000000ff'],
      ['a group', '', 'b306' + '0801' + 'b306b406' + 'b406'],
      ['a declared field number with another wire type', '', '0d00000000'],
      ['a map entry of another type', '', '62040a001001'],
    ])('%s is preserved', (_name, known, unknown) => {
      const decoded = decode(unknown + known);
      expect(toHex(decoded[unknownFields] as Uint8Array)).toBe(unknown);
      expect(toHex(codec.encode(decoded))).toBe(known + unknown);
      expect(toHex(codec.encode({ ...decoded }))).toBe(known + unknown);
    });

    test('are preserved at every level', () => {
      const inner = '9a0108b006014a03b00602';
      const all = inner + '7a03b00603' + '6a0708051203b00604';
      const sorted = '6a0708051203b00604' + '7a03b00603' + '9a01084a03b00602b00601';
      expect(recode(all)).toBe(sorted);
      expect(recode(sorted)).toBe(sorted);
    });

    test('own their memory', () => {
      const bytes = fromHex('b0060a3a0101')!;
      const decoded = codec.decode(bytes, 0, bytes.length);
      bytes.fill(0xff);
      expect(toHex(decoded[unknownFields] as Uint8Array)).toBe('b0060a');
      expect(toHex(decoded.raw as Uint8Array)).toBe('01');
    });
  });

  // The text cache compares characters with bytes, which is only correct for ASCII: 0xE9 is 'é' in
  // Latin-1, but invalid in UTF-8.
  test('cached texts do not match other bytes', () => {
    for (let last = 0x20; last < 0x7f; last++) {
      const text = `é${String.fromCharCode(last)}`;
      const tail = last.toString(16);
      expect(decode(`0a03c3a9${tail}`)).toEqual({ firmware: text });
      expect(errorOf(() => decode(`0a02e9${tail}`)).problem).toBe('the text is not valid UTF-8');
    }
  });

  describe('encodings of other writers', () => {
    test('unpacked, packed and mixed numbers', () => {
      expect(decode('5001' + '520302ac02' + '5005')).toEqual({ alarms: [1, 2, 300, 5] });
      // An empty packed run creates no list (message-hostile.test.ts).
      expect(decode('5200')).toEqual({});
    });
    test('a message in several parts is merged', () => {
      expect(decode('4a021005' + '4a09090000000000000840')).toEqual({
        position: { lat: 3, steps: 5 },
      });
      expect(decode('9a01025001' + '9a01025002')).toEqual({ inner: { alarms: [1, 2] } });
      expect(recode('9a0103b00601' + '9a0103b00602' + '9a0103b00603')).toBe(
        '9a0109b00601b00602b00603',
      );
    });
    test('the last field of a oneof wins', () => {
      expect(decode('82010161' + '880103')).toEqual({ number: -2 });
      expect(decode('9201021001' + '82010161')).toEqual({ text: 'a' });
      expect(decode('9201021001' + '82010161' + '920109090000000000000840')).toEqual({
        spot: { lat: 3 },
      });
    });
    test('missing keys and values of map entries have default values, and the last entry wins', () => {
      expect(decode('6200')).toEqual({ probes: new Map([['', 0]]) });
      expect(decode('6a00')).toEqual({ places: new Map([[0, {}]]) });
      expect(decode('6a0412021001' + '6a0412021002')).toEqual({
        places: new Map([[0, { steps: 2 }]]),
      });
    });
    test('varints with more bytes than necessary', () => {
      expect(decode('188100')).toEqual({ count: 1 });
      expect(decode('98800001')).toEqual({ count: 1 });
      expect(decode('0a81800061')).toEqual({ firmware: 'a' });
    });
    test('a Timestamp with nanoseconds is rounded down, and written back exactly', () => {
      const fine = '420808011081cab5ee01';
      const decoded = decode(fine);
      expect(decoded.at).toEqual(new Date(1500));
      expect(toHex(codec.encode({ ...decoded }))).toBe(fine);
      (decoded.at as Date).setTime(0);
      expect(toHex(codec.encode(decoded))).toBe('4200');
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

  test('decodes from a buffer with a patched length, as lmdb returns', () => {
    const value = {
      firmware: 'a firmware with a rather long name',
      uptimeMs: 2n ** 40n,
      raw: new Uint8Array(80).fill(3),
      position: { lat: 1.5 },
      names: ['x', 'é'],
      at: new Date(5),
      probes: new Map([['a', 1]]),
    };
    const bytes = codec.encode(value);
    const patched = Buffer.alloc(4096, 0xff);
    Object.defineProperty(patched, 'length', { value: 3, writable: true, configurable: true });
    for (let i = 0; i < bytes.length; i++) patched[1000 + i] = bytes[i];
    const decoded = codec.decode(patched, 1000, 1000 + bytes.length);
    for (let i = 0; i < bytes.length; i++) patched[1000 + i] = 0;
    expect(decoded).toEqual(value);
  });
});

test('field names are data, not code', () => {
  const odd = messageShape('Odd', [
    one('"];throw 1;//', 1, 'int32'),
    one('constructor', 2, 'int32'),
    one('a\u2028b', 3, 'int32'),
  ]);
  const codec = messageCodec<Record<string, unknown>>(odd, 'source');
  const value = { '"];throw 1;//': 1, constructor: 2, 'a\u2028b': 3 };
  expect({ ...decodeHex(codec, toHex(codec.encode(value as never))) }).toEqual(value);
});

test('messages are compiled to closures if code generation from strings is forbidden', () => {
  const program = `
    const { messageCodec, allowedCompilation } = require(process.argv[1]);
    class P {}
    const shape = { name: 'P', create: () => new P(), messageClass: P, fields: [{ name: 'n', number: 1, label: 'singular', type: { kind: 'scalar', scalar: 'int32' } }] };
    const codec = messageCodec(shape);
    const bytes = codec.encode({ n: 300 });
    process.stdout.write(allowedCompilation() + ' ' + Buffer.from(bytes).toString('hex') + ' ' + codec.decode(bytes, 0, bytes.length).n);`;
  const bundle = bundled();
  const run = (...flags: string[]): string =>
    execFileSync(process.execPath, [...flags, '-e', program, bundle], { encoding: 'utf8' });
  expect(run('--disallow-code-generation-from-strings')).toBe('closures 08ac02 300');
  expect(run()).toBe('source 08ac02 300');
});

function bundled(): string {
  const outfile = join(mkdtempSync(join(tmpdir(), 'rowsmith-cell-')), 'message-codec.cjs');
  buildSync({
    entryPoints: [resolve('src/cell/message/message-codec.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  return outfile;
}
