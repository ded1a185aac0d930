/** Larger flow-control windows for uploads. */
import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * HTTP/2 flow-control window in bytes, for each call and for each connection. With the protocol's
 * initial 64 KiB a bulk write waits for a round trip through both event loops after every 64 KiB.
 * The wider window costs no memory: a request is buffered whole before it is decoded anyway, up to
 * the maximum request size.
 */
export const uploadWindow = 4 << 20;

/**
 * Widens the windows of future connections. grpc-js has an option for this only in clients, so we
 * use the map in which it keeps its HTTP/2 servers (as of 1.14). If a later version has no such
 * map, uploads are slower and nothing else changes.
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
