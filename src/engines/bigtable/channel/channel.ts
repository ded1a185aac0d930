/**
 * What carries calls to Bigtable: bytes out, bytes in. The vendor's stub stands behind it, and so
 * can a plain gRPC client: reads, writes and retries know only this.
 */

/** A method of the API by its full path: `/google.bigtable.v2.Bigtable/ReadRows`. */
export type Method = string;

/** How one attempt of a call runs. */
export interface CallOptions {
  /** Value of `x-goog-request-params`: `table_name=...&app_profile_id=...`, URL-encoded. */
  readonly routing: string;
  /** Milliseconds this attempt may take. */
  readonly timeoutMs?: number;
  /** 0 for the first try: goes out as `bigtable-attempt`. */
  readonly attempt?: number;
  /** Cancels the call at once: the server sees it. */
  readonly signal?: AbortSignal;
}

/** How a call ended, other than well. */
export class CallFault extends Error {
  constructor(
    /** The gRPC status (google/rpc/code.proto). */
    readonly code: number,
    /** The server's own words. */
    message: string,
    /**
     * What the server asks to wait before the next try, from google.rpc.RetryInfo; undefined where
     * it does not say.
     */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'CallFault';
  }
}

/** The messages that a server streams. */
export interface MessageStream {
  /**
   * Whatever has arrived since the last call, at least one message; undefined once the server ended
   * with OK and every message was read. Rejects with CallFault, or with the signal's reason. What
   * is not asked for stays in the transport, whose window stops the server.
   */
  read(): Promise<readonly Uint8Array[] | undefined>;
  /**
   * Ends the call at once; reads then give undefined. Calling it twice, or at the end, does
   * nothing.
   */
  cancel(): void;
  /**
   * For whoever has all there is to come: lets the server end the call, which costs both sides less
   * than being told to. What it sends still is dropped; one that does not end soon is cancelled.
   */
  release(): void;
}

/** An open connection to one instance. */
export interface Channel {
  /** `projects/P/instances/I`. */
  readonly instance: string;
  /** The app profile of every data call; undefined for the default one. */
  readonly appProfile: string | undefined;
  /** A call with one answer. Rejects with CallFault, or with the signal's reason. */
  unary(method: Method, request: Uint8Array, options: CallOptions): Promise<Uint8Array>;
  /** A call whose answer is a stream. */
  stream(method: Method, request: Uint8Array, options: CallOptions): MessageStream;
  /** Ends every call and lets go of the connections, promptly. */
  close(): Promise<void>;
}
