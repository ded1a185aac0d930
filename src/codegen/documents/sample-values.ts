/** Values to show keys with: the same on every run, and what each segment can hold. */
import type { SegmentType } from '../../key/index.js';
import type { EntityModel } from '../../model/index.js';

const moments = ['2026-11-20T10:30:00.000Z', '2026-11-20T11:45:00.000Z'] as const;

/** Values of all segments; `which` is 0 or 1, for two keys that are not the same. */
export function sampleValues(model: EntityModel, which: 0 | 1): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    model.segments.map(({ property, type }) => [property, sampleValue(property, type, which)]),
  );
}

function sampleValue(property: string, type: SegmentType, which: 0 | 1): unknown {
  const number = Math.min(
    which === 0 ? 42 : 43,
    type.max ?? Infinity,
    10 ** (type.width ?? 16) - 1,
  );
  switch (type.kind) {
    // Letters and digits only, which no format escapes or refuses.
    case 'string':
      return `${property.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()}${which + 1}`.slice(
        -(type.maxLength ?? 20),
      );
    case 'int':
    case 'uint':
    case 'reversedId':
      return number;
    case 'bigint':
      return BigInt(number);
    case 'micros':
      return BigInt(Date.parse(moments[which])) * 1000n;
    case 'float':
      return which === 0 ? 1.5 : 2.5;
    case 'decimal':
      return (type.scale ?? 0) === 0 || type.scale === type.width
        ? '0'
        : `${which + 1}.${'5'.repeat(type.scale ?? 0)}`;
    case 'bool':
      return which === 0;
    case 'enum':
      return (type.values ?? [])[Math.min(which, (type.values ?? []).length - 1)];
    case 'timestamp':
    case 'isoDate':
      return new Date(moments[which]);
    case 'uuid':
      return `550e8400-e29b-41d4-a716-44665544000${which}`;
    case 'ulid':
      return `01ARZ3NDEKTSV4RRFFQ69G5FA${which}`;
    case 'bytes':
      return Uint8Array.of(0, 255, 16 + which).slice(0, type.maxLength ?? 3);
    case 'domain':
      return which === 0 ? 'maps.example.com' : 'www.example.com';
  }
}
