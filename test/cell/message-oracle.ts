/** The peer of message tests: protobufjs, given the same shapes as edition proto3. */
import protobuf from 'protobufjs';
import type { FieldShape, MessageShape } from '../../src/cell/index.js';

interface Definition {
  edition: string;
  fields: Record<string, object>;
  oneofs: Record<string, { oneof: string[] }>;
}

/** The protobufjs type of a shape. */
export function peerType(shape: MessageShape): protobuf.Type {
  const nested: Record<string, object> = {
    Color: { values: { RED: 0, BLUE: 5 } },
    Timestamp: {
      edition: 'proto3',
      fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } },
    },
  };
  const names = new Map<MessageShape, string>();
  const nameOf = (inner: MessageShape): string => {
    if (!names.has(inner)) {
      names.set(inner, `T${names.size}`);
      nested[names.get(inner)!] = definition(inner, nameOf);
    }
    return names.get(inner)!;
  };
  const name = nameOf(shape);
  return protobuf.Root.fromJSON({ edition: 'proto3', nested } as protobuf.INamespace).lookupType(
    name,
  );
}

function definition(shape: MessageShape, nameOf: (inner: MessageShape) => string): Definition {
  const made: Definition = { edition: 'proto3', fields: {}, oneofs: {} };
  for (const field of shape.fields) {
    const options =
      field.label === 'singular' && field.oneof === undefined
        ? { options: { features: { field_presence: 'EXPLICIT' } } }
        : {};
    const rule =
      field.label === 'repeated'
        ? { rule: 'repeated' }
        : field.label === 'map'
          ? { keyType: field.mapKey }
          : {};
    made.fields[field.name] = {
      id: field.number,
      type: typeName(field, nameOf),
      ...rule,
      ...options,
    };
    if (field.oneof !== undefined)
      (made.oneofs[field.oneof] ??= { oneof: [] }).oneof.push(field.name);
  }
  return made;
}

function typeName({ type }: FieldShape, nameOf: (inner: MessageShape) => string): string {
  if (type.kind === 'message') return nameOf(type.shape());
  if (type.kind === 'enum') return 'Color';
  return type.scalar === 'timestamp' ? 'Timestamp' : type.scalar;
}

/**
 * Whether the value is of a kind that protobufjs writes in another order: its maps are objects,
 * which sort integer-like keys first.
 */
export function holdsMap(value: unknown): boolean {
  if (value instanceof Map) return true;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  return Object.values(value).some(holdsMap);
}

/** A value of ours in the form of protobufjs's toObject with longs as strings. */
export function peerForm(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return peerTimestamp(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(peerForm);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, held]) => [String(key), peerForm(held)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, peerForm(held)]));
}

function peerTimestamp(ms: number): object {
  const seconds = Math.floor(ms / 1000);
  const nanos = (ms - seconds * 1000) * 1e6;
  return {
    ...(seconds === 0 ? {} : { seconds: String(seconds) }),
    ...(nanos === 0 ? {} : { nanos }),
  };
}
