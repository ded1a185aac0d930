/**
 * What a server that dies leaves of an answer: a stream that is broken off (RST_STREAM,
 * NGHTTP2_INTERNAL_ERROR), without a status.
 */
import type { ServerWritableStream } from '@grpc/grpc-js';

interface Layer {
  readonly nextCall?: Layer;
  readonly stream?: { close(code: number): void };
}

/** Breaks the HTTP/2 stream of a call off. Below all interceptors lies the stream. */
export function breakStream(call: ServerWritableStream<Buffer, Buffer>): void {
  let layer = (call as unknown as { readonly call: Layer }).call;
  while (layer.stream === undefined && layer.nextCall !== undefined) layer = layer.nextCall;
  const { stream } = layer;
  if (stream === undefined) throw new Error('the stream below the call was not found');
  // Not in the turn that brought the request: Node 20 would free the stream under nghttp2, which
  // still looks at it, and a heap that is damaged so ends the process at some other place.
  setImmediate(() => stream.close(2));
}
