/**
 * The guarantees of every segment, as a check: all pairs of samples sort and round-trip correctly,
 * and bytes that are not canonical are rejected.
 */
import { inspect } from 'node:util';
import {
  compareBytes,
  isBytes,
  printable,
  type FaultTexts,
  type ProblemText,
} from '../../../base/index.js';

/** The codec of one segment, as the check sees it. */
export interface SegmentCodec {
  /** The bytes of the value as they occur in a key. */
  encode(value: unknown): Uint8Array;
  /** The value; undefined if `encode` never writes these bytes. */
  decode(bytes: Uint8Array): unknown;
  /** The greatest value sorts first. */
  readonly descending: boolean;
}

/**
 * Throws a TypeError that names the samples if the codec violates a guarantee. `compare` orders the
 * values; equal values must have equal bytes.
 */
export function checkSegmentCodec<T>(
  codec: SegmentCodec,
  samples: readonly T[],
  compare: (a: T, b: T) => number,
): void {
  const written = samples.map((value) => ({ value, bytes: codec.encode(value) }));
  for (const { value, bytes } of written) {
    const decoded = codec.decode(bytes);
    if (decoded === undefined || compare(decoded as T, value) !== 0)
      violated('round-trip', faults.decodedDifferently(inspected(value), decoded, bytes));
    checkCanonical(codec, bytes);
  }
  for (const a of written) {
    for (const b of written) {
      let byValue = Math.sign(compare(a.value, b.value));
      if (codec.descending) byValue = -byValue;
      if (byValue !== Math.sign(compareBytes(a.bytes, b.bytes)))
        violated('order', faults.sortedDifferently(sampleText(a), sampleText(b)));
    }
  }
}

/** A value decoded from changed bytes must be encoded as exactly those bytes. */
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
        violated('canonical-form', faults.encodedDifferently(changed, inspected(value)));
    }
  }
}

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = new Uint8Array(Math.max(bytes.length, at + 1));
  changed.set(bytes);
  changed[at] = byte;
  return changed;
}

function sampleText({ value, bytes }: { value: unknown; bytes: Uint8Array }): string {
  return `${inspected(value)} (${printable(bytes)})`;
}

function inspected(value: unknown): string {
  if (isBytes(value)) return printable(value);
  return inspect(value);
}

function violated(guarantee: string, { problem }: ProblemText): never {
  throw new TypeError(`the ${guarantee} guarantee is violated: ${problem}`);
}

const faults = {
  decodedDifferently: (inspectedText: string, decoded: unknown, bytes: Uint8Array) => ({
    problem: `${inspectedText} is decoded as ${inspected(decoded)} from ${printable(bytes)}`,
  }),
  sortedDifferently: (sample: string, sampleText2: string) => ({
    problem: `${sample} and ${sampleText2}`,
  }),
  encodedDifferently: (changed: Uint8Array, inspectedText: string) => ({
    problem: `${printable(changed)} is decoded as ${inspectedText}, which is encoded differently`,
  }),
} satisfies FaultTexts;
