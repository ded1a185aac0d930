/**
 * A Channel through the methods of the generated clients, for a transport that is not gRPC
 * (`clientOptions: { fallback: true }`, or a version to come): documented API only, and slower,
 * because every message becomes objects and bytes again.
 */
import { onAbort } from '../../../base/index.js';
import { callFault } from './call-fault.js';
import {
  CallFault,
  type CallOptions,
  type Channel,
  type MessageStream,
  type Method,
} from './channel.js';
import { closedFault, failedStream, featureFlags, type Running } from './call-parts.js';
import {
  fromGenerated,
  generatedMethods,
  toGenerated,
  type GeneratedMethod,
} from './generated-messages.js';
import { CallStream } from './message-stream.js';
import type { GeneratedClient, ServerStream, ServiceError } from './vendor.js';

/** What a channel is made of. */
export interface GeneratedChannelParts {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly data: GeneratedClient;
  /** The client of the admin API, made when it is first asked for. */
  readonly admin: () => Promise<GeneratedClient>;
  readonly clients: () => readonly GeneratedClient[];
}

type Answers = readonly object[];
type GeneratedStream = ServerStream & {
  on(event: 'data', listener: (message: object) => void): unknown;
};
/** Methods of a generated client, by name. */
type Methods = Readonly<Record<string, (request: object, options: object) => unknown>>;

const dataService = '/google.bigtable.v2.Bigtable/';

/** See above. */
export class GeneratedChannel implements Channel {
  readonly instance: string;
  readonly appProfile: string | undefined;
  readonly #running = new Set<Running>();
  #closed: Promise<void> | undefined;

  readonly #parts: GeneratedChannelParts;

  constructor(parts: GeneratedChannelParts) {
    this.#parts = parts;
    this.instance = parts.instance;
    this.appProfile = parts.appProfile;
  }

  async unary(method: Method, request: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    if (this.#closed !== undefined) throw closedFault();
    options.signal?.throwIfAborted();
    const { name, request: type, answer, at = 0 } = methodOf(method);
    const client = (method.startsWith(dataService)
      ? this.#parts.data
      : await this.#parts.admin()) as unknown as Methods;
    const call = client[name](
      toGenerated(type, request),
      gaxOptions(options),
    ) as Promise<Answers> & { cancel?: () => void };
    return fromGenerated(answer, (await this.#ended(call, options.signal))[at]);
  }

  stream(method: Method, request: Uint8Array, options: CallOptions): MessageStream {
    if (this.#closed !== undefined) return failedStream(closedFault());
    if (options.signal?.aborted === true) return failedStream(options.signal.reason);
    const { name, request: type, answer } = methodOf(method);
    const call = (this.#parts.data as unknown as Methods)[name](
      toGenerated(type, request),
      gaxOptions(options),
    ) as GeneratedStream;
    const stream: CallStream = new CallStream(encoded(call, answer), options.signal, () =>
      this.#running.delete(stream),
    );
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

  /** The outcome of a call, or the reason that ended it from this side. */
  #ended(
    call: Promise<Answers> & { cancel?: () => void },
    signal: AbortSignal | undefined,
  ): Promise<Answers> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#running.delete(running);
        unfollow?.();
        then();
      };
      const stop = (reason: unknown): void => {
        // The caller's own reason, as in every API that takes a signal.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        settle(() => reject(reason));
        call.cancel?.();
      };
      const unfollow =
        signal === undefined ? undefined : onAbort(signal, () => stop(signal.reason));
      const running: Running = { fail: stop };
      this.#running.add(running);
      call.then(
        (answers) => settle(() => resolve(answers)),
        (error: ServiceError) => settle(() => reject(callFault(error))),
      );
    });
  }
}

function methodOf(method: Method): GeneratedMethod {
  const known = generatedMethods[method];
  if (known === undefined)
    throw new CallFault(
      12,
      `${method} is not among the methods that go through the generated client`,
    );
  return known;
}

/** One try, without the client's own retries: those are ours. */
function gaxOptions({ timeoutMs, attempt = 0 }: CallOptions): object {
  return {
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    retry: { retryCodes: [] },
    retryRequestOptions: { retries: 0, noResponseRetries: 0 },
    autoPaginate: false,
    otherArgs: { headers: { 'bigtable-features': featureFlags, 'bigtable-attempt': `${attempt}` } },
  };
}

/** The call, with its messages in bytes. */
function encoded(call: GeneratedStream, answer: GeneratedMethod['answer']): ServerStream {
  const stream: ServerStream = {
    on(event: string, listener: (value: never) => void) {
      if (event === 'data')
        call.on('data', (message: object) =>
          (listener as (bytes: Buffer) => void)(Buffer.from(fromGenerated(answer, message))),
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
