/**
 * Packed bytes that other code encodes and decodes: a protobufjs static class, or any object of
 * that form.
 */
import { copyBytes } from '../bytes/index.js';
import { valueText } from '../base/index.js';
/**
 * Packed bytes that other code encodes and decodes: a protobufjs static class, or any object of
 * that form.
 */
import { type CellCodec, CellFault } from './cell-codec.js';
import { isBytes } from './value-kind.js';

/** Anything that turns values into bytes and back. */
export interface CustomCodecLike<T = unknown> {
  /** Bytes of the value, or a writer whose `finish()` gives them (protobufjs). */
  encode(value: T): Uint8Array | { finish(): Uint8Array };
  /** Value of the bytes; gets a copy that it may keep. */
  decode(bytes: Uint8Array): T;
}

/**
 * The codec of foreign code; `name` says what it holds, for people. Whatever the code throws
 * becomes a CellFault with its text.
 */
export function customCodec<T>(codec: CustomCodecLike<T>, name: string): CellCodec<T> {
  return {
    kind: `packed ${name}`,
    encode(value) {
      const bytes = attempt(
        `the codec of ${name} did not take the value`,
        'give a value that the codec encodes',
        () => {
          const encoded = codec.encode(value) as { finish?: () => unknown } | undefined;
          return typeof encoded?.finish === 'function' ? encoded.finish() : encoded;
        },
      );
      if (!isBytes(bytes))
        throw new CellFault(
          `the codec of ${name} gave ${valueText(bytes)} instead of a Uint8Array`,
          'return a Uint8Array, or a writer whose finish() gives one',
        );
      // A codec may hand out a view of a buffer that it writes into again.
      return new Uint8Array(bytes);
    },
    decode(bytes, start, end) {
      return attempt(
        `the codec of ${name} cannot read the cell`,
        'check that the column was written with this codec',
        () => codec.decode(copyBytes(bytes, start, end)),
      );
    },
  };
}

function attempt<R>(problem: string, fix: string, run: () => R): R {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof CellFault) throw cause;
    throw new CellFault(
      `${problem}: ${cause instanceof Error ? cause.message : String(cause)}`,
      fix,
    );
  }
}
