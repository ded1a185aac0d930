/** Arbitrary message shapes and values of them. */
import type {
  FieldKind,
  FieldShape,
  FieldType,
  MapKeyKind,
  MessageShape,
} from '../../../src/data/cell/index.js';
import fc, { anyCharacter } from '../../support/fast-check.js';

export const mapKeys: readonly MapKeyKind[] = [
  'int32',
  'uint32',
  'sint32',
  'fixed32',
  'sfixed32',
  'int64',
  'uint64',
  'sint64',
  'fixed64',
  'sfixed64',
  'bool',
  'string',
];
export const fieldKinds: readonly FieldKind[] = [
  ...mapKeys,
  'double',
  'float',
  'bytes',
  'timestamp',
];

/** A shape with a class created for it. */
export function messageShape(name: string, fields: readonly FieldShape[]): MessageShape {
  const messageClass = { [name]: class {} }[name];
  return { name, fields, create: () => new messageClass(), messageClass };
}

const numbers = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.integer({ min: 1, max: 18999 }),
  fc.integer({ min: 20000, max: 2 ** 29 - 1 }),
);

/** Shapes of messages that are nested up to `depth` levels, and may be recursive. */
export function shapes(depth: number, name = 'M'): fc.Arbitrary<MessageShape> {
  const type: fc.Arbitrary<FieldType | 'self'> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .constantFrom(...fieldKinds)
        .map((scalar) => ({ kind: 'scalar' as const, scalar })),
    },
    {
      weight: 1,
      arbitrary: fc.constant({
        kind: 'enum' as const,
        name: 'Color',
        values: new Map([
          ['RED', 0],
          ['BLUE', 5],
        ]),
      }),
    },
    {
      weight: depth > 0 ? 3 : 0,
      arbitrary:
        depth > 0
          ? shapes(depth - 1, `${name}m`).map((inner) => ({
              kind: 'message' as const,
              shape: () => inner,
            }))
          : fc.constant('self' as const),
    },
    { weight: depth > 0 ? 1 : 0, arbitrary: fc.constant('self' as const) },
  );
  const field = fc.record({
    number: numbers,
    type,
    label: fc.constantFrom(
      'singular' as const,
      'singular' as const,
      'repeated' as const,
      'map' as const,
    ),
    mapKey: fc.constantFrom(...mapKeys),
    inOneof: fc.boolean(),
  });
  return fc.uniqueArray(field, { selector: (each) => each.number, maxLength: 7 }).map((specs) => {
    const fields: FieldShape[] = [];
    const shape = messageShape(name, fields);
    specs
      .sort((a, b) => a.number - b.number)
      .forEach(({ number, type, label, mapKey, inOneof }, i) =>
        fields.push({
          name: `f${i}`,
          number,
          label,
          type: type === 'self' ? { kind: 'message', shape: () => shape } : type,
          mapKey: label === 'map' ? mapKey : undefined,
          oneof: label === 'singular' && inOneof ? 'choice' : undefined,
        }),
      );
    return shape;
  });
}

const scalarValues: { readonly [K in FieldKind]: fc.Arbitrary<unknown> } = (() => {
  const int32 = fc.oneof(fc.integer(), fc.integer({ min: -200, max: 200 }));
  const uint32 = fc.oneof(fc.nat(0xffffffff), fc.nat(200));
  const int64 = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -200n, max: 200n }),
  );
  const uint64 = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.bigInt({ min: 0n, max: 200n }),
  );
  return {
    double: fc.double(),
    float: fc.float(),
    bool: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 100 }),
    string: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.constantFrom('', 'on', 'off', 'a text that is somewhat longer'),
    ),
    int32,
    sint32: int32,
    sfixed32: int32,
    uint32,
    fixed32: uint32,
    int64,
    sint64: int64,
    sfixed64: int64,
    uint64,
    fixed64: uint64,
    timestamp: fc.date({
      min: new Date('0001-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    }),
  };
})();

/** Values of a shape as plain objects; `depth` limits the nesting of recursive messages. */
export function values(shape: MessageShape, depth = 3): fc.Arbitrary<Record<string, unknown>> {
  const record: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of shape.fields) {
    if (field.type.kind === 'message' && depth === 0) continue;
    record[field.name] = fieldValues(field, depth);
  }
  return fc.record(record, { requiredKeys: [] }).map((value) => {
    const chosen = shape.fields.filter((field) => field.oneof !== undefined && field.name in value);
    for (const { name } of chosen.slice(1)) delete value[name];
    return value;
  });
}

function fieldValues({ label, type, mapKey }: FieldShape, depth: number): fc.Arbitrary<unknown> {
  const one = valuesOf(type, depth);
  if (label === 'singular') return one;
  if (label === 'repeated') return fc.array(one, { minLength: 1, maxLength: 4 });
  return fc
    .uniqueArray(fc.tuple(scalarValues[mapKey!], one), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 4,
    })
    .map((entries) => new Map(entries));
}

function valuesOf(type: FieldType, depth: number): fc.Arbitrary<unknown> {
  if (type.kind === 'message') return values(type.shape(), depth - 1);
  return type.kind === 'enum' ? fc.constantFrom(0, 5, 7, -1) : scalarValues[type.scalar];
}

/** Every kind with every label, and the message itself. */
export const everything: MessageShape = messageShape(
  'Everything',
  [
    ...fieldKinds.flatMap((scalar, i) => [
      {
        name: `one${i}`,
        number: 1 + i,
        label: 'singular' as const,
        type: { kind: 'scalar' as const, scalar },
      },
      {
        name: `many${i}`,
        number: 40 + i,
        label: 'repeated' as const,
        type: { kind: 'scalar' as const, scalar },
      },
      {
        name: `map${i}`,
        number: 80 + i,
        label: 'map' as const,
        mapKey: mapKeys[i % mapKeys.length],
        type: { kind: 'scalar' as const, scalar },
      },
    ]),
    {
      name: 'self',
      number: 20,
      label: 'singular' as const,
      type: { kind: 'message' as const, shape: (): MessageShape => everything },
    },
    {
      name: 'selves',
      number: 21,
      label: 'repeated' as const,
      type: { kind: 'message' as const, shape: (): MessageShape => everything },
    },
    {
      name: 'named',
      number: 22,
      label: 'map' as const,
      mapKey: 'string' as const,
      type: { kind: 'message' as const, shape: (): MessageShape => everything },
    },
  ].sort((a, b) => a.number - b.number),
);
