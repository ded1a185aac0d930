/**
 * Bytes that no encoder of ours writes, generated field by field from the shape: valid but unusual
 * protobuf (a message in several parts, over-long varints, packed and unpacked, groups), and
 * invalid bytes. Generated and reflective codecs decode them to the same message, or report the
 * same fault.
 */
import { toHex } from '../../src/bytes/index.js';
import {
  CodecError,
  type CellCodec,
  type FieldShape,
  type FieldType,
  type MessageShape,
} from '../../src/cell/index.js';
import * as compile from '../../src/cell/message/message-codec.js';
import { everything, messageShape, shapes } from '../cell/message-arbitrary.js';
import fc from '../support/fast-check.js';
import { renamed, staticCodec } from './static-codec.js';

type Bytes = readonly number[];

/** A varint with `extra` more bytes than necessary. */
function varint(value: bigint, extra = 0): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    if (rest < 128n) {
      bytes.push(Number(rest));
      break;
    }
    bytes.push(Number(rest & 127n) | 128);
  }
  for (let i = 0; i < extra; i++) {
    bytes[bytes.length - 1] |= 128;
    bytes.push(0);
  }
  return bytes;
}

const joined = (parts: readonly Bytes[]): Bytes => parts.flat();
const lists = (part: fc.Arbitrary<Bytes>, maxLength: number): fc.Arbitrary<Bytes> =>
  fc.array(part, { maxLength }).map(joined);
const upTo = (maxLength: number): fc.Arbitrary<Bytes> =>
  fc.uint8Array({ maxLength }).map((bytes) => [...bytes]);
const exactly = (length: number): fc.Arbitrary<Bytes> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => [...bytes]);
/** Mostly none; sometimes more bytes than necessary, even more than the ten that are allowed. */
const extras = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
);
const numbers = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: -3n, max: -1n }),
  fc.bigInt({ min: -(2n ** 31n), max: -(2n ** 31n) + 2n }),
  fc.bigInt({ min: 2n ** 31n - 2n, max: 2n ** 33n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
);
const varints = fc.tuple(numbers, extras).map(([value, extra]) => varint(value, extra));
/** A value after its length, which occasionally is wrong or over-long. */
const sized = (value: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 30, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -2, max: 3 }) },
      ),
      extras,
    )
    .map(([bytes, off, extra]) => [
      ...varint(BigInt(Math.max(0, bytes.length + off)), extra),
      ...bytes,
    ]);
const tagged = (number: number, wire: number, value: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 12, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
      ),
    )
    .map(([bytes, extra]) => [...varint(BigInt(number * 8 + wire), extra), ...bytes]);

const texts = fc.oneof(
  fc.string({ maxLength: 50 }).map((text) => [...Buffer.from(text)]),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => [...Buffer.from(text)]),
  fc.constantFrom<Bytes>(
    [0xff],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x61, 0xe2, 0x82],
    [0xef, 0xbf, 0xbd],
    [0xef, 0xbb, 0xbf, 0x61],
  ),
  upTo(40),
);
const timestamps = lists(
  fc.oneof(
    tagged(1, 0, varints),
    tagged(
      2,
      0,
      fc.bigInt({ min: 0n, max: 1_000_000_000n }).map((nanos) => varint(nanos)),
    ),
    tagged(2, 0, varints),
    tagged(3, 0, varints),
  ),
  3,
);

/** Wire types of scalars that are not varints. */
const scalarWireTypes: Readonly<Record<string, number>> = {
  double: 1,
  fixed64: 1,
  sfixed64: 1,
  float: 5,
  fixed32: 5,
  sfixed32: 5,
  string: 2,
  bytes: 2,
  timestamp: 2,
};

function wireOf(type: FieldType): number {
  if (type.kind === 'message') return 2;
  if (type.kind === 'enum') return 0;
  return scalarWireTypes[type.scalar] ?? 0;
}

/** The bytes of a value of the type, with its length if it is length-delimited. */
function valueOf(type: FieldType, depth: number): fc.Arbitrary<Bytes> {
  const wire = wireOf(type);
  if (wire === 1)
    return fc.oneof(
      exactly(8),
      fc.constantFrom<Bytes>(
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0xf0, 0x7f],
        [0, 0, 0, 0, 0, 0, 0xf8, 0xff],
        [0, 0, 0, 0, 0, 0, 0, 0x80],
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x80],
      ),
    );
  if (wire === 5) return exactly(4);
  if (wire === 0) return varints;
  if (type.kind === 'message')
    return sized(depth === 0 ? fc.constant<Bytes>([]) : messageOf(type.shape(), depth - 1, 3));
  if (type.kind === 'scalar' && type.scalar === 'string') return sized(texts);
  if (type.kind === 'scalar' && type.scalar === 'timestamp') return sized(timestamps);
  return sized(upTo(30));
}

/** A map entry with its fields in any order, missing, duplicate or unknown. */
function entryOf(field: FieldShape, depth: number): fc.Arbitrary<Bytes> {
  const key: FieldType = { kind: 'scalar', scalar: field.mapKey! };
  const part = fc.oneof(
    { weight: 4, arbitrary: tagged(1, wireOf(key), valueOf(key, 0)) },
    { weight: 4, arbitrary: tagged(2, wireOf(field.type), valueOf(field.type, depth)) },
    { weight: 1, arbitrary: tagged(3, 0, varints) },
    { weight: 1, arbitrary: tagged(2, 0, varints) },
  );
  return sized(lists(part, 3));
}

function fieldOf(field: FieldShape, depth: number): fc.Arbitrary<Bytes> {
  const wire = wireOf(field.type);
  if (field.label === 'map') return tagged(field.number, 2, entryOf(field, depth));
  const one = tagged(field.number, wire, valueOf(field.type, depth));
  return field.label === 'repeated' && wire !== 2
    ? fc.oneof(one, tagged(field.number, 2, sized(lists(valueOf(field.type, depth), 4))))
    : one;
}

/** An undeclared field, a declared one with another wire type, a group, or an invalid tag. */
function unusualField(declaredNumbers: readonly number[]): fc.Arbitrary<Bytes> {
  const number = fc.oneof(
    fc.constantFrom(1, ...declaredNumbers),
    fc.integer({ min: 1, max: 200 }),
    fc.constantFrom(15, 16, 2047, 2048, 2 ** 29 - 1),
  );
  const skipped = number.chain((each) =>
    fc.oneof(
      tagged(each, 0, varints),
      tagged(each, 1, exactly(8)),
      tagged(each, 2, sized(upTo(10))),
      tagged(each, 5, exactly(4)),
    ),
  );
  const group = number.chain((each) =>
    lists(skipped, 2).map((inside) => [
      ...varint(BigInt(each * 8 + 3)),
      ...inside,
      ...varint(BigInt(each * 8 + 4)),
    ]),
  );
  return fc.oneof(
    { weight: 10, arbitrary: skipped },
    { weight: 4, arbitrary: group },
    {
      weight: 1,
      arbitrary: number.chain((each) =>
        fc.oneof(
          tagged(each, 3, upTo(3)),
          tagged(each, 4, upTo(1)),
          tagged(each, 6, upTo(2)),
          tagged(each, 7, upTo(2)),
        ),
      ),
    },
    { weight: 1, arbitrary: fc.oneof(tagged(0, 0, varints), upTo(12)) },
  );
}

function messageOf(shape: MessageShape, depth: number, maxFields: number): fc.Arbitrary<Bytes> {
  const declaredNumbers = shape.fields.map((field) => field.number);
  const known =
    shape.fields.length === 0
      ? unusualField([])
      : fc.constantFrom(...shape.fields).chain((field) => fieldOf(field, depth));
  return lists(
    fc.oneof(
      { weight: 9, arbitrary: known },
      { weight: 1, arbitrary: unusualField(declaredNumbers) },
    ),
    maxFields,
  );
}

/** Whole, or truncated anywhere. */
function bytesOf(shape: MessageShape): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(
      messageOf(shape, 2, 6),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.nat() },
      ),
    )
    .map(([bytes, cut]) =>
      Uint8Array.from(cut === undefined ? bytes : bytes.slice(0, cut % (bytes.length + 1))),
    );
}

/** The decoded message and its encoded bytes, or the fault. */
function outcome(codec: CellCodec, bytes: Uint8Array, start: number, end: number): unknown {
  try {
    const message = codec.decode(bytes, start, end) as object;
    return { message, encoded: toHex(codec.encode(message)) };
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    return { path: fault.path, problem: fault.problem, fix: fault.fix };
  }
}

interface Codecs {
  readonly generated: CellCodec;
  readonly compiled: CellCodec;
  readonly reflective: CellCodec;
}

const codecsOf = (shape: MessageShape): Codecs => ({
  generated: staticCodec(shape),
  compiled: compile.messageCodec(shape, 'source'),
  reflective: compile.messageCodec(shape, 'closures'),
});

function expectSame(
  { generated, compiled, reflective }: Codecs,
  bytes: Uint8Array,
): 'message' | 'fault' {
  const expected = outcome(reflective, bytes, 0, bytes.length) as object;
  expect(outcome(generated, bytes, 0, bytes.length)).toEqual(expected);
  expect(outcome(compiled, bytes, 0, bytes.length)).toEqual(expected);
  // Inside a larger buffer, whose other bytes must not matter: 0x01 would end any varint and start
  // another field.
  const page = new Uint8Array(bytes.length + 40).fill(1);
  page.set(bytes, 7);
  expect(outcome(generated, page, 7, 7 + bytes.length)).toEqual(expected);
  expect(outcome(reflective, page, 7, 7 + bytes.length)).toEqual(expected);
  return 'message' in expected ? 'message' : 'fault';
}

/** Every kind of field, and two oneofs. */
const broad = renamed({
  ...everything,
  fields: everything.fields.map((field, i) =>
    field.label === 'singular' && i % 3 === 0
      ? { ...field, oneof: i % 2 === 0 ? 'left' : 'right' }
      : field,
  ),
});
const narrow = renamed(
  messageShape('Narrow', [
    { name: 'text', number: 1, label: 'singular', type: { kind: 'scalar', scalar: 'string' } },
    {
      name: 'mode',
      number: 2,
      label: 'singular',
      type: {
        kind: 'enum',
        name: 'Mode',
        values: new Map([
          ['A', 0],
          ['B', 1],
        ]),
      },
    },
    {
      name: 'modes',
      number: 3,
      label: 'repeated',
      type: {
        kind: 'enum',
        name: 'Mode',
        values: new Map([
          ['A', 0],
          ['B', 1],
        ]),
      },
    },
    { name: 'at', number: 16, label: 'singular', type: { kind: 'scalar', scalar: 'timestamp' } },
  ]),
);

test.each<[string, MessageShape, number]>([
  ['of every kind', broad, 1200],
  ['of few fields', narrow, 800],
])('messages %s', (_name, shape, numRuns) => {
  const codecs = codecsOf(shape);
  const seen = { message: 0, fault: 0 };
  fc.assert(
    fc.property(bytesOf(shape), (bytes) => void seen[expectSame(codecs, bytes)]++),
    { numRuns },
  );
  // Both must occur often, or the generated bytes do not test what they should.
  expect(Math.min(seen.message, seen.fault)).toBeGreaterThan(numRuns / 10);
});

test('messages of random shapes', () => {
  fc.assert(
    fc.property(
      shapes(1)
        .map(renamed)
        .chain((shape) =>
          fc.record({
            shape: fc.constant(shape),
            all: fc.array(bytesOf(shape), { minLength: 5, maxLength: 10 }),
          }),
        ),
      ({ shape, all }) => {
        const codecs = codecsOf(shape);
        for (const bytes of all) expectSame(codecs, bytes);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['0000000000000080', '00000000'],
  ['000000000000f8ff', '0000c0ff'],
  ['010000000000f07f', '0100807f'],
  ['ffffffffffffffff', 'ffffffff'],
])('NaN of any bits (%s) is written as the canonical NaN', (double, float) => {
  const kinds = ['double', 'float'] as const;
  const codecs = codecsOf(
    renamed(
      messageShape(
        'Numbers',
        kinds.flatMap((scalar, i) =>
          (['singular', 'repeated', 'map'] as const).map((label, j) => ({
            name: `${scalar}_${label}`,
            number: 1 + i * 3 + j,
            label,
            type: { kind: 'scalar' as const, scalar },
            mapKey: label === 'map' ? ('bool' as const) : undefined,
          })),
        ),
      ),
    ),
  );
  const message = (a: string, b: string): Uint8Array =>
    Buffer.from(
      `09${a}1208${a}1a0b080111${a}25${b}2a04${b}32070801 15${b}`.replaceAll(' ', ''),
      'hex',
    );
  const nan = double.endsWith('80')
    ? ([double, float] as const)
    : (['000000000000f87f', '0000c07f'] as const);
  // Many times, because the engine recompiles functions that run often.
  for (let i = 0; i < 300; i++) {
    const bytes = message(double, float);
    for (const codec of [codecs.generated, codecs.compiled, codecs.reflective])
      expect(toHex(codec.encode(codec.decode(bytes, 0, bytes.length) as object))).toBe(
        toHex(message(...nan)),
      );
  }
});

test.each<[string, string]>([
  ['the last of a scalar wins', '0801 1002 1003'],
  ['an unknown enum value stays', '1063'],
  ['a negative int32 in ten bytes', '10 ffffffffffffffffff01'],
  ['an int32 of eleven bytes', '10 ffffffffffffffffffff01'],
  ['an over-long zero', '10 80808000'],
  ['packed and unpacked', '1801 1a020203 1804'],
  ['packed values truncated inside a value', '1a0280 80'],
  ['text that is not UTF-8', '0a02c328'],
  ['field 0', '0001'],
  ['a group, kept', '23 0801 24'],
  ['a group in a group', '23 2b 2c 24'],
  ['a group that does not end', '23 0801'],
  ['a group that ends with another number', '23 0801 2c'],
  ['the end of a group that did not begin', '24'],
  ['wire type 7', '0f'],
  ['a tag of six bytes', '8a8080808000 01'],
  ['an over-long tag', '9080 8000 05'],
  ['a length of 2^32', '0a 8080808010'],
  ['a known number with another wire type', '0d 01020304'],
  ['a Timestamp in two parts', '8201 020805 8201 021005'],
  ['nanoseconds of more than a second', '8201 06 1080 94ebdc03'],
  ['nothing', ''],
])('%s', (_name, hex) => {
  expectSame(codecsOf(narrow), Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex')));
});
