/**
 * A Channel over the vendor's gRPC stubs, which provide authentication and connections. Messages
 * are passed as bytes.
 */
import { callError } from './call-error.js';
import {
  deadlineOf,
  failedStream,
  onOptionalAbort,
  type RunningCall,
  RunningCalls,
} from './call-parts.js';
import {
  ChannelClosedError,
  type RpcOptions,
  type Channel,
  type MessageStream,
  type RpcMethod,
} from './channel.js';
import { definedProperties } from '../settings.js';
import { CallStream } from './message-stream.js';
import type { Metadata, Stub, GeneratedClient } from './vendor/vendor-types.js';

/**
 * The Metadata class of the stubs' copy of grpc-js; the class of another copy is not recognised.
 */
export type MetadataClass = new () => Metadata;

/** The dependencies of a GrpcChannel. */
export interface GrpcChannelParts {
  readonly instance: string;
  readonly appProfile: string | undefined;
  /** Value of `x-goog-api-client`. */
  readonly clientHeader: string;
  /** Value of `bigtable-features`. */
  readonly features: string;
  readonly metadata: MetadataClass;
  /** One per connection. */
  readonly stubs: readonly Stub[];
  /** The stub of the admin API, created at its first use. */
  readonly admin: () => Promise<Stub>;
  /** All clients created so far, to be closed. */
  readonly clients: () => readonly Pick<GeneratedClient, 'close'>[];
  /** Creates Google's own client, once. */
  readonly client: () => Promise<object>;
}

const dataService = '/google.bigtable.v2.Bigtable/';

/** A connection and the number of its running calls. */
interface Connection {
  readonly stub: Stub;
  calls: number;
}

/** A Channel over gRPC stubs. */
export class GrpcChannel implements Channel {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly #connections: readonly Connection[];
  readonly #running = new RunningCalls();
  /** Where the next search for a connection starts. */
  #nextConnection = 0;
  #closed: Promise<void> | undefined;

  readonly #parts: GrpcChannelParts;

  constructor(parts: GrpcChannelParts) {
    this.#parts = parts;
    this.instance = parts.instance;
    this.appProfile = parts.appProfile;
    this.#connections = parts.stubs.map((stub) => ({ stub, calls: 0 }));
  }

  async unary(method: RpcMethod, request: Uint8Array, options: RpcOptions): Promise<Uint8Array> {
    if (this.#closed !== undefined) throw new ChannelClosedError();
    options.signal?.throwIfAborted();
    if (method.startsWith(dataService))
      return this.#unary(this.#leastBusy(), method, request, options);
    const stub = await this.#parts.admin();
    return this.#unary({ stub, calls: 0 }, method, request, options);
  }

  stream(method: RpcMethod, request: Uint8Array, options: RpcOptions): MessageStream {
    if (this.#closed !== undefined) return failedStream(new ChannelClosedError());
    if (options.signal?.aborted === true) return failedStream(options.signal.reason);
    const connection = this.#leastBusy();
    connection.calls++;
    const deadline = deadlineOf(options);
    const call = connection.stub.makeServerStreamRequest(
      method,
      asBuffer,
      asIs,
      request,
      this.#headers(options),
      definedProperties({ deadline }),
    );
    options.cookies?.takeFrom(call);
    const onEnd = (): void => {
      connection.calls--;
      this.#running.delete(stream);
    };
    const stream: CallStream = new CallStream(call, options.signal, onEnd, deadline);
    this.#running.add(stream, method);
    return stream;
  }

  async client(): Promise<object> {
    if (this.#closed !== undefined) throw new ChannelClosedError();
    return this.#parts.client();
  }

  cancelReads(): void {
    this.#running.failReads();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#running.failAll();
    await Promise.all(this.#parts.clients().map((client) => client.close()));
  }

  #unary(
    connection: Connection,
    method: RpcMethod,
    request: Uint8Array,
    options: RpcOptions,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const { signal, cookies } = options;
      const deadline = deadlineOf(options);
      const settle = (): void => {
        connection.calls--;
        this.#running.delete(running);
        unsubscribe();
      };
      const stop = (reason: unknown): void => {
        if (!this.#running.has(running)) return;
        settle();
        // The caller's own reason, as in every API with a signal.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(reason);
        call.cancel();
      };
      const unsubscribe = onOptionalAbort(signal, stop);
      const running: RunningCall = { fail: stop };
      connection.calls++;
      this.#running.add(running, method);
      const call = connection.stub.makeUnaryRequest(
        method,
        asBuffer,
        asIs,
        request,
        this.#headers(options),
        definedProperties({ deadline }),
        (error, response) => {
          if (!this.#running.has(running)) return;
          settle();
          cookies?.take(error?.metadata);
          if (error === null) resolve(response!);
          else reject(callError(error, deadline));
        },
      );
      if (cookies !== undefined) call.on('metadata', (headers) => cookies.take(headers));
    });
  }

  /**
   * A connection with the fewest calls. Among equals the choice rotates, so that a retry does not
   * use the same dead connection.
   */
  #leastBusy(): Connection {
    const connections = this.#connections;
    const first = this.#nextConnection++ % connections.length;
    let least = connections[first];
    for (let i = 1; i < connections.length; i++) {
      const connection = connections[(first + i) % connections.length];
      if (connection.calls < least.calls) least = connection;
    }
    return least;
  }

  #headers({ routing, attempt = 0, cookies }: RpcOptions): Metadata {
    const headers = new this.#parts.metadata();
    headers.set('x-goog-request-params', routing);
    headers.set('x-goog-api-client', this.#parts.clientHeader);
    headers.set('bigtable-features', this.#parts.features);
    headers.set('bigtable-attempt', `${attempt}`);
    for (const [name, value] of cookies?.values ?? []) headers.set(name, value);
    return headers;
  }
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
