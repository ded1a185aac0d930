import protobuf from 'protobufjs';
import { toHex } from '../../../src/base/index.js';
import { CodecError, customCodec } from '../../../src/data/cell/index.js';

const pointType = protobuf.Root.fromJSON({
  edition: 'proto3',
  nested: {
    Point: {
      edition: 'proto3',
      fields: { x: { type: 'int32', id: 1 }, raw: { type: 'bytes', id: 2 } },
    },
  },
} as protobuf.INamespace).lookupType('Point');

const problemOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    return (error as CodecError).problem;
  }
  throw new Error('no error was thrown');
};

test('a protobufjs class: encode returns a writer, decode owns its bytes', () => {
  const codec = customCodec<object>(
    { encode: (value) => pointType.encode(value), decode: (bytes) => pointType.decode(bytes) },
    'Point',
  );
  expect(codec.kind).toBe('packed Point');
  const bytes = codec.encode({ x: 300, raw: Uint8Array.of(7) });
  expect(toHex(bytes)).toBe('08ac02120107');
  const cell = Uint8Array.of(0xff, ...bytes, 0xff);
  const decoded = codec.decode(cell, 1, cell.length - 1) as { x: number; raw: Uint8Array };
  cell.fill(0);
  expect([decoded.x, [...decoded.raw]]).toEqual([300, [7]]);
});

test('methods are called on the codec, and its buffer is copied', () => {
  const buffer = new Uint8Array(1);
  const codec = customCodec<number>(
    {
      encode(value) {
        buffer[0] = value;
        return buffer;
      },
      decode(bytes) {
        return bytes[0] + (this === undefined ? 1 : 0);
      },
    },
    'byte',
  );
  const first = codec.encode(1);
  codec.encode(2);
  expect(codec.decode(first, 0, 1)).toBe(1);
});

test('errors of the codec become a CodecError with their text', () => {
  const codec = customCodec<unknown>(
    {
      encode: () => {
        throw new TypeError('no such thing');
      },
      decode: (bytes) => pointType.decode(bytes),
    },
    'Point',
  );
  expect(problemOf(() => codec.encode(1))).toBe(
    'the codec of Point rejected the value: no such thing',
  );
  expect(problemOf(() => codec.decode(Uint8Array.of(0x08), 0, 1))).toMatch(
    /^the codec of Point cannot decode the cell: /,
  );
});

test.each<[unknown, string]>([
  ['text', 'the string "text"'],
  [undefined, 'undefined'],
  [[1], 'an array'],
  [new ArrayBuffer(1), 'an ArrayBuffer'],
  [{ finish: () => 5 }, 'the number 5'],
  [Promise.resolve(), 'a Promise'],
])('rejects an encoder that returns %p', (result, description) => {
  const codec = customCodec({ encode: () => result as Uint8Array, decode: () => 0 }, 'x');
  expect(problemOf(() => codec.encode(0))).toBe(
    `the codec of x returned ${description} instead of a Uint8Array`,
  );
});
