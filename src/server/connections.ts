/** The connections of a server: larger flow-control windows for uploads, and their end. */
import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';

/**
 * HTTP/2 flow-control window in bytes, for each call and for each connection. With the protocol's
 * initial 64 KiB a bulk write waits for a round trip through both event loops after every 64 KiB.
 * The wider window costs no memory: a request is buffered whole before it is decoded anyway, up to
 * the maximum request size.
 */
export const uploadWindow = 4 << 20;

/**
 * The connections of a server: widens their windows, and breaks them. grpc-js offers neither, so we
 * use the map in which it keeps its HTTP/2 servers (as of 1.14). If a later version has no such
 * map, uploads are slower, and a shutdown waits for clients that do not read.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server) {
    const { http2Servers } = server as unknown as { readonly http2Servers?: unknown };
    if (!(http2Servers instanceof Map)) return;
    for (const listener of http2Servers.keys()) {
      if (!(listener instanceof EventEmitter)) continue;
      listener.on('session', widen);
      listener.on('connection', (socket: Socket) => this.#add(socket));
    }
  }

  /**
   * Breaks all connections. After `forceShutdown` an HTTP/2 session still waits until its client
   * has read what was sent.
   */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
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
