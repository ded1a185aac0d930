/**
 * Google's own published protos, as the official client ships them: the judge of our messages,
 * independent of our codec.
 */
import protobuf from 'protobufjs';

const json = require('@google-cloud/bigtable/build/protos/protos.json') as protobuf.INamespace;

/** All messages and services. */
export const published = protobuf.Root.fromJSON(json).resolveAll();

const types = new Map<string, protobuf.Type>();

/** A message type by its full name. */
export function publishedType(name: string): protobuf.Type {
  let type = types.get(name);
  // A look-up goes through the names of all namespaces.
  if (type === undefined) types.set(name, (type = published.lookupType(name)));
  return type;
}

/**
 * The bytes of a message; fields in camelCase, bytes as Uint8Array, int64 as number, string or
 * Long.
 */
export function encodePublished(name: string, fields: object): Buffer {
  const type = publishedType(name);
  return Buffer.from(type.encode(type.fromObject(fields)).finish());
}

/**
 * A decoded message as a plain object: int64 as string, enums as names, bytes as Buffer; absent
 * fields absent.
 */
export function decodePublished(name: string, bytes: Uint8Array): any {
  const type = publishedType(name);
  return type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: Buffer });
}
