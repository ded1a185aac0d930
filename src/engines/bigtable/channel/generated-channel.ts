/**
 * A Channel over the methods of the generated clients, for a transport that is not gRPC
 * (`clientOptions: { fallback: true }`, or a future version). It uses documented API only and is
 * slower: every message is converted to objects and back to bytes.
 */
import { statusCode } from '../../protocol/index.js';
import { callError } from './call-error.js';
import {
  ChannelClosedError,
  CallError,
  type RpcOptions,
  type Channel,
  type MessageStream,
  type RpcMethod,
} from './channel.js';
import {
  deadlineOf,
  failedStream,
  onOptionalAbort,
  type RunningCall,
  RunningCalls,
} from './call-parts.js';
import {
  fromGenerated,
  generatedMethods,
  toGenerated,
  type GeneratedMethod,
} from './generated-messages.js';
import { definedProperties } from '../settings.js';
import { CallStream } from './message-stream.js';
import type { ServiceError, ServerStream, GeneratedClient } from './vendor/vendor-types.js';

/** The dependencies of a GeneratedChannel. */
export interface GeneratedChannelParts {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly data: GeneratedClient;
  /** The client of the admin API, created at its first use. */
  readonly admin: () => Promise<GeneratedClient>;
  /** Value of `bigtable-features`. */
  readonly features: string;
  readonly clients: () => readonly Pick<GeneratedClient, 'close'>[];
  /** Creates Google's own client, once. */
  readonly client: () => Promise<object>;
}

/** What a unary method resolves to; the response message is at GeneratedMethod.responseIndex. */
type Results = readonly object[];
type GeneratedStream = ServerStream & {
  on(event: 'data', listener: (message: object) => void): unknown;
};
/** Methods of a generated client, by name. */
type Methods = Readonly<Record<string, (request: object, options: object) => unknown>>;

const dataService = '/google.bigtable.v2.Bigtable/';

/** A Channel over the generated clients. */
export class GeneratedChannel implements Channel {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly #running = new RunningCalls();
  #closed: Promise<void> | undefined;

  readonly #parts: GeneratedChannelParts;

  constructor(parts: GeneratedChannelParts) {
    this.#parts = parts;
    this.instance = parts.instance;
    this.appProfile = parts.appProfile;
  }

  async unary(method: RpcMethod, request: Uint8Array, options: RpcOptions): Promise<Uint8Array> {
    if (this.#closed !== undefined) throw new ChannelClosedError();
    options.signal?.throwIfAborted();
    const { name, request: type, response, responseIndex = 0 } = methodOf(method);
    const client = (await this.#clientOf(method)) as unknown as Methods;
    const call = client[name](
      toGenerated(type, request),
      this.#gaxOptions(options),
    ) as Promise<Results> & { cancel?: () => void };
    const results = await this.#results(call, method, options);
    return fromGenerated(response, results[responseIndex]);
  }

  stream(method: RpcMethod, request: Uint8Array, options: RpcOptions): MessageStream {
    if (this.#closed !== undefined) return failedStream(new ChannelClosedError());
    if (options.signal?.aborted === true) return failedStream(options.signal.reason);
    const { name, request: type, response } = methodOf(method);
    const call = (this.#parts.data as unknown as Methods)[name](
      toGenerated(type, request),
      this.#gaxOptions(options),
    ) as GeneratedStream;
    options.cookies?.takeFrom(call);
    const onEnd = (): void => this.#running.delete(stream);
    const stream: CallStream = new CallStream(
      encoded(call, response),
      options.signal,
      onEnd,
      deadlineOf(options),
    );
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

  async #clientOf(method: RpcMethod): Promise<GeneratedClient> {
    if (method.startsWith(dataService)) return this.#parts.data;
    return this.#parts.admin();
  }

  async #close(): Promise<void> {
    this.#running.failAll();
    await Promise.all(this.#parts.clients().map((client) => client.close()));
  }

  /** The results of a call; rejects with the reason if it is aborted or the channel is closed. */
  #results(
    call: Promise<Results> & { cancel?: () => void },
    method: RpcMethod,
    options: RpcOptions,
  ): Promise<Results> {
    const { signal, cookies } = options;
    const deadline = deadlineOf(options);
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#running.delete(running);
        unsubscribe();
        then();
      };
      const stop = (reason: unknown): void => {
        // The caller's own reason, as in every API with a signal.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        settle(() => reject(reason));
        call.cancel?.();
      };
      const unsubscribe = onOptionalAbort(signal, stop);
      const running: RunningCall = { fail: stop };
      this.#running.add(running, method);
      call.then(
        (results) => settle(() => resolve(results)),
        (error: ServiceError) => {
          cookies?.take(error.metadata);
          settle(() => reject(callError(error, deadline)));
        },
      );
    });
  }

  /** The options of a single attempt: the client's own retries are disabled. */
  #gaxOptions({ timeoutMs, attempt = 0, cookies }: RpcOptions): object {
    const headers: Record<string, string | readonly Buffer[]> = {
      'bigtable-features': this.#parts.features,
      'bigtable-attempt': `${attempt}`,
    };
    // The client makes text of a Buffer, unless it is in an array.
    for (const [name, value] of cookies?.values ?? [])
      headers[name] = typeof value === 'string' ? value : [value];
    return {
      // Without `timeout` the client uses the default of the method; undefined would remove it.
      ...definedProperties({ timeout: timeoutMs }),
      retry: { retryCodes: [] },
      retryRequestOptions: { retries: 0, noResponseRetries: 0 },
      autoPaginate: false,
      otherArgs: { headers },
    };
  }
}

function methodOf(method: RpcMethod): GeneratedMethod {
  const known = generatedMethods[method];
  if (known === undefined)
    throw new CallError(
      statusCode.UNIMPLEMENTED,
      `${method} is not supported through the generated client`,
    );
  return known;
}

/** The call with encoded messages. */
function encoded(call: GeneratedStream, response: GeneratedMethod['response']): ServerStream {
  const stream: ServerStream = {
    on(event: string, listener: (value: never) => void) {
      if (event === 'data')
        call.on('data', (message: object) =>
          (listener as (bytes: Buffer) => void)(Buffer.from(fromGenerated(response, message))),
        );
      else call.on(event as 'end', listener as () => void);
      return stream;
    },
    pause: () => (call.pause(), stream),
    resume: () => (call.resume(), stream),
    cancel: () => call.cancel(),
  };
  return stream;
}
