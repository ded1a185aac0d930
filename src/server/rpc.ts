/**
 * The methods of our services as grpc-js takes them: messages go in and out as bytes, so that
 * decoding is ours and its failures are answers. Nothing a client sends may throw past here.
 */
import type * as grpcJs from '@grpc/grpc-js';
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  MethodDefinition,
  ServerWritableStream,
  UntypedHandleCall,
} from '@grpc/grpc-js';
import { statusOf, type MessageType } from '../protocol/index.js';

/** Values of grpc-js that are needed at run time; the package is loaded when a server starts. */
export type Grpc = typeof grpcJs;

/** One method: its definition and its handler. */
export interface Method {
  readonly definition: MethodDefinition<Uint8Array, Uint8Array>;
  readonly handler: UntypedHandleCall;
}

/** The methods of a service, by name. */
export type Methods = Readonly<Record<string, Method>>;

/** What a streaming method may do with its call. */
export interface ResponseStream {
  /** Ends when the client leaves, cancels or runs out of time. */
  readonly signal: AbortSignal;
  /** Hands a message over. False when the client is behind: wait for `drained` before the next. */
  write(message: Uint8Array): boolean;
  /** Resolves when the client has caught up; rejects with the signal's reason. */
  drained(): Promise<void>;
}

/** Makes the methods of one service. */
export class Service {
  readonly #grpc: Grpc;
  readonly #name: string;

  constructor(grpc: Grpc, name: string) {
    this.#grpc = grpc;
    this.#name = name;
  }

  /**
   * A method with one answer. `resource` names what the request is about, for the text of errors.
   */
  unary<Q, A>(
    name: string,
    request: MessageType<Q>,
    answer: MessageType<A>,
    handle: (request: Q) => Promise<A>,
    resource?: (request: Q) => string | undefined,
  ): Method {
    const handler: handleUnaryCall<Uint8Array, Uint8Array> = (call, reply) => {
      const started = performance.now();
      let asked: Q | undefined;
      const run = async (): Promise<void> => {
        asked = request.decode(call.request);
        const bytes = answer.encode(await handle(asked));
        if (call.cancelled) return;
        call.sendMetadata(this.#timing(started));
        reply(null, bytes);
      };
      run().catch((error: unknown) => {
        if (!call.cancelled)
          reply(this.#failure(error, started, asked === undefined ? undefined : resource?.(asked)));
      });
    };
    return { definition: this.#definition(name, false), handler };
  }

  /** A method that answers with a stream; the handler writes encoded messages. */
  streaming<Q>(
    name: string,
    request: Pick<MessageType<Q>, 'decode'>,
    handle: (request: Q, outlet: ResponseStream) => Promise<void>,
    resource?: (request: Q) => string | undefined,
  ): Method {
    const handler: handleServerStreamingCall<Uint8Array, Uint8Array> = (call) => {
      const started = performance.now();
      let asked: Q | undefined;
      const run = async (): Promise<void> => {
        const outlet = new CallOutlet(call, () => this.#timing(started));
        asked = request.decode(call.request);
        await handle(asked, outlet);
        outlet.finish();
      };
      run().catch((error: unknown) => {
        if (!call.cancelled)
          call.emit(
            'error',
            this.#failure(error, started, asked === undefined ? undefined : resource?.(asked)),
          );
      });
    };
    return { definition: this.#definition(name, true), handler };
  }

  #definition(name: string, responseStream: boolean): MethodDefinition<Uint8Array, Uint8Array> {
    return {
      path: `/${this.#name}/${name}`,
      requestStream: false,
      responseStream,
      requestSerialize: asBuffer,
      requestDeserialize: asBuffer,
      responseSerialize: asBuffer,
      responseDeserialize: asBuffer,
    };
  }

  /** Production's clients measure by this header. */
  #timing(started: number): Metadata {
    const metadata = new this.#grpc.Metadata();
    metadata.set('server-timing', `gfet4t7; dur=${Math.round(performance.now() - started)}`);
    return metadata;
  }

  #failure(
    error: unknown,
    started: number,
    resource: string | undefined,
  ): Error & { code: number; details: string; metadata: Metadata } {
    const { code, message } = statusOf(error, resource);
    return Object.assign(new Error(message), {
      code,
      details: message,
      metadata: this.#timing(started),
    });
  }
}

/** One for all: nobody sees it, and a trace for each call costs more than the call. */
const clientGone = new Error('The client has gone');

/**
 * Messages of a call that are on their way to the connection before its client counts as behind.
 * grpc-js would take sixteen, a megabyte a call.
 */
const mostWaiting = 2;

class CallOutlet implements ResponseStream {
  readonly #abort = new AbortController();
  readonly #leave = (): void => this.#abort.abort(clientGone);
  #started = false;
  #waiting = 0;
  #caughtUp: (() => void) | undefined;
  readonly #written = (): void => {
    this.#waiting--;
    if (this.#waiting < mostWaiting) this.#caughtUp?.();
  };

  readonly #call: ServerWritableStream<Uint8Array, Uint8Array>;
  readonly #header: () => Metadata;

  constructor(call: ServerWritableStream<Uint8Array, Uint8Array>, header: () => Metadata) {
    this.#call = call;
    this.#header = header;
    if (call.cancelled) this.#leave();
    call.once('cancelled', this.#leave);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  write(message: Uint8Array): boolean {
    this.signal.throwIfAborted();
    this.#begin();
    this.#waiting++;
    this.#call.write(message, this.#written);
    return this.#waiting < mostWaiting;
  }

  drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this;
      const leave = () => settle(() => reject(signal.reason as Error));
      const settle = (then: () => void) => {
        this.#caughtUp = undefined;
        signal.removeEventListener('abort', leave);
        then();
      };
      if (signal.aborted) return leave();
      if (this.#waiting < mostWaiting) return resolve();
      this.#caughtUp = () => settle(resolve);
      signal.addEventListener('abort', leave);
    });
  }

  finish(): void {
    if (this.signal.aborted) return;
    this.#begin();
    // grpc-js says `cancelled` after the end of every call, too.
    this.#call.off('cancelled', this.#leave);
    this.#call.end();
  }

  #begin(): void {
    if (this.#started) return;
    this.#started = true;
    this.#call.sendMetadata(this.#header());
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
