/** Calls of one instance: names, routing, tries, and errors as the engine promises them. */
import { CellFault } from '../../../cell/index.js';
import { RowsmithError, type ErrorDetails } from '../../../errors.js';
import type { MessageType } from '../../../protocol/index.js';
import { CallFault, type CallOptions, type Channel, type Method } from '../channel/channel.js';
import { engineError } from './engine-fault.js';
import { isTransient, Attempts } from './retry.js';
import type { ResolvedSettings } from '../settings.js';

/**
 * Milliseconds an admin call may take: tables are made in seconds, dropped ranges in minutes (the
 * generated client allows as long).
 */
const adminTimeout = { attempt: 300_000, drop: 3_600_000 } as const;

/** How a call is to be run. */
export interface CallKind {
  /** Whether a try whose outcome is not known may be made again. */
  readonly repeatable: boolean;
  /** `admin` for the calls of the admin API, `drop` for the longest of them. */
  readonly admin?: 'attempt' | 'drop';
  readonly signal?: AbortSignal;
  /** What an error of this call says besides the fault. */
  readonly details?: ErrorDetails;
}

/** See above. */
export class Calls {
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  readonly #onRetry: ((status: number) => void) | undefined;

  /** `onRetry` hears of every try after the first, with the gRPC status of the last. */
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
    const { appProfile } = this.channel;
    return {
      tableName: this.tableName(table),
      ...(appProfile === undefined ? {} : { appProfileId: appProfile }),
    };
  }

  /** Value of `x-goog-request-params` for a data call. */
  routing(table: string): string {
    const { appProfile } = this.channel;
    return `table_name=${encodeURIComponent(this.tableName(table))}${appProfile === undefined ? '' : `&app_profile_id=${encodeURIComponent(appProfile)}`}`;
  }

  /** New tries for a call; `share` times as long for calls that do much. */
  tries(signal?: AbortSignal, share = 1): Attempts {
    const { totalTimeoutMs, attemptTimeoutMs } = this.settings;
    return new Attempts(
      totalTimeoutMs * share,
      attemptTimeoutMs * share,
      this.#closing.signal,
      signal,
      this.#onRetry,
    );
  }

  /** Calls a method with a decoded request and answer. */
  async ask<Q, A>(
    method: Method,
    [request, answer]: readonly [MessageType<Q>, MessageType<A>],
    message: Q,
    routing: string,
    kind: CallKind,
  ): Promise<A> {
    this.check();
    return answer.decode(await this.#unary(method, encoded(request, message), routing, kind));
  }

  /** Collects a short stream whole. */
  collect(
    method: Method,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array[]> {
    return this.#repeat(kind, async (options) => {
      const stream = this.channel.stream(method, request, { ...options, routing });
      const all: Uint8Array[] = [];
      for (let some = await stream.read(); some !== undefined; some = await stream.read())
        all.push(...some);
      return all;
    });
  }

  /** The error to reject with. */
  error(fault: unknown, details: ErrorDetails = {}): unknown {
    return this.#closed !== undefined &&
      (fault instanceof CallFault || fault === this.#closing.signal.reason)
      ? this.#closedError()
      : engineError(fault, details);
  }

  /** Throws DATABASE_CLOSED after close. */
  check(): void {
    if (this.#closed !== undefined) throw this.#closedError();
  }

  /** Ends whatever runs. */
  close(): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.channel.close();
      this.#closing.abort(new CallFault(1, 'closed'));
    }
    return this.#closed;
  }

  #unary(
    method: Method,
    request: Uint8Array,
    routing: string,
    kind: CallKind,
  ): Promise<Uint8Array> {
    return this.#repeat(kind, (options) =>
      this.channel.unary(method, request, { ...options, routing }),
    );
  }

  async #repeat<T>(
    { repeatable, admin, signal, details }: CallKind,
    call: (options: Omit<CallOptions, 'routing'>) => Promise<T>,
  ): Promise<T> {
    this.check();
    const tries =
      admin === undefined
        ? this.tries(signal)
        : new Attempts(
            adminTimeout[admin],
            adminTimeout[admin],
            this.#closing.signal,
            signal,
            this.#onRetry,
          );
    for (;;) {
      try {
        return await call({
          timeoutMs: tries.timeoutMs,
          attempt: tries.attempt,
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (fault) {
        const again =
          repeatable &&
          this.#closed === undefined &&
          isTransient(fault) &&
          (await tries.wait(fault).catch(() => false));
        signal?.throwIfAborted();
        if (!again) throw this.error(fault, details);
      }
    }
  }

  #closedError(): RowsmithError {
    return new RowsmithError('DATABASE_CLOSED', {
      database: this.name,
      fix: 'await what uses the database before it is closed; inside `await using`, write `return await` and not `return`',
    });
  }
}

/** The bytes of a request; what comes from JavaScript may be of the wrong type. */
function encoded<Q>(type: MessageType<Q>, message: Q): Uint8Array {
  try {
    return type.encode(message);
  } catch (cause) {
    if (!(cause instanceof CellFault)) throw cause;
    throw new RowsmithError(
      'INVALID_ARGUMENT',
      { property: cause.path, problem: cause.problem, fix: cause.fix },
      { cause },
    );
  }
}
