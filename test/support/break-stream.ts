/**
 * Resets a stream without a status (RST_STREAM, NGHTTP2_INTERNAL_ERROR), like a server that dies.
 */
import type { ServerWritableStream } from '@grpc/grpc-js';

interface Layer {
  readonly nextCall?: Layer;
  readonly stream?: { close(code: number): void };
}

/** Resets the HTTP/2 stream of a call, which is below all interceptors. */
export function breakStream(call: ServerWritableStream<Buffer, Buffer>): void {
  let layer = (call as unknown as { readonly call: Layer }).call;
  while (layer.stream === undefined && layer.nextCall !== undefined) layer = layer.nextCall;
  const { stream } = layer;
  if (stream === undefined) throw new Error('the stream below the call was not found');
  // Not in the turn in which the request arrived: Node 20 would free the stream while nghttp2 still
  // uses it, and the damaged heap would crash the process later.
  setImmediate(() => stream.close(2));
}
