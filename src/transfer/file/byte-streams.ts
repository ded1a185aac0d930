/**
 * Streams of bytes as their users hand them in: structural types, so that the declarations of the
 * package need no types of Node.
 */
import { Readable } from 'node:stream';
import { valueText } from '../../base/index.js';
import { invalidArgument } from '../../errors.js';

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

/** The source as a stream of Node. Items that are not bytes or text are INVALID_ARGUMENT. */
export function readableOf(source: ByteSource): Readable {
  if (source instanceof Readable) return source;
  if (typeof (source as Partial<ByteSource> | null)?.[Symbol.asyncIterator] !== 'function')
    throw invalidArgument(
      'from',
      `the source is ${valueText(source)}`,
      'give the path of a file, a stream or another async iterable of bytes',
    );
  return Readable.from(checked(source), { objectMode: false });
}

async function* checked(source: ByteSource): AsyncGenerator<Uint8Array | string> {
  for await (const chunk of source) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw invalidArgument(
        'from',
        `the source gives ${valueText(chunk)}`,
        'give bytes (Uint8Array) or text',
      );
    yield chunk;
  }
}
