/** protobufjs as the oracle of message tests, with the same shapes in edition proto3. */
import protobuf from 'protobufjs';
import type { FieldShape, MessageShape } from '../../../src/data/cell/index.js';

interface Definition {
  edition: string;
  fields: Record<string, object>;
  oneofs: Record<string, { oneof: string[] }>;
}

/** The protobufjs type of a shape. */
export function oracleType(shape: MessageShape): protobuf.Type {
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
  const result: Definition = { edition: 'proto3', fields: {}, oneofs: {} };
  for (const field of shape.fields) {
    result.fields[field.name] = {
      id: field.number,
      type: typeName(field, nameOf),
      ...labelOptions(field),
    };
    if (field.oneof !== undefined)
      (result.oneofs[field.oneof] ??= { oneof: [] }).oneof.push(field.name);
  }
  return result;
}

function labelOptions({ label, mapKey, oneof }: FieldShape): object {
  if (label === 'repeated') return { rule: 'repeated' };
  if (label === 'map') return { keyType: mapKey };
  if (oneof !== undefined) return {};
  return { options: { features: { field_presence: 'EXPLICIT' } } };
}

function typeName({ type }: FieldShape, nameOf: (inner: MessageShape) => string): string {
  if (type.kind === 'message') return nameOf(type.shape());
  if (type.kind === 'enum') return 'Color';
  return type.scalar === 'timestamp' ? 'Timestamp' : type.scalar;
}

/**
 * Whether a value contains a Map. protobufjs uses objects for maps, and may encode the entries in
 * another order, because objects sort integer-like keys first.
 */
export function containsMap(value: unknown): boolean {
  if (value instanceof Map) return true;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  return Object.values(value).some(containsMap);
}

/** A value in the form of protobufjs's toObject with longs as strings. */
export function oracleForm(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return oracleTimestamp(value.getTime());
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(oracleForm);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, entry]) => [String(key), oracleForm(entry)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, oracleForm(entry)]),
  );
}

function oracleTimestamp(ms: number): object {
  const seconds = Math.floor(ms / 1000);
  const nanos = (ms - seconds * 1000) * 1e6;
  const timestamp: { seconds?: string; nanos?: number } = {};
  if (seconds !== 0) timestamp.seconds = String(seconds);
  if (nanos !== 0) timestamp.nanos = nanos;
  return timestamp;
}
