/**
 * When a call is tried again, and after how long: exponential, with jitter, up to a time for all
 * tries together.
 */
import { onAbort } from '../../../base/index.js';
/**
 * When a call is tried again, and after how long: exponential, with jitter, up to a time for all
 * tries together.
 */
import { statusCode } from '../../../protocol/index.js';
import { CallFault } from '../channel/channel.js';

/**
 * Milliseconds: the first wait is 25 to 50, each next one up to twice as long, none above the last.
 */
const firstWait = 50;
const longestWait = 10_000;

/** Whether another try may help. Whether it may also do harm depends on the call. */
export function isTransient(fault: unknown): fault is CallFault {
  if (!(fault instanceof CallFault)) return false;
  switch (fault.code) {
    case statusCode.UNAVAILABLE:
    case statusCode.DEADLINE_EXCEEDED:
    case statusCode.ABORTED:
      return true;
    // A server that is overloaded says when to come again; one whose quota is used up does not.
    case statusCode.RESOURCE_EXHAUSTED:
      return fault.retryAfterMs !== undefined;
    // A connection that broke under the call: HTTP/2 has many words for it, and gRPC one code.
    case statusCode.INTERNAL:
      return /rst[_ ]stream|stream terminated|unexpected eos|goaway|connection closed/i.test(
        fault.message,
      );
    default:
      return false;
  }
}

/** The tries of one call. */
export class Attempts {
  /** 0 for the first. */
  attempt = 0;
  readonly #end: number;
  /** Tries since the last success: what the wait grows with. */
  #failures = 0;

  readonly #attemptMs: number;
  readonly #closing: AbortSignal;
  readonly #signal: AbortSignal | undefined;
  readonly #told: ((status: number) => void) | undefined;

  /**
   * `closing` ends every wait, `signal` this one; both reject it with their reason. `told` hears of
   * every further try, with the status of the last.
   */
  constructor(
    totalMs: number,
    attemptMs: number,
    closing: AbortSignal,
    signal?: AbortSignal,
    told?: (status: number) => void,
  ) {
    this.#attemptMs = attemptMs;
    this.#closing = closing;
    this.#signal = signal;
    this.#told = told;
    this.#end = performance.now() + totalMs;
  }

  /** Milliseconds that the next try may take. */
  get timeoutMs(): number {
    return Math.max(1, Math.min(this.#attemptMs, Math.ceil(this.#end - performance.now())));
  }

  /** Starts to count waits anew: something was achieved. */
  succeed(): void {
    this.#failures = 0;
  }

  /** Waits before the next try; false when no time is left for one. */
  async wait(fault: CallFault | undefined): Promise<boolean> {
    const cap = Math.min(longestWait, firstWait * 2 ** this.#failures);
    const wait = Math.max(cap / 2 + (Math.random() * cap) / 2, fault?.retryAfterMs ?? 0);
    if (performance.now() + wait >= this.#end) return false;
    this.#failures++;
    this.attempt++;
    this.#told?.(fault?.code ?? statusCode.OK);
    await pause(wait, [this.#closing, ...(this.#signal === undefined ? [] : [this.#signal])]);
    return true;
  }
}

/** Resolves after the time; rejects with the reason of the first signal that is aborted. */
function pause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      for (const unfollow of unfollows) unfollow();
      settle();
    };
    const abort = (): void =>
      end(() => reject(signals.find((signal) => signal.aborted)!.reason as Error));
    const timer = setTimeout(() => end(resolve), ms);
    const unfollows = signals.map((signal) => onAbort(signal, abort));
    if (signals.some((signal) => signal.aborted)) abort();
  });
}
