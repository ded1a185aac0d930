/**
 * The transport of calls: encoded requests and responses. Reads, writes and retries use only this
 * interface; its implementations use the vendor's gRPC stub or generated client.
 */
import { statusCode } from '../../protocol/index.js';
import type { RoutingCookies } from './routing-cookies.js';

/** The full path of a method: `/google.bigtable.v2.Bigtable/ReadRows`. */
export type RpcMethod = string;

/** How one attempt of a call runs. */
export interface RpcOptions {
  /** Value of `x-goog-request-params`: `table_name=...&app_profile_id=...`, URL-encoded. */
  readonly routing: string;
  /** Milliseconds this attempt may take. */
  readonly timeoutMs?: number;
  /** 0 for the first attempt; sent as the header `bigtable-attempt`. */
  readonly attempt?: number;
  /** The cookies of the call: sent, and replaced by arriving ones. */
  readonly cookies?: RoutingCookies;
  /** Cancels the call on both sides. */
  readonly signal?: AbortSignal;
}

/** A call that ended with a status other than OK. */
export class CallError extends Error {
  constructor(
    /** The gRPC status (google/rpc/code.proto). */
    readonly code: number,
    /** The status text. */
    message: string,
    /** Delay before a retry that the server asks for (google.rpc.RetryInfo), in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'CallError';
  }
}

/** A call that ended because its channel was closed. */
export class ChannelClosedError extends CallError {
  constructor() {
    super(statusCode.CANCELLED, 'The channel is closed');
    this.name = 'ChannelClosedError';
  }
}

/** The messages of a server-streaming call. */
export interface MessageStream {
  /**
   * The messages since the last call, at least one; undefined after the server ended the stream
   * with OK and all messages were read. Rejects with CallError, or with the signal's reason.
   * Messages are buffered up to a limit, then flow control stops the server.
   */
  read(): Promise<readonly Uint8Array[] | undefined>;
  /** Cancels the call; `read` then returns undefined. Does nothing once the call has ended. */
  cancel(): void;
  /**
   * For a reader that has everything it needs: discards further messages and lets the server end
   * the call, which is cheaper for both sides than a cancellation. If it does not end soon, it is
   * cancelled.
   */
  release(): void;
}

/** The connections to one instance. */
export interface Channel {
  /** `projects/P/instances/I`. */
  readonly instance: string;
  /** The app profile of all data calls; undefined for the default one. */
  readonly appProfile: string | undefined;
  /** A call with one response. Rejects with CallError, or with the signal's reason. */
  unary(method: RpcMethod, request: Uint8Array, options: RpcOptions): Promise<Uint8Array>;
  /** A call with a stream of responses. */
  stream(method: RpcMethod, request: Uint8Array, options: RpcOptions): MessageStream;
  /**
   * Google's own client of the instance, over a connection of this channel. Loads the whole client
   * library.
   */
  client(): Promise<object>;
  /** Cancels the running reads of rows, with ChannelClosedError. */
  cancelReads(): void;
  /** Cancels all calls, with ChannelClosedError, and closes the connections. */
  close(): Promise<void>;
}
