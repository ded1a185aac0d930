/** The connections of a server: upload windows, bounded memory for requests, and their end. */
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { HeldRequests } from './held-requests.js';
import { TokenCheck } from './security.js';

/**
 * HTTP/2 flow-control window in bytes, for each call and for each connection. With the protocol's
 * initial 64 KiB a bulk write waits for a round trip through both event loops after every 64 KiB.
 * The wider window costs no memory: a request is buffered whole before it is decoded anyway, up to
 * the maximum request size.
 */
export const uploadWindow = 4 << 20;

/**
 * Connections at a time, by default. A client opens one to sixteen of them. If each holds a whole
 * window that was received and not read, they take 4 GiB.
 */
export const defaultMaxConnections = 1000;

/**
 * The connections of a server: bounds their number and the bytes of their requests, widens their
 * windows, and breaks them. grpc-js offers none of that, so we use the map in which it keeps its
 * HTTP/2 servers (as of 1.14). If a later version has no such map, uploads are slower, a shutdown
 * waits for clients that do not read, and only the size of each request is bounded.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();

  /**
   * `requests` counts the bytes of requests. Each address that the server listens on accepts
   * `maxConnections` connections at a time; further connections are closed before their first byte
   * is read.
   */
  constructor(
    server: Server,
    requests = new HeldRequests(new TokenCheck(undefined)),
    maxConnections = defaultMaxConnections,
  ) {
    const { http2Servers } = server as unknown as { readonly http2Servers?: unknown };
    if (!(http2Servers instanceof Map)) return;
    for (const listener of http2Servers.keys()) {
      if (!(listener instanceof EventEmitter)) continue;
      (listener as unknown as NetServer).maxConnections = maxConnections;
      listener.on('session', widen);
      listener.prependListener(
        'stream',
        (_stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
          requests.hideCompression(headers),
      );
      listener.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
        requests.add(stream, headers),
      );
      listener.on('connection', (socket: Socket) => this.#add(socket));
    }
  }

  /**
   * Breaks all connections, and resolves when they are closed. After `forceShutdown` an HTTP/2
   * session still waits until its client has read what was sent.
   */
  async destroyAll(): Promise<void> {
    const closed = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function widen(session: ServerHttp2Session): void {
  session.settings({ initialWindowSize: uploadWindow });
  session.setLocalWindowSize(uploadWindow);
}
