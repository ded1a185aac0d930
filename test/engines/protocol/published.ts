/**
 * Google's published protos as shipped with the official client, encoded and decoded by protobufjs:
 * an oracle that is independent of our codec.
 */
import protobuf from 'protobufjs';

/** Messages that the protos of 2026 have and the installed client's protos do not. */
const json = structuredClone(
  require('@google-cloud/bigtable/build/protos/protos.json') as protobuf.INamespace,
);
const data = nestedOf(json, 'google', 'bigtable', 'v2');
const mutation = data.nested!.Mutation as protobuf.IType;
mutation.nested!.TimestampOrigin = {
  values: { TIMESTAMP_ORIGIN_UNSPECIFIED: 0, USER_SPECIFIED: 1, CLIENT_AUTO_GENERATED: 2 },
};
mutation.fields.timestampOrigin = { type: 'TimestampOrigin', id: 7 };

function nestedOf(namespace: protobuf.INamespace, ...path: string[]): protobuf.INamespace {
  return path.reduce((inner, name) => inner.nested![name] as protobuf.INamespace, namespace);
}

/** All messages and services. */
export const published = protobuf.Root.fromJSON(json).resolveAll();

const types = new Map<string, protobuf.Type>();

/** A message type by its full name. */
export function publishedType(name: string): protobuf.Type {
  let type = types.get(name);
  if (type === undefined) {
    // lookupType searches all namespaces.
    type = published.lookupType(name);
    types.set(name, type);
  }
  return type;
}

/** Encodes a message; fields in camelCase, bytes as Uint8Array, int64 as number, string or Long. */
export function encodePublished(name: string, fields: object): Buffer {
  const type = publishedType(name);
  return Buffer.from(type.encode(type.fromObject(fields)).finish());
}

/** Decodes a message into a plain object: int64 as string, enums as names, bytes as Buffer. */
export function decodePublished(name: string, bytes: Uint8Array): any {
  const type = publishedType(name);
  return type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: Buffer });
}
