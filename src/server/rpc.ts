/**
 * Method definitions and handlers in the form grpc-js expects. Messages enter and leave as bytes:
 * we decode them ourselves, so that a malformed request is answered with a status. No request may
 * cause an exception outside these handlers.
 */
import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  MethodDefinition,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedHandleCall,
} from '@grpc/grpc-js';
import { checkRequestSize, statusOf, type MessageType } from '../engines/protocol/index.js';
import type { HeldRequests } from './held-requests.js';
import type { TokenCheck } from './security.js';
import type { Grpc } from './grpc.js';

/** One method: its definition and its handler. */
export interface Method {
  readonly definition: MethodDefinition<Uint8Array, Uint8Array>;
  readonly handler: UntypedHandleCall;
}

/** The methods of a service, by name. */
export type Methods = Readonly<Record<string, Method>>;

/** The response of a streaming method. */
export interface ResponseStream {
  /** Aborted when the client disconnects, cancels the call or reaches its deadline. */
  readonly signal: AbortSignal;
  /** Queues a message. Returns false when the client reads too slowly: await `drained` first. */
  write(message: Uint8Array): boolean;
  /** Resolves when the client has caught up; rejects with the signal's reason. */
  drained(): Promise<void>;
}

/** A binary header that ends the response to a request. */
export type TrailerOf = (
  request: object,
) => { readonly key: string; readonly value: Buffer } | undefined;

/** The value of a header of a request. */
export type RequestHeader = (name: string) => string | undefined;

/** The resource that a request names, for error messages. */
type ResourceOf<Request> = (request: Request) => string | undefined;

/** Decodes a request, in several turns of the event loop if it is large. */
export interface RequestInSlices<Request> {
  readonly decodeSlices: (bytes: Uint8Array, signal: AbortSignal) => Promise<Request>;
}

/** Decodes a request. With `shape`, its fields are counted first. */
type RequestType<Request> = Pick<MessageType<Request>, 'decode'> &
  Partial<Pick<MessageType<Request>, 'shape'>>;

function decodeRequest<Request>({ shape, decode }: RequestType<Request>, bytes: Uint8Array) {
  if (shape !== undefined) checkRequestSize(shape, bytes);
  return decode(bytes);
}

/** Builds the methods of one service. */
export class Service {
  readonly #grpc: Grpc;
  readonly #name: string;
  readonly #token: TokenCheck;
  readonly #requests: HeldRequests;
  readonly #trailerOf: TrailerOf | undefined;

  constructor(
    grpc: Grpc,
    name: string,
    token: TokenCheck,
    requests: HeldRequests,
    trailerOf?: TrailerOf,
  ) {
    this.#grpc = grpc;
    this.#name = name;
    this.#token = token;
    this.#requests = requests;
    this.#trailerOf = trailerOf;
  }

  /**
   * A method with a single response. `signalOf` returns a signal like `ResponseStream` has; most
   * methods need none.
   */
  unary<Request extends object, Response>(
    name: string,
    requestType: RequestType<Request>,
    responseType: MessageType<Response>,
    handle: (request: Request, signalOf: () => AbortSignal) => Promise<Response>,
    resourceOf?: ResourceOf<Request>,
  ): Method {
    const handler: handleUnaryCall<Uint8Array, Uint8Array> = (call, reply) => {
      const started = performance.now();
      let request: Request | undefined;
      const run = async (): Promise<void> => {
        this.#token.check(call.metadata);
        const inflated = this.#requests.inflate(call.request, call.metadata);
        const message = inflated === undefined ? call.request : await inflated;
        request = decodeRequest(requestType, message);
        const bytes = responseType.encode(await handle(request, () => signalOfCall(call)));
        if (call.cancelled) return;
        call.sendMetadata(this.#timing(started));
        reply(null, bytes, this.#trailer(request));
      };
      run().catch((error: unknown) => {
        if (call.cancelled) return;
        reply(this.#failure(error, started, request, resourceName(request, resourceOf)));
      });
    };
    return { definition: this.#definition(name, false), handler };
  }

  /** A server-streaming method; the handler writes encoded messages. */
  streaming<Request extends object>(
    name: string,
    requestType: RequestType<Request> | RequestInSlices<Request>,
    handle: (request: Request, responses: ResponseStream, header: RequestHeader) => Promise<void>,
    resourceOf?: ResourceOf<Request>,
  ): Method {
    const handler: handleServerStreamingCall<Uint8Array, Uint8Array> = (call) => {
      const started = performance.now();
      let request: Request | undefined;
      const run = async (): Promise<void> => {
        this.#token.check(call.metadata);
        const responses = new CallResponseStream(call, () => this.#timing(started));
        const inflated = this.#requests.inflate(call.request, call.metadata);
        const message = inflated === undefined ? call.request : await inflated;
        if ('decodeSlices' in requestType)
          request = await requestType.decodeSlices(message, responses.signal);
        else request = decodeRequest(requestType, message);
        await handle(request, responses, (key) => call.metadata.get(key)[0]?.toString());
        responses.finish(this.#trailer(request));
      };
      run().catch((error: unknown) => {
        if (call.cancelled) return;
        const resource = resourceName(request, resourceOf);
        call.emit('error', this.#failure(error, started, request, resource));
      });
    };
    return { definition: this.#definition(name, true), handler };
  }

  /** A bidirectional method, with a response to each request; one request at a time is answered. */
  conversation<Request extends object>(
    name: string,
    requestType: RequestType<Request>,
    handle: (request: Request) => Uint8Array,
  ): Method {
    const handler: handleBidiStreamingCall<Uint8Array, Uint8Array> = (call) => {
      const started = performance.now();
      const fail = (error: unknown): void => {
        if (!call.cancelled)
          call.emit('error', this.#failure(error, started, undefined, undefined));
      };
      const answer = async (message: Uint8Array): Promise<void> => {
        this.#token.check(call.metadata);
        const inflated = await this.#requests.inflate(message, call.metadata);
        const response = handle(decodeRequest(requestType, inflated ?? message));
        if (!call.cancelled) await written(call, response);
      };
      let last: Promise<void> = Promise.resolve();
      call.on('data', (message: Uint8Array) => {
        call.pause();
        last = last.then(() => answer(message)).then(() => void call.resume());
        last.catch(fail);
      });
      call.once('end', () => void last.then(() => call.end(), fail));
    };
    return { definition: this.#definition(name, true, true), handler };
  }

  #definition(
    name: string,
    responseStream: boolean,
    requestStream = false,
  ): MethodDefinition<Uint8Array, Uint8Array> {
    return {
      path: `/${this.#name}/${name}`,
      requestStream,
      responseStream,
      requestSerialize: asBuffer,
      requestDeserialize: asBuffer,
      responseSerialize: asBuffer,
      responseDeserialize: asBuffer,
    };
  }

  /** The header from which Google's clients compute server latency. */
  #timing(started: number): Metadata {
    const metadata = new this.#grpc.Metadata();
    // Never 0, which clients take for a duration that is not known.
    const ms = Math.max(1, Math.round(performance.now() - started));
    metadata.set('server-timing', `gfet4t7; dur=${ms}`);
    return metadata;
  }

  /** The trailing metadata of a call, added to `metadata` if it is given. */
  #trailer(request: object | undefined, metadata?: Metadata): Metadata | undefined {
    if (request === undefined) return metadata;
    const trailer = this.#trailerOf?.(request);
    if (trailer === undefined) return metadata;
    const result = metadata ?? new this.#grpc.Metadata();
    result.set(trailer.key, trailer.value);
    return result;
  }

  #failure(
    error: unknown,
    started: number,
    request: object | undefined,
    resource: string | undefined,
  ): Error & { code: number; details: string; metadata: Metadata } {
    const { code, message } = statusOf(error, resource);
    return Object.assign(new Error(message), {
      code,
      details: message,
      metadata: this.#trailer(request, this.#timing(started))!,
    });
  }
}

/** Undefined as well for a request that could not be decoded. */
function resourceName<Request>(
  request: Request | undefined,
  resourceOf: ResourceOf<Request> | undefined,
): string | undefined {
  if (request === undefined) return undefined;
  return resourceOf?.(request);
}

/** Shared by all calls: it is never shown, and capturing a stack costs more than a call. */
const clientDisconnected = new Error('The client has disconnected');

/**
 * Messages of a call that may wait for the connection before the client counts as slow. The default
 * of grpc-js is 16, about 1 MiB per call.
 */
const maxPendingMessages = 2;

/** Sends a response, and waits until the client has taken it. */
function written(
  call: ServerDuplexStream<Uint8Array, Uint8Array>,
  response: Uint8Array,
): Promise<void> {
  return new Promise((resolve) => {
    call.once('cancelled', resolve);
    call.write(response, () => {
      call.off('cancelled', resolve);
      resolve();
    });
  });
}

function signalOfCall(call: ServerUnaryCall<Uint8Array, Uint8Array>): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(clientDisconnected);
  if (call.cancelled) abort();
  else call.once('cancelled', abort);
  return controller.signal;
}

class CallResponseStream implements ResponseStream {
  readonly #abort = new AbortController();
  readonly #onCancelled = (): void => this.#abort.abort(clientDisconnected);
  #headerSent = false;
  #pending = 0;
  #onDrained: (() => void) | undefined;
  readonly #onWritten = (): void => {
    this.#pending--;
    if (this.#pending < maxPendingMessages) this.#onDrained?.();
  };

  readonly #call: ServerWritableStream<Uint8Array, Uint8Array>;
  readonly #header: () => Metadata;

  constructor(call: ServerWritableStream<Uint8Array, Uint8Array>, header: () => Metadata) {
    this.#call = call;
    this.#header = header;
    if (call.cancelled) this.#onCancelled();
    call.once('cancelled', this.#onCancelled);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  write(message: Uint8Array): boolean {
    this.signal.throwIfAborted();
    this.#sendHeader();
    this.#pending++;
    this.#call.write(message, this.#onWritten);
    return this.#pending < maxPendingMessages;
  }

  drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this;
      const onAborted = () => settle(() => reject(signal.reason as Error));
      const settle = (complete: () => void) => {
        this.#onDrained = undefined;
        signal.removeEventListener('abort', onAborted);
        complete();
      };
      if (signal.aborted) return onAborted();
      if (this.#pending < maxPendingMessages) return resolve();
      this.#onDrained = () => settle(resolve);
      signal.addEventListener('abort', onAborted);
    });
  }

  finish(trailer: Metadata | undefined): void {
    if (this.signal.aborted) return;
    this.#sendHeader();
    // grpc-js also emits `cancelled` after a call has ended normally.
    this.#call.off('cancelled', this.#onCancelled);
    this.#call.end(trailer);
  }

  #sendHeader(): void {
    if (this.#headerSent) return;
    this.#headerSent = true;
    this.#call.sendMetadata(this.#header());
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
