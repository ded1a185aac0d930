/**
 * Bounds the bytes of requests in memory. grpc-js buffers each request whole, up to its maximum
 * size, however many there are. It would also inflate any number of compressed requests at a time,
 * to a thousand times their size: so it does not get to know of them, and they are inflated here.
 */
import type {
  Http2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Metadata } from '@grpc/grpc-js';
import { StatusError, statusCode } from '../engines/protocol/index.js';
import { TaskQueue } from './resources/task-queue.js';
import { openPath, type TokenCheck, unauthenticated } from './security.js';

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

/** The size of a request, also when it is inflated. Bigtable's own limit. */
export const maxRequestBytes = 256 << 20;

/** The size of a call that needs no token. */
const maxOpenBytes = 1024;

/** The header by which a call finds its compressed request; clients cannot set it. */
const idHeader = 'rowsmith-compressed';
const encodingHeader = 'grpc-encoding';

const inflated = promisify(gunzip);

/** Each chunk of an inflated message is a turn of the event loop, which may be late. */
const [smallChunk, largeChunk] = [16 * 1024, 256 * 1024];
/** A compressed message of so many bytes is inflated in large chunks. */
const largeMessage = 64 * 1024;

interface HeldRequest {
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session | undefined;
  bytes: number;
  readonly maxBytes: number;
  /** True when the client has sent all of it. */
  complete: boolean;
}

/** The requests of all connections of a server, from their first byte until they are answered. */
export class HeldRequests {
  readonly #requests = new Set<HeldRequest>();
  readonly #connections = new WeakMap<Http2Session, number>();
  readonly #compressed = new Map<string, HeldRequest>();
  readonly #inflating = new TaskQueue();
  #total = 0;
  #lastId = 0;
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

  /** Hides from grpc-js that a request is compressed; called before it gets the headers. */
  hideCompression(headers: IncomingHttpHeaders): void {
    if (headers[idHeader] !== undefined) delete headers[idHeader];
    if (headers[encodingHeader] !== 'gzip') return;
    delete headers[encodingHeader];
    headers[idHeader] = String(++this.#lastId);
  }

  /** Counts the bytes of a request. Its stream has been passed to grpc-js, which has paused it. */
  add(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // The service checks it again: the request may have arrived already.
    const isOpen = headers[':path'] === openPath;
    if (!isOpen && !this.#token.accepts(headers.authorization))
      return reject(stream, statusCode.UNAUTHENTICATED, unauthenticated);
    const encoding = headers[encodingHeader];
    if (encoding !== undefined && encoding !== 'identity')
      return reject(stream, statusCode.UNIMPLEMENTED, 'Requests are compressed with gzip only');
    const maxBytes = isOpen ? maxOpenBytes : Infinity;
    const request = { stream, session: stream.session, bytes: 0, maxBytes, complete: false };
    this.#requests.add(request);
    const id = headers[idHeader];
    if (typeof id === 'string') {
      this.#compressed.set(id, request);
      stream.once('close', () => this.#compressed.delete(id));
    }
    stream.on('data', (chunk: Buffer) => this.#grow(request, chunk.length));
    stream.once('end', () => (request.complete = true));
    stream.once('close', () => this.#release(request));
  }

  /**
   * The message of a call as it was before the client compressed it. One message at a time is
   * inflated, so that the next one finds the room that is left.
   */
  inflate(message: Uint8Array, metadata: Metadata): Promise<Uint8Array> | undefined {
    if (!isGzip(message)) return undefined;
    const request = this.#compressed.get(String(metadata.get(idHeader)[0]));
    if (request === undefined) return undefined;
    return this.#inflating.run(async () => {
      const { session } = request;
      if (!this.#requests.has(request)) throw new StatusError(statusCode.CANCELLED, 'It has ended');
      const room = Math.min(
        this.#limits.perConnection - this.#ofConnection(session),
        this.#limits.total - this.#total,
      );
      const maxOutputLength = Math.max(1, Math.min(room, maxRequestBytes));
      const chunkSize = message.length < largeMessage ? smallChunk : largeChunk;
      const options = { maxOutputLength, chunkSize };
      const bytes = await inflated(message, options).catch((error: unknown) => {
        throw inflationError(error, maxOutputLength < maxRequestBytes);
      });
      this.#grow(request, bytes.length);
      return bytes;
    });
  }

  #grow(request: HeldRequest, bytes: number): void {
    if (!this.#requests.has(request)) return;
    const { session } = request;
    request.bytes += bytes;
    this.#total += bytes;
    const ofConnection = this.#ofConnection(session) + bytes;
    if (session !== undefined) this.#connections.set(session, ofConnection);
    if (request.bytes > request.maxBytes) this.#reject(request, 'The request is too large');
    else if (ofConnection > this.#limits.perConnection)
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
    if (largest !== undefined) this.#reject(largest, heldTooMany);
  }

  #reject(request: HeldRequest, message: string): void {
    this.#release(request);
    reject(request.stream, statusCode.RESOURCE_EXHAUSTED, message);
  }

  #release(request: HeldRequest): void {
    if (!this.#requests.delete(request)) return;
    const { session, bytes } = request;
    this.#total -= bytes;
    if (session !== undefined) this.#connections.set(session, this.#ofConnection(session) - bytes);
  }
}

const heldTooMany = 'The server holds too many bytes of requests. Send fewer of them at a time';

/** No protobuf message begins with these bytes: 7 is not a wire type. */
function isGzip(message: Uint8Array): boolean {
  return message[0] === 0x1f && message[1] === 0x8b;
}

function inflationError(error: unknown, isRoomShort: boolean): StatusError {
  if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE')
    return new StatusError(statusCode.INTERNAL, 'The compressed request is damaged');
  const tooLarge = `The request has more than ${maxRequestBytes} bytes once it is inflated`;
  return new StatusError(statusCode.RESOURCE_EXHAUSTED, isRoomShort ? heldTooMany : tooLarge);
}

/** Ends a call with a status, before its request has been received. */
function reject(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.closed) return;
  if (!stream.headersSent) {
    const headers: OutgoingHttpHeaders = {
      ':status': 200,
      'content-type': 'application/grpc+proto',
      'grpc-status': status,
      'grpc-accept-encoding': 'identity,gzip',
      'grpc-message': encodeURI(message),
    };
    stream.respond(headers, { endStream: true });
  }
  stream.close();
}
