/** Methods of the data API whose messages are bytes, for servers that do not decode them. */
import type { MethodDefinition } from '@grpc/grpc-js';

const identity = (bytes: Buffer): Buffer => bytes;

/** A server-streaming method of google.bigtable.v2.Bigtable. */
export function bytesMethod(name: string): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/google.bigtable.v2.Bigtable/${name}`,
    requestStream: false,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
}
