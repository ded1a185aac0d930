/**
 * A Channel over the vendor's own gRPC clients: their authentication and connections, our bytes.
 */
import { onAbort } from '../../../base/index.js';
import { callFault } from './call-fault.js';
import { closedFault, failedStream, featureFlags, type Running } from './call-parts.js';
import type { CallOptions, Channel, MessageStream, Method } from './channel.js';
import { CallStream } from './message-stream.js';
import type { GeneratedClient, Metadata, Stub } from './vendor.js';

/**
 * The headers class of the gRPC library that the stubs belong to: another copy's is not recognised.
 */
export type MetadataClass = new () => Metadata;

/** What a channel is made of. */
export interface GrpcChannelParts {
  readonly instance: string;
  readonly appProfile: string | undefined;
  /** Value of `x-goog-api-client`. */
  readonly clientHeader: string;
  readonly metadata: MetadataClass;
  /** One for each connection. */
  readonly stubs: readonly Stub[];
  /** The stub of the admin API, made when it is first asked for. */
  readonly admin: () => Promise<Stub>;
  /** Every client there is by now, to be closed. */
  readonly clients: () => readonly GeneratedClient[];
}

const dataService = '/google.bigtable.v2.Bigtable/';

/** One connection and how many calls it carries. */
interface Connection {
  readonly stub: Stub;
  calls: number;
}

/** See GrpcChannelParts. */
export class GrpcChannel implements Channel {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly #connections: readonly Connection[];
  readonly #running = new Set<Running>();
  #turn = 0;
  #closed: Promise<void> | undefined;

  readonly #parts: GrpcChannelParts;

  constructor(parts: GrpcChannelParts) {
    this.#parts = parts;
    this.instance = parts.instance;
    this.appProfile = parts.appProfile;
    this.#connections = parts.stubs.map((stub) => ({ stub, calls: 0 }));
  }

  async unary(method: Method, request: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    if (this.#closed !== undefined) throw closedFault();
    options.signal?.throwIfAborted();
    if (method.startsWith(dataService))
      return this.#ask(this.#leastBusy(), method, request, options);
    const stub = await this.#parts.admin();
    return this.#ask({ stub, calls: 0 }, method, request, options);
  }

  stream(method: Method, request: Uint8Array, options: CallOptions): MessageStream {
    if (this.#closed !== undefined) return failedStream(closedFault());
    if (options.signal?.aborted === true) return failedStream(options.signal.reason);
    const connection = this.#leastBusy();
    connection.calls++;
    const call = connection.stub.makeServerStreamRequest(
      method,
      asBuffer,
      asIs,
      request,
      this.#headers(options),
      deadline(options),
    );
    const stream: CallStream = new CallStream(call, options.signal, () => {
      connection.calls--;
      this.#running.delete(stream);
    });
    this.#running.add(stream);
    return stream;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#shut());
  }

  async #shut(): Promise<void> {
    for (const call of [...this.#running]) call.fail(closedFault());
    await Promise.all(this.#parts.clients().map((client) => client.close()));
  }

  #ask(
    connection: Connection,
    method: Method,
    request: Uint8Array,
    options: CallOptions,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const settle = (): void => {
        connection.calls--;
        this.#running.delete(running);
        unfollow?.();
      };
      const stop = (reason: unknown): void => {
        if (!this.#running.has(running)) return;
        settle();
        // The caller's own reason, as in every API that takes a signal.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(reason);
        call.cancel();
      };
      const unfollow =
        signal === undefined ? undefined : onAbort(signal, () => stop(signal.reason));
      const running: Running = { fail: stop };
      connection.calls++;
      this.#running.add(running);
      const call = connection.stub.makeUnaryRequest(
        method,
        asBuffer,
        asIs,
        request,
        this.#headers(options),
        deadline(options),
        (error, answer) => {
          if (!this.#running.has(running)) return;
          settle();
          if (error === null) resolve(answer!);
          else reject(callFault(error));
        },
      );
    });
  }

  /**
   * Of those that carry the fewest calls another one each time: a try again does not meet the same
   * dead line.
   */
  #leastBusy(): Connection {
    const connections = this.#connections;
    const first = this.#turn++ % connections.length;
    let least = connections[first];
    for (let i = 1; i < connections.length; i++) {
      const connection = connections[(first + i) % connections.length];
      if (connection.calls < least.calls) least = connection;
    }
    return least;
  }

  #headers({ routing, attempt = 0 }: CallOptions): Metadata {
    const headers = new this.#parts.metadata();
    headers.set('x-goog-request-params', routing);
    headers.set('x-goog-api-client', this.#parts.clientHeader);
    headers.set('bigtable-features', featureFlags);
    headers.set('bigtable-attempt', `${attempt}`);
    return headers;
  }
}

function deadline({ timeoutMs }: CallOptions): { readonly deadline?: number } {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
