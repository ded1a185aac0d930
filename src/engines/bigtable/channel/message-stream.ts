/**
 * Reads the messages of a streaming call with a bounded buffer: beyond it the transport is paused,
 * and flow control stops the server.
 */
import { onAbort } from '../../../base/index.js';
import { callError } from './call-error.js';
import type { CallError, MessageStream } from './channel.js';
import type { ServerStream } from './vendor/vendor-types.js';

/** The transport is paused while this many bytes or more are buffered. */
const maxBufferedBytes = 256 * 1024;

/** How long `release` waits for the server to end the call, in milliseconds. */
const maxReleaseMs = 1_000;

/** How a stream ended. */
type End = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly reason: unknown };

/** A MessageStream over a streaming call of grpc-js. */
export class CallStream implements MessageStream {
  #messages: Uint8Array[] = [];
  #bytes = 0;
  #end: End | undefined;
  #drained = false;
  #succeeded = false;
  #waiting:
    | {
        readonly resolve: (messages: readonly Uint8Array[] | undefined) => void;
        readonly reject: (reason: unknown) => void;
      }
    | undefined;
  #scheduled = false;
  #unsubscribe: (() => void) | undefined;
  /** Set by `release`; cancels the call if the server does not end it. */
  #releaseTimer: NodeJS.Timeout | undefined;

  readonly #call: ServerStream;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;

  /**
   * `onEnd` is called once when the call has ended. `deadline` is the call's, in milliseconds since
   * the epoch.
   */
  constructor(
    call: ServerStream,
    signal: AbortSignal | undefined,
    onEnd: () => void,
    deadline?: number,
  ) {
    this.#call = call;
    this.#signal = signal;
    this.#onEnd = onEnd;
    call.on('data', (message) => this.#add(message));
    // Both events are needed: the status may arrive before the last messages were read, and 'end'
    // does not include the status.
    call.on('end', () => {
      this.#drained = true;
      this.#tryFinish();
    });
    call.on('status', ({ code }) => {
      this.#succeeded = code === 0;
      this.#tryFinish();
    });
    call.on('error', (error) =>
      this.#finish({ kind: 'failed', reason: callError(error, deadline) }),
    );
    if (signal?.aborted === true) this.#abort();
    else if (signal !== undefined) this.#unsubscribe = onAbort(signal, this.#abort);
  }

  read(): Promise<readonly Uint8Array[] | undefined> {
    if (this.#messages.length > 0) return Promise.resolve(this.#take());
    if (this.#end?.kind === 'done') return Promise.resolve(undefined);
    // The caller's own reason, as in every API with a signal.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    if (this.#end?.kind === 'failed') return Promise.reject(this.#end.reason);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  cancel(): void {
    this.#stop({ kind: 'done' });
  }

  release(): void {
    this.#messages = [];
    if (this.#end !== undefined || this.#releaseTimer !== undefined) return;
    this.#releaseTimer = setTimeout(() => this.cancel(), maxReleaseMs).unref();
    // A stream that is paused because of unread messages would not end.
    this.#call.resume();
  }

  /** Cancels the call: unread messages are discarded, and reads reject with `error`. */
  fail(error: CallError): void {
    this.#stop({ kind: 'failed', reason: error });
  }

  readonly #abort = (): void => this.#stop({ kind: 'failed', reason: this.#signal!.reason });

  #stop(end: End): void {
    if (this.#end !== undefined) {
      // The call may have ended with unread messages, which a cancellation discards.
      if (end.kind === 'done') this.#messages = [];
      return;
    }
    this.#messages = [];
    this.#finish(end);
    this.#call.cancel();
    this.#call.resume();
  }

  #add(message: Buffer): void {
    if (this.#end !== undefined || this.#releaseTimer !== undefined) return;
    this.#messages.push(message);
    this.#bytes += message.length;
    if (this.#bytes >= maxBufferedBytes) this.#call.pause();
    if (this.#waiting === undefined || this.#scheduled) return;
    // Messages that arrive in one packet are delivered together.
    this.#scheduled = true;
    setImmediate(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#scheduled = false;
    const waiting = this.#waiting;
    if (waiting === undefined || this.#messages.length === 0) return;
    this.#waiting = undefined;
    waiting.resolve(this.#take());
  };

  #take(): readonly Uint8Array[] {
    const taken = this.#messages;
    this.#messages = [];
    if (this.#bytes >= maxBufferedBytes && this.#end === undefined) this.#call.resume();
    this.#bytes = 0;
    return taken;
  }

  #tryFinish(): void {
    if (this.#drained && this.#succeeded) this.#finish({ kind: 'done' });
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    clearTimeout(this.#releaseTimer);
    this.#unsubscribe?.();
    this.#onEnd();
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    if (this.#messages.length > 0) waiting.resolve(this.#take());
    else if (end.kind === 'done') waiting.resolve(undefined);
    else waiting.reject(end.reason);
  }
}
