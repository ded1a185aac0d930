/**
 * Bounds the bytes of requests in memory. grpc-js buffers each request whole, up to its maximum
 * size, however many there are.
 */
import type {
  Http2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import { statusCode } from '../engines/protocol/index.js';
import { type TokenCheck, unauthenticated } from './security.js';

/** Bytes of the requests that have not been answered. */
export interface HeldLimits {
  readonly total: number;
  readonly perConnection: number;
}

/**
 * A connection may send one request of the maximum size, 256 MiB, and smaller ones beside it. Two
 * such connections fit into the total.
 */
export const heldLimits: HeldLimits = { total: 576 << 20, perConnection: 288 << 20 };

interface HeldRequest {
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session | undefined;
  bytes: number;
  /** True when the client has sent all of it. */
  complete: boolean;
}

/** The requests of all connections of a server, from their first byte until they are answered. */
export class HeldRequests {
  readonly #requests = new Set<HeldRequest>();
  readonly #connections = new WeakMap<Http2Session, number>();
  #total = 0;
  readonly #token: TokenCheck;
  readonly #limits: HeldLimits;

  /** Calls without the token are rejected before their request is received. */
  constructor(token: TokenCheck, limits: HeldLimits = heldLimits) {
    this.#token = token;
    this.#limits = limits;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#total;
  }

  /** Counts the bytes of a request. Its stream has been passed to grpc-js, which has paused it. */
  add(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // The service checks it again: the request may have arrived already.
    if (!this.#token.accepts(headers.authorization))
      return reject(stream, statusCode.UNAUTHENTICATED, unauthenticated);
    const encoding = headers['grpc-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      return reject(stream, statusCode.UNIMPLEMENTED, 'Compressed requests are not accepted');
    const request = { stream, session: stream.session, bytes: 0, complete: false };
    this.#requests.add(request);
    stream.on('data', (chunk: Buffer) => this.#grow(request, chunk.length));
    stream.once('end', () => (request.complete = true));
    stream.once('close', () => this.#release(request));
  }

  #grow(request: HeldRequest, bytes: number): void {
    if (!this.#requests.has(request)) return;
    const { session } = request;
    request.bytes += bytes;
    this.#total += bytes;
    const ofConnection = this.#ofConnection(session) + bytes;
    if (session !== undefined) this.#connections.set(session, ofConnection);
    if (ofConnection > this.#limits.perConnection)
      this.#rejectLargest((other) => other.session === session);
    else if (this.#total > this.#limits.total) this.#rejectLargest(() => true);
  }

  #ofConnection(session: Http2Session | undefined): number {
    if (session === undefined) return 0;
    return this.#connections.get(session) ?? 0;
  }

  /**
   * Rejects the largest unfinished request, so that a client with many of them does not keep other
   * clients from being served.
   */
  #rejectLargest(isCandidate: (request: HeldRequest) => boolean): void {
    let largest: HeldRequest | undefined;
    for (const request of this.#requests) {
      if (request.complete || !isCandidate(request)) continue;
      if (largest === undefined || request.bytes > largest.bytes) largest = request;
    }
    if (largest === undefined) return;
    this.#release(largest);
    const message = 'The server holds too many bytes of requests. Send fewer of them at a time';
    reject(largest.stream, statusCode.RESOURCE_EXHAUSTED, message);
  }

  #release(request: HeldRequest): void {
    if (!this.#requests.delete(request)) return;
    const { session, bytes } = request;
    this.#total -= bytes;
    if (session !== undefined) this.#connections.set(session, this.#ofConnection(session) - bytes);
  }
}

/** Ends a call with a status, before its request has been received. */
function reject(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.closed) return;
  if (!stream.headersSent) {
    const headers: OutgoingHttpHeaders = {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-status': status,
      'grpc-message': encodeURI(message),
    };
    stream.respond(headers, { endStream: true });
  }
  stream.close();
}
