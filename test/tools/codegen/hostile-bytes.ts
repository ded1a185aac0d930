/** Bytes that resemble messages: valid, unusual and malformed ones. */
import {
  type FieldShape,
  type FieldType,
  type MessageShape,
} from '../../../src/data/cell/index.js';
import fc, { anyCharacter } from '../../support/fast-check.js';

export type Bytes = readonly number[];

/** A varint with `extra` more bytes than necessary. */
export function varint(value: bigint, extra = 0): number[] {
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

export const joined = (parts: readonly Bytes[]): Bytes => parts.flat();
export const lists = (part: fc.Arbitrary<Bytes>, maxLength: number): fc.Arbitrary<Bytes> =>
  fc.array(part, { maxLength }).map(joined);

export const upTo = (maxLength: number): fc.Arbitrary<Bytes> =>
  fc.uint8Array({ maxLength }).map((bytes) => [...bytes]);

export const exactly = (length: number): fc.Arbitrary<Bytes> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => [...bytes]);

/** Mostly none; sometimes more bytes than necessary, even more than the ten that are allowed. */
export const extras = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
);

export const numbers = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: -3n, max: -1n }),
  fc.bigInt({ min: -(2n ** 31n), max: -(2n ** 31n) + 2n }),
  fc.bigInt({ min: 2n ** 31n - 2n, max: 2n ** 33n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
);

export const varints = fc.tuple(numbers, extras).map(([value, extra]) => varint(value, extra));

/** A value after its length, which occasionally is wrong or over-long. */
export const sized = (value: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> =>
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

export const tagged = (
  number: number,
  wire: number,
  value: fc.Arbitrary<Bytes>,
): fc.Arbitrary<Bytes> =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 12, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
      ),
    )
    .map(([bytes, extra]) => [...varint(BigInt(number * 8 + wire), extra), ...bytes]);

export const texts = fc.oneof(
  fc.string({ maxLength: 50 }).map((text) => [...Buffer.from(text)]),
  fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => [...Buffer.from(text)]),
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

export const timestamps = lists(
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
export const scalarWireTypes: Readonly<Record<string, number>> = {
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

export function wireOf(type: FieldType): number {
  if (type.kind === 'message') return 2;
  if (type.kind === 'enum') return 0;
  return scalarWireTypes[type.scalar] ?? 0;
}

/** The bytes of a value of the type, with its length if it is length-delimited. */
export function valueOf(type: FieldType, depth: number): fc.Arbitrary<Bytes> {
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
export function entryOf(field: FieldShape, depth: number): fc.Arbitrary<Bytes> {
  const key: FieldType = { kind: 'scalar', scalar: field.mapKey! };
  const part = fc.oneof(
    { weight: 4, arbitrary: tagged(1, wireOf(key), valueOf(key, 0)) },
    { weight: 4, arbitrary: tagged(2, wireOf(field.type), valueOf(field.type, depth)) },
    { weight: 1, arbitrary: tagged(3, 0, varints) },
    { weight: 1, arbitrary: tagged(2, 0, varints) },
  );
  return sized(lists(part, 3));
}

export function fieldOf(field: FieldShape, depth: number): fc.Arbitrary<Bytes> {
  const wire = wireOf(field.type);
  if (field.label === 'map') return tagged(field.number, 2, entryOf(field, depth));
  const one = tagged(field.number, wire, valueOf(field.type, depth));
  return field.label === 'repeated' && wire !== 2
    ? fc.oneof(one, tagged(field.number, 2, sized(lists(valueOf(field.type, depth), 4))))
    : one;
}

/** An undeclared field, a declared one with another wire type, a group, or an invalid tag. */
export function unusualField(declaredNumbers: readonly number[]): fc.Arbitrary<Bytes> {
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

export function messageOf(
  shape: MessageShape,
  depth: number,
  maxFields: number,
): fc.Arbitrary<Bytes> {
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
export function bytesOf(shape: MessageShape): fc.Arbitrary<Uint8Array> {
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
