/** The calls of one instance: resource names, routing headers, retries and errors. */
import { CodecError } from '../../../data/cell/index.js';
import { type ErrorDetails, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { databaseClosed } from '../../../data/store/index.js';
import type { MessageType } from '../../protocol/index.js';
import {
  CallError,
  ChannelClosedError,
  type RpcOptions,
  type Channel,
  type RpcMethod,
} from '../channel/channel.js';
import { RequestRate } from './request-rate.js';
import { engineError } from './engine-error.js';
import { Attempts, CallLimit, isTransient, type TimeLimit } from './retry.js';
import type { ResolvedSettings } from '../settings.js';

/**
 * Timeouts of changes by the admin API in milliseconds, as in the generated client: tables are
 * created in seconds, row ranges dropped in minutes. Its reads have the timeout of other calls.
 */
const adminTimeoutMs: Readonly<Record<'default' | 'drop', number>> = {
  default: 300_000,
  drop: 3_600_000,
};

/** How long close() waits for writes, in milliseconds: less than the grace of most supervisors. */
const maxCloseMs = 10_000;

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
  /** Aborted when the database is closed: ends reads. */
  readonly #closing = new AbortController();
  /** Aborted when close() no longer waits for writes. */
  readonly #cutting = new AbortController();
  readonly #writes = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  readonly #onRetry: ((status: number) => void) | undefined;
  /** The rate of bulk writes, if the server controls it. */
  readonly writeRate: RequestRate | undefined;

  /** `onRetry` is called before each retry with the gRPC status of the failed attempt. */
  constructor(
    readonly channel: Channel,
    readonly settings: ResolvedSettings,
    readonly name: string,
    onRetry?: (status: number) => void,
  ) {
    this.#onRetry = onRetry;
    if (settings.batchWriteFlowControl) this.writeRate = new RequestRate();
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

  /** The attempts of a read of rows. */
  readAttempts(limit: TimeLimit, signal: AbortSignal | undefined): Attempts {
    return new Attempts(limit, [this.#closing.signal, signal], this.#onRetry);
  }

  /** The limit of a call that starts now. */
  timeLimit(): CallLimit {
    const { totalTimeoutMs, attemptTimeoutMs } = this.settings;
    return new CallLimit(totalTimeoutMs, attemptTimeoutMs);
  }

  /** The attempts of any other call. */
  attempts(limit: TimeLimit, signal: AbortSignal | undefined): Attempts {
    return new Attempts(limit, [this.#cutting.signal, signal], this.#onRetry);
  }

  /** Makes close() wait for a call. */
  track<T>(call: Promise<T>): Promise<T> {
    const forget = (): void => void this.#writes.delete(call);
    this.#writes.add(call);
    call.then(forget, forget);
    return call;
  }

  /** A unary call; the request is encoded and the response decoded. */
  async unary<Q, A>(
    method: RpcMethod,
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
    method: RpcMethod,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array[]> {
    const collecting = this.#withRetries(kind, async (options) => {
      const stream = this.channel.stream(method, request, { ...options, routing });
      const collected: Uint8Array[] = [];
      for (;;) {
        const messages = await stream.read();
        if (messages === undefined) return collected;
        collected.push(...messages);
      }
    });
    return collecting.catch((error: unknown) => {
      if (this.#closed === undefined) throw error;
      throw databaseClosed(this.name, error instanceof Error ? error.cause : undefined);
    });
  }

  /** The error to reject with when a read of rows failed with `cause`. */
  readError(cause: unknown, details: ErrorDetails = {}): unknown {
    if (this.#closed !== undefined && cause instanceof CallError)
      return databaseClosed(this.name, cause);
    return engineError(cause, details);
  }

  /** The error to reject with when any other call failed with `cause`. */
  error(cause: unknown, details: ErrorDetails = {}): unknown {
    if (!(cause instanceof ChannelClosedError)) return engineError(cause, details);
    return new RowsmithError(
      'UNAVAILABLE',
      { ...details, database: this.name, ...faults.closedTooEarly },
      { cause },
    );
  }

  /** Throws DATABASE_CLOSED after close. */
  check(): void {
    if (this.#closed !== undefined) throw databaseClosed(this.name);
  }

  /**
   * Cancels running reads, waits for all other calls, but no longer than 10 s or the total timeout
   * of one, and closes the channel.
   */
  close(): Promise<void> {
    return (this.#closed ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    this.#closing.abort(new ChannelClosedError());
    this.channel.cancelReads();
    await this.#settled();
    this.#cutting.abort(new ChannelClosedError());
    await this.channel.close();
  }

  /** Resolves when all calls have settled, or after the time that close() waits. */
  async #settled(): Promise<void> {
    if (this.#writes.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, Math.min(this.settings.totalTimeoutMs, maxCloseMs));
    });
    await Promise.race([Promise.allSettled(this.#writes), timeout]);
    clearTimeout(timer);
  }

  #unary(
    method: RpcMethod,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array> {
    return this.track(
      this.#withRetries(kind, (options) =>
        this.channel.unary(method, request, { ...options, routing }),
      ),
    );
  }

  async #withRetries<T>(
    { idempotent, admin, signal, details }: CallKind,
    call: (options: Omit<RpcOptions, 'routing'>) => Promise<T>,
  ): Promise<T> {
    this.check();
    const attempts = this.attempts(this.#limitOf(admin, idempotent), signal);
    const { cookies } = attempts;
    for (;;) {
      try {
        const { timeoutMs, attempt } = attempts;
        return await call({ timeoutMs, attempt, cookies, signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (!idempotent || !isTransient(error)) throw this.error(error, details);
        const aborted = (reason: unknown): never => {
          throw this.error(reason, details);
        };
        if (await attempts.backoff(error).catch(aborted)) continue;
        const { totalTimeoutMs } = this.settings;
        throw this.error(error, { ...details, totalTimeoutMs });
      }
    }
  }

  #limitOf(admin: CallKind['admin'], idempotent: boolean): TimeLimit {
    // Reads of the admin API are quick: they have the limit of data calls.
    if (admin === undefined || idempotent) return this.timeLimit();
    return new CallLimit(adminTimeoutMs[admin], adminTimeoutMs[admin]);
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

const faults = {
  closedTooEarly: {
    problem: 'the database was closed before a response arrived; a write may have been applied',
    fix: 'await writes before close(), or read what was written',
  },
} satisfies FaultTexts;
