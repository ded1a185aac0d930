/** How far ahead a client may send. */
import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Bytes that a client may send before we have read them, in each call and in all calls of a
 * connection. With the 64 KiB that HTTP/2 begins with, a bulk write waits for our event loop and
 * then for the client's after every 64 KiB. A request is taken in whole before it is looked at, up
 * to the size that is refused, so a wider window lets nobody make us hold more.
 */
export const uploadWindow = 4 << 20;

/**
 * Widens the windows of connections to come. grpc-js has an option for this in clients and none in
 * servers, so the HTTP/2 servers behind it are looked for where it keeps them (1.14); where they
 * are not there, uploads are slower and nothing else.
 */
export function widenUploads(server: Server): void {
  const { http2Servers } = server as unknown as { readonly http2Servers?: unknown };
  if (!(http2Servers instanceof Map)) return;
  for (const listener of http2Servers.keys())
    if (listener instanceof EventEmitter) listener.on('session', widen);
}

function widen(session: ServerHttp2Session): void {
  session.settings({ initialWindowSize: uploadWindow });
  session.setLocalWindowSize(uploadWindow);
}
