/**
 * The laws every segment keeps, as code: order and return over all pairs of samples, and refusal of
 * bytes that are not canonical.
 */
import { inspect } from 'node:util';
import { compareBytes, printable } from '../../bytes/index.js';

/** One segment's codec as the laws see it. */
export interface SegmentCodec {
  /** The bytes of the value, framed as they stand in a key. */
  encode(value: unknown): Uint8Array;
  /** The value, or undefined when the bytes are none `encode` writes. */
  decode(bytes: Uint8Array): unknown;
  /** Greatest value first. */
  readonly descending: boolean;
}

/**
 * Throws a TypeError naming the samples when the codec breaks a law. `compare` orders values; equal
 * values must have equal bytes.
 */
export function checkSegmentCodec<T>(
  codec: SegmentCodec,
  samples: readonly T[],
  compare: (a: T, b: T) => number,
): void {
  const written = samples.map((value) => ({ value, bytes: codec.encode(value) }));
  for (const { value, bytes } of written) {
    const back = codec.decode(bytes);
    if (back === undefined || compare(back as T, value) !== 0)
      broken('return', `${shown(value)} came back as ${shown(back)} from ${printable(bytes)}`);
    checkCanonical(codec, bytes);
  }
  for (const a of written) {
    for (const b of written) {
      const byValue = Math.sign(compare(a.value, b.value)) * (codec.descending ? -1 : 1);
      if (byValue !== Math.sign(compareBytes(a.bytes, b.bytes)))
        broken(
          'order',
          `${shown(a.value)} (${printable(a.bytes)}) and ${shown(b.value)} (${printable(b.bytes)})`,
        );
    }
  }
}

/** Whatever is decoded from changed bytes must be written as exactly those bytes. */
function checkCanonical(codec: SegmentCodec, bytes: Uint8Array): void {
  for (let i = 0; i <= bytes.length; i++) {
    for (const changed of [
      bytes.slice(0, i),
      withByte(bytes, i, 0x00),
      withByte(bytes, i, 0x24),
      withByte(bytes, i, 0x30),
      withByte(bytes, i, 0xff),
    ]) {
      const value = codec.decode(changed);
      if (value !== undefined && compareBytes(codec.encode(value), changed) !== 0)
        broken(
          'canonical',
          `${printable(changed)} decodes to ${shown(value)}, which is written otherwise`,
        );
    }
  }
}

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = new Uint8Array(Math.max(bytes.length, at + 1));
  changed.set(bytes);
  changed[at] = byte;
  return changed;
}

function shown(value: unknown): string {
  return value instanceof Uint8Array ? printable(value) : inspect(value);
}

function broken(law: string, how: string): never {
  throw new TypeError(`the ${law} law is broken: ${how}`);
}
