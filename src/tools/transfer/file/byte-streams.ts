/**
 * Streams of bytes as their users hand them in: structural types, so that the declarations of the
 * package need no types of Node.
 */

/** Bytes to read: a stream of Node or the web, or any other async iterable. */
export type ByteSource = AsyncIterable<Uint8Array | string>;

/** A stream of Node to write to, such as process.stdout. */
export interface ByteSink {
  /** True once the stream was destroyed. */
  readonly destroyed: boolean;
  /** True once everything was written. */
  readonly writableFinished: boolean;
  /** Returns false when the caller should wait for `drain`. */
  write(bytes: Uint8Array | string, callback?: (error?: Error | null) => void): boolean;
  /** Ends the stream. */
  end(): unknown;
  /** Adds a listener. */
  on(event: string, listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: (error: Error) => void): unknown;
}
