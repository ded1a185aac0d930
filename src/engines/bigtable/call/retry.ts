/** Retries: which errors, and exponential backoff with jitter up to a total timeout. */
import { onAbort } from '../../../base/index.js';
import { statusCode } from '../../protocol/index.js';
import { CallError } from '../channel/channel.js';
import { RoutingCookies } from '../channel/routing-cookies.js';

/**
 * In milliseconds. The delay before retry n is random between half and all of
 * `initialBackoffMs * 2 ** n`, which is at most `maxBackoffMs`.
 */
const initialBackoffMs = 50;
const maxBackoffMs = 10_000;

/** Whether a retry may succeed. Whether it is safe depends on the call. */
export function isTransient(error: unknown): error is CallError {
  if (!(error instanceof CallError)) return false;
  switch (error.code) {
    case statusCode.UNAVAILABLE:
    case statusCode.DEADLINE_EXCEEDED:
    case statusCode.ABORTED:
      return true;
    // An overloaded server sends a delay; an exhausted quota comes without one.
    case statusCode.RESOURCE_EXHAUSTED:
      return error.retryAfterMs !== undefined;
    case statusCode.INTERNAL:
      return isBroken(error);
    default:
      return false;
  }
}

/** Whether an error says that the HTTP/2 connection broke: grpc-js has several texts for it. */
export function isBroken({ code, message }: CallError): boolean {
  if (code !== statusCode.INTERNAL) return false;
  return /rst[_ ]stream|stream terminated|unexpected eos|goaway|connection closed/i.test(message);
}

/** How long a call may take, in milliseconds. */
export interface TimeLimit {
  readonly attemptMs: number;
  /** What is left for all further attempts and the delays before them. */
  readonly leftMs: number;
}

/** A limit that counts from its creation on, except while the caller waits `outside`. */
export class CallLimit implements TimeLimit {
  #end: number;
  #waiting = 0;
  #waitingSince = 0;

  constructor(
    totalMs: number,
    readonly attemptMs: number,
  ) {
    this.#end = performance.now() + totalMs;
  }

  get leftMs(): number {
    return this.#end - (this.#waiting > 0 ? this.#waitingSince : performance.now());
  }

  /** Does not count the time until `wait` settles; waits at the same time are one. */
  async outside(wait: Promise<void>): Promise<void> {
    if (this.#waiting++ === 0) this.#waitingSince = performance.now();
    try {
      await wait;
    } finally {
      if (--this.#waiting === 0) this.#end += performance.now() - this.#waitingSince;
    }
  }
}

/** The attempts of one call. */
export class Attempts {
  /** The number of the current attempt; 0 is the first. */
  attempt = 0;
  readonly cookies = new RoutingCookies();
  /** Failed attempts since the last progress: the exponent of the backoff. */
  #failures = 0;

  readonly #limit: TimeLimit;
  readonly #signals: readonly AbortSignal[];
  readonly #onRetry: ((status: number) => void) | undefined;

  /**
   * Aborting one of the signals rejects a running backoff with the signal's reason. `onRetry` is
   * called before each retry with the gRPC status of the failed attempt.
   */
  constructor(
    limit: TimeLimit,
    signals: readonly (AbortSignal | undefined)[],
    onRetry?: (status: number) => void,
  ) {
    this.#limit = limit;
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#onRetry = onRetry;
  }

  /** Timeout of the current attempt in milliseconds. */
  get timeoutMs(): number {
    const { attemptMs, leftMs } = this.#limit;
    return Math.max(1, Math.min(attemptMs, Math.ceil(leftMs)));
  }

  /** Whether no time is left for another attempt. */
  get isOver(): boolean {
    return this.#limit.leftMs <= 0;
  }

  /** Resets the backoff because the last attempt made progress. */
  resetBackoff(): void {
    this.#failures = 0;
  }

  /** Waits; rejects if a signal of the call is aborted. */
  wait(ms: number): Promise<void> {
    return delay(ms, this.#signals);
  }

  /**
   * Waits before a retry; false, at once, if the total timeout would be exceeded. Aborting `signal`
   * rejects as well.
   */
  async backoff(error: CallError, signal?: AbortSignal): Promise<boolean> {
    const maxMs = Math.min(maxBackoffMs, initialBackoffMs * 2 ** this.#failures);
    const delayMs = Math.max(maxMs / 2 + (Math.random() * maxMs) / 2, error.retryAfterMs ?? 0);
    if (delayMs >= this.#limit.leftMs) return false;
    this.#failures++;
    this.attempt++;
    this.#onRetry?.(error.code);
    await delay(delayMs, signal === undefined ? this.#signals : [...this.#signals, signal]);
    return true;
  }
}

/** Resolves after `ms`; rejects with the reason of the first signal that is aborted. */
function delay(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
      settle();
    };
    const abort = (): void =>
      end(() => reject(signals.find((signal) => signal.aborted)!.reason as Error));
    const timer = setTimeout(() => end(resolve), ms);
    const unsubscribes = signals.map((signal) => onAbort(signal, abort));
    if (signals.some((signal) => signal.aborted)) abort();
  });
}
