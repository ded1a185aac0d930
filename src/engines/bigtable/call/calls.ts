/** The calls of one instance: resource names, routing headers, retries and errors. */
import { CodecError } from '../../../cell/index.js';
import { RowsmithError, type ErrorDetails } from '../../../errors.js';
import type { MessageType } from '../../../protocol/index.js';
import { CallError, type CallOptions, type Channel, type Method } from '../channel/channel.js';
import { engineError } from './engine-error.js';
import { isTransient, Attempts } from './retry.js';
import type { ResolvedSettings } from '../settings.js';

/**
 * Timeouts of admin calls in milliseconds, as in the generated client: tables are created in
 * seconds, row ranges dropped in minutes.
 */
const adminTimeoutMs = { default: 300_000, drop: 3_600_000 } as const;

/** How a call is run. */
export interface CallKind {
  /** Whether the call may be retried if its outcome is unknown. */
  readonly idempotent: boolean;
  /** Set for calls of the admin API; `drop` for DropRowRange, which takes longer. */
  readonly admin?: keyof typeof adminTimeoutMs;
  readonly signal?: AbortSignal;
  /** Added to the details of an error of this call. */
  readonly details?: ErrorDetails;
}

/** The calls of one instance. */
export class Calls {
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  readonly #onRetry: ((status: number) => void) | undefined;

  /** `onRetry` is called before each retry with the gRPC status of the failed attempt. */
  constructor(
    readonly channel: Channel,
    readonly settings: ResolvedSettings,
    readonly name: string,
    onRetry?: (status: number) => void,
  ) {
    this.#onRetry = onRetry;
  }

  /** The full name of a table. */
  tableName(table: string): string {
    return `${this.channel.instance}/tables/${table}`;
  }

  /** The fields of every data request. */
  target(table: string): { readonly tableName: string; readonly appProfileId?: string } {
    return { tableName: this.tableName(table), appProfileId: this.channel.appProfile };
  }

  /** Value of `x-goog-request-params` for a data call. */
  routing(table: string): string {
    const { appProfile } = this.channel;
    const tableName = `table_name=${encodeURIComponent(this.tableName(table))}`;
    if (appProfile === undefined) return tableName;
    return `${tableName}&app_profile_id=${encodeURIComponent(appProfile)}`;
  }

  /** The attempts of a new data call; `timeoutFactor` multiplies both timeouts. */
  attempts(signal?: AbortSignal, timeoutFactor = 1): Attempts {
    const { totalTimeoutMs, attemptTimeoutMs } = this.settings;
    return this.#attempts(totalTimeoutMs * timeoutFactor, attemptTimeoutMs * timeoutFactor, signal);
  }

  #attempts(totalMs: number, attemptMs: number, signal: AbortSignal | undefined): Attempts {
    return new Attempts(totalMs, attemptMs, this.#closing.signal, signal, this.#onRetry);
  }

  /** A unary call; the request is encoded and the response decoded. */
  async unary<Q, A>(
    method: Method,
    [requestType, responseType]: readonly [MessageType<Q>, MessageType<A>],
    message: Q,
    routing: string,
    kind: CallKind,
  ): Promise<A> {
    this.check();
    const request = encoded(requestType, message);
    return responseType.decode(await this.#unary(method, request, routing, kind));
  }

  /** A server-streaming call with few messages, which are collected. */
  collect(
    method: Method,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array[]> {
    return this.#withRetries(kind, async (options) => {
      const stream = this.channel.stream(method, request, { ...options, routing });
      const collected: Uint8Array[] = [];
      for (;;) {
        const messages = await stream.read();
        if (messages === undefined) return collected;
        collected.push(...messages);
      }
    });
  }

  /** The error to reject with when a call failed with `cause`. */
  error(cause: unknown, details: ErrorDetails = {}): unknown {
    const isClosing = this.#closed !== undefined;
    if (isClosing && (cause instanceof CallError || cause === this.#closing.signal.reason))
      return this.#closedError();
    return engineError(cause, details);
  }

  /** Throws DATABASE_CLOSED after close. */
  check(): void {
    if (this.#closed !== undefined) throw this.#closedError();
  }

  /** Cancels running calls and closes the channel. */
  close(): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.channel.close();
      this.#closing.abort(new CallError(1, 'closed'));
    }
    return this.#closed;
  }

  #unary(
    method: Method,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array> {
    return this.#withRetries(kind, (options) =>
      this.channel.unary(method, request, { ...options, routing }),
    );
  }

  async #withRetries<T>(
    { idempotent, admin, signal, details }: CallKind,
    call: (options: Omit<CallOptions, 'routing'>) => Promise<T>,
  ): Promise<T> {
    this.check();
    const attempts = this.#attemptsOf(admin, signal);
    for (;;) {
      try {
        return await call({ timeoutMs: attempts.timeoutMs, attempt: attempts.attempt, signal });
      } catch (error) {
        let retries = false;
        if (idempotent && this.#closed === undefined && isTransient(error))
          retries = await attempts.backoff(error).catch(() => false);
        signal?.throwIfAborted();
        if (!retries) throw this.error(error, details);
      }
    }
  }

  #attemptsOf(admin: CallKind['admin'], signal: AbortSignal | undefined): Attempts {
    if (admin === undefined) return this.attempts(signal);
    return this.#attempts(adminTimeoutMs[admin], adminTimeoutMs[admin], signal);
  }

  #closedError(): RowsmithError {
    return new RowsmithError('DATABASE_CLOSED', {
      database: this.name,
      fix:
        'await all calls before the database is closed; ' +
        'inside `await using`, write `return await` instead of `return`',
    });
  }
}

/** Encodes a request. Values that come from JavaScript may have the wrong type. */
function encoded<Q>(type: MessageType<Q>, message: Q): Uint8Array {
  try {
    return type.encode(message);
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new RowsmithError(
      'INVALID_ARGUMENT',
      { property: cause.path, problem: cause.problem, fix: cause.fix },
      { cause },
    );
  }
}
