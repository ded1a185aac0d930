import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { fromHex, toHex } from '../../../src/base/index.js';
import { unknownFields, type MessageShape } from '../../../src/data/cell/index.js';
import { messageCodec, type Compilation } from '../../../src/data/cell/message/message-codec.js';
import { messageShape } from './message-arbitrary.js';
import { one, list, Position, status, decodeHex, errorOf } from './status-message.js';

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

  test('decodes from the middle of a buffer that is refilled later', () => {
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
    const buffer = Buffer.alloc(4096, 0xff);
    for (let i = 0; i < bytes.length; i++) buffer[1000 + i] = bytes[i];
    const decoded = codec.decode(buffer, 1000, 1000 + bytes.length);
    for (let i = 0; i < bytes.length; i++) buffer[1000 + i] = 0;
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
    entryPoints: [resolve('src/data/cell/message/message-codec.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  return outfile;
}
