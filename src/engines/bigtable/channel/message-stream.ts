/**
 * The messages of a streaming call, bounded: what is not asked for stays in the transport, whose
 * window stops the server.
 */
import { onAbort } from '../../../base/index.js';
import { callFault } from './call-fault.js';
import type { CallFault, MessageStream } from './channel.js';
import type { ServerStream } from './vendor.js';

/** Bytes past which nothing more is taken from the transport until they are read. */
const fullBytes = 256 * 1024;

/** Milliseconds that a server has to end a call whose answer is whole. */
const longestEnd = 1_000;

/** How a stream stands: open, or how it ended. */
type End = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly reason: unknown };

/** Reads a call's messages. */
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
  #unfollow: (() => void) | undefined;
  /** Set once nothing is wanted any more and the server may end the call. */
  #released: NodeJS.Timeout | undefined;

  readonly #call: ServerStream;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;

  /** `onEnd` is called once, when nothing more will come. */
  constructor(call: ServerStream, signal: AbortSignal | undefined, onEnd: () => void) {
    this.#call = call;
    this.#signal = signal;
    this.#onEnd = onEnd;
    call.on('data', (message) => this.#add(message));
    // Both: the status comes while messages are still on their way to us, and the end alone does
    // not say how it went.
    call.on('end', () => {
      this.#drained = true;
      this.#tryFinish();
    });
    call.on('status', ({ code }) => {
      this.#succeeded = code === 0;
      this.#tryFinish();
    });
    call.on('error', (error) => this.#finish({ kind: 'failed', reason: callFault(error) }));
    if (signal?.aborted === true) this.#abort();
    else if (signal !== undefined) this.#unfollow = onAbort(signal, this.#abort);
  }

  read(): Promise<readonly Uint8Array[] | undefined> {
    if (this.#messages.length > 0) return Promise.resolve(this.#take());
    if (this.#end?.kind === 'done') return Promise.resolve(undefined);
    // The caller's own reason, as in every API that takes a signal.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
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
    if (this.#end !== undefined || this.#released !== undefined) return;
    this.#released = setTimeout(() => this.cancel(), longestEnd).unref();
    // It may stand still behind messages that were not read; a stream that stands still does not
    // end.
    this.#call.resume();
  }

  /** Ends the call from this side: what has come is dropped, and reads reject with the fault. */
  fail(fault: CallFault): void {
    this.#stop({ kind: 'failed', reason: fault });
  }

  readonly #abort = (): void => this.#stop({ kind: 'failed', reason: this.#signal!.reason });

  #stop(end: End): void {
    if (this.#end !== undefined) {
      // It may have ended with messages still unread: whoever cancels does not want them.
      if (end.kind === 'done') this.#messages = [];
      return;
    }
    this.#messages = [];
    this.#finish(end);
    this.#call.cancel();
    this.#call.resume();
  }

  #add(message: Buffer): void {
    if (this.#end !== undefined || this.#released !== undefined) return;
    this.#messages.push(message);
    this.#bytes += message.length;
    if (this.#bytes >= fullBytes) this.#call.pause();
    if (this.#waiting === undefined || this.#scheduled) return;
    // Messages that came in one packet are handed over together.
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
    if (this.#bytes >= fullBytes && this.#end === undefined) this.#call.resume();
    this.#bytes = 0;
    return taken;
  }

  #tryFinish(): void {
    if (this.#drained && this.#succeeded) this.#finish({ kind: 'done' });
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    clearTimeout(this.#released);
    this.#unfollow?.();
    this.#onEnd();
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    if (this.#messages.length > 0) waiting.resolve(this.#take());
    else if (end.kind === 'done') waiting.resolve(undefined);
    else waiting.reject(end.reason);
  }
}
