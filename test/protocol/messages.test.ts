/** Every message we declare, held to the published protos: numbers, types, repetition, oneofs. */
import protobuf from 'protobufjs';
import { unknownFields, type FieldShape, type MessageShape } from '../../src/cell/index.js';
import * as protocol from '../../src/protocol/index.js';
import { encodePublished, published } from './published.js';

/**
 * What the official client of 2025 does not know yet: data.proto of 2026 has it (checked against
 * @google-cloud/bigtable-api 0.3.0).
 */
const newer = new Map([
  ['google.bigtable.v2.ValueBitmask', ['mask']],
  ['google.bigtable.v2.RowFilter', ['valueBitmaskFilter']],
]);

type Declared = { readonly shape: MessageShape };
const declared = Object.values(protocol as Readonly<Record<string, unknown>>)
  .filter(
    (value): value is Declared =>
      typeof value === 'object' && value !== null && 'shape' in value && 'decode' in value,
  )
  .map(({ shape }) => shape);

/** The declared messages and all inside them, by name. */
function everyShape(): Map<string, MessageShape> {
  const found = new Map<string, MessageShape>();
  const walk = (shape: MessageShape): void => {
    if (found.has(shape.name)) return;
    found.set(shape.name, shape);
    for (const { type } of shape.fields) if (type.kind === 'message') walk(type.shape());
  };
  declared.forEach(walk);
  return found;
}
const shapes = everyShape();

/** A field in words, from our declaration. */
function ours({ name, number, type, label, mapKey, oneof }: FieldShape): string {
  const kind =
    type.kind === 'message' ? type.shape().name : type.kind === 'scalar' ? type.scalar : 'int32';
  return `${name} = ${number}: ${label === 'map' ? `map<${mapKey}> ` : label === 'repeated' ? 'repeated ' : ''}${kind}${oneof === undefined ? '' : ` in ${oneof}`}`;
}

/**
 * The same from the published one. An enum is an int32 on the wire, a message that we decode apart
 * is bytes.
 */
function theirs(field: protobuf.Field, asBytes: boolean): string {
  const inner = field.resolvedType;
  const full = inner?.fullName.slice(1);
  const kind =
    inner instanceof protobuf.Type
      ? asBytes
        ? 'bytes'
        : full === 'google.protobuf.Timestamp'
          ? 'timestamp'
          : full
      : inner instanceof protobuf.Enum
        ? 'int32'
        : field.type;
  const rule =
    field instanceof protobuf.MapField
      ? `map<${field.keyType}> `
      : field.repeated
        ? 'repeated '
        : '';
  const oneof =
    field.partOf === null || field.partOf.name.startsWith('_') ? '' : ` in ${field.partOf.name}`;
  return `${field.name} = ${field.id}: ${rule}${kind}${oneof}`;
}

test('all messages of the room are looked at', () => expect(shapes.size).toBeGreaterThan(90));

test.each([...shapes.keys()].sort())('%s', (name) => {
  const shape = shapes.get(name)!;
  const later = newer.get(name) ?? [];
  const known = shape.fields.filter((field) => !later.includes(field.name));
  if (known.length === 0 && later.length > 0) return;
  const type = published.lookupType(name);
  const isBytes = new Set(
    known
      .filter((field) => field.type.kind === 'scalar' && field.type.scalar === 'bytes')
      .map((field) => field.name),
  );
  const expected = known.map((field) => {
    const theirField = type.fields[field.name];
    return theirField === undefined
      ? `${name} has no ${field.name}`
      : theirs(theirField, isBytes.has(field.name));
  });
  expect(known.map(ours)).toEqual(expected);
});

describe('bytes that are no message are INVALID_ARGUMENT, and nothing else', () => {
  let seed = 42;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  test.each(declared.map((shape) => [shape.name, shape] as const))('%s', (_name, shape) => {
    const type = Object.values(protocol as Readonly<Record<string, any>>).find(
      (value) => value?.shape === shape,
    );
    for (let i = 0; i < 100; i++) {
      const bytes = Buffer.from(
        Array.from({ length: random(60) }, () =>
          random(3) === 0 ? [0x0a, 0x12, 0x1a, 0x08][random(4)] : random(256),
        ),
      );
      try {
        type.decode(bytes);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
    }
  });
});

test('fields that a newer client sends are kept where they matter: an unknown filter is not an empty one', () => {
  const filter = encodePublished('google.bigtable.v2.RowFilter', { cellsPerRowLimitFilter: 1 });
  expect(protocol.readFilter(filter)).toEqual({ kind: 'cellsPerRow', count: 1 });
  // Field 21, a bool.
  const unknown = Buffer.from([0xa8, 0x01, 0x01]);
  expect(unknownFields in protocol.RowFilter.decode(unknown)).toBe(true);
  expect(() => protocol.readFilter(unknown)).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
  expect(protocol.readFilter(Buffer.alloc(0))).toEqual({ kind: 'passAll' });
});
