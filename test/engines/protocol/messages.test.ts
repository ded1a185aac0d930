/** Compares every declared message with the published protos: numbers, types, labels, oneofs. */
import protobuf from 'protobufjs';
import { unknownFields, type FieldShape, type MessageShape } from '../../../src/data/cell/index.js';
import * as protocol from '../../../src/engines/protocol/index.js';
import { encodePublished, published } from './published.js';

/**
 * Fields that the official client of 2025 lacks; data.proto of 2026 has them (checked against
 * @google-cloud/bigtable-api 0.3.0).
 */
const newerFields = new Map([
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

/** The declared messages and the messages nested in them, by name. */
function allShapes(): Map<string, MessageShape> {
  const found = new Map<string, MessageShape>();
  const walk = (shape: MessageShape): void => {
    if (found.has(shape.name)) return;
    found.set(shape.name, shape);
    for (const { type } of shape.fields) if (type.kind === 'message') walk(type.shape());
  };
  declared.forEach(walk);
  return found;
}
const shapes = allShapes();

/** A declared field as text. */
function declaredField({ name, number, type, label, mapKey, oneof }: FieldShape): string {
  const labels = { singular: '', repeated: 'repeated ', map: `map<${mapKey}> ` };
  return fieldText(`${name} = ${number}: ${labels[label]}${declaredKind(type)}`, oneof);
}

function declaredKind(type: FieldShape['type']): string {
  if (type.kind === 'message') return type.shape().name;
  if (type.kind === 'scalar') return type.scalar;
  return 'int32';
}

/** A published field as text; `encoded` for messages that we declare as bytes. */
function publishedField(field: protobuf.Field, encoded: boolean): string {
  const oneof = field.partOf?.name;
  return fieldText(
    `${field.name} = ${field.id}: ${publishedLabel(field)}${publishedKind(field, encoded)}`,
    // The oneof of a proto3 optional field begins with an underscore.
    oneof?.startsWith('_') === true ? undefined : oneof,
  );
}

function publishedLabel(field: protobuf.Field): string {
  if (field instanceof protobuf.MapField) return `map<${field.keyType}> `;
  return field.repeated ? 'repeated ' : '';
}

/** Enums are int32 on the wire. */
function publishedKind({ resolvedType, type }: protobuf.Field, encoded: boolean): string {
  if (resolvedType instanceof protobuf.Enum) return 'int32';
  if (!(resolvedType instanceof protobuf.Type)) return type;
  if (encoded) return 'bytes';
  const name = resolvedType.fullName.slice(1);
  return name === 'google.protobuf.Timestamp' ? 'timestamp' : name;
}

function fieldText(text: string, oneof: string | undefined): string {
  return oneof === undefined ? text : `${text} in ${oneof}`;
}

test('all declared messages are compared', () => expect(shapes.size).toBeGreaterThan(90));

test.each([...shapes.keys()].sort())('%s', (name) => {
  const shape = shapes.get(name)!;
  const newer = newerFields.get(name) ?? [];
  const known = shape.fields.filter((field) => !newer.includes(field.name));
  if (known.length === 0 && newer.length > 0) return;
  const type = published.lookupType(name);
  const isBytes = new Set(
    known
      .filter((field) => field.type.kind === 'scalar' && field.type.scalar === 'bytes')
      .map((field) => field.name),
  );
  const expected = known.map((field) => {
    const publishedOne = type.fields[field.name];
    if (publishedOne === undefined) return `${name} has no ${field.name}`;
    return publishedField(publishedOne, isBytes.has(field.name));
  });
  expect(known.map(declaredField)).toEqual(expected);
});

describe('malformed bytes are INVALID_ARGUMENT, and no other error', () => {
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

test('unknown fields of newer clients are detected: an unknown filter is not an empty one', () => {
  const filter = encodePublished('google.bigtable.v2.RowFilter', { cellsPerRowLimitFilter: 1 });
  expect(protocol.decodeFilter(filter)).toEqual({ kind: 'cellsPerRow', count: 1 });
  // Field 21, a bool.
  const unknown = Buffer.from([0xa8, 0x01, 0x01]);
  expect(unknownFields in protocol.RowFilter.decode(unknown)).toBe(true);
  expect(() => protocol.decodeFilter(unknown)).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
  expect(protocol.decodeFilter(Buffer.alloc(0))).toEqual({ kind: 'passAll' });
});
