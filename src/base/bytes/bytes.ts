/**
 * Byte strings in unsigned lexicographic order, in which a prefix comes before its extensions.
 * JavaScript compares strings by UTF-16 units, which is a different order (U+1F600 before U+FFFD),
 * so nothing here compares text.
 */

/** The empty byte string. */
export const noBytes: Uint8Array = new Uint8Array(0);

/** From this length on, the runtime's copy is faster than a loop. */
const minBulkCopy = 64;

/** A copy of `[start, end)`. Not `slice()`, which is a view if the bytes are a Buffer. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start);
  if (copy.length >= minBulkCopy) copy.set(bytes.subarray(start, end));
  else for (let i = 0; i < copy.length; i++) copy[i] = bytes[start + i];
  return copy;
}

/** Unsigned lexicographic comparison of two byte strings: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return compareSlices(a, 0, a.length, b, 0, b.length);
}

/**
 * Like compareBytes, for `[aStart, aEnd)` of one buffer and `[bStart, bEnd)` of another, without
 * creating views.
 */
export function compareSlices(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const shared = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < shared; i++) {
    const difference = a[aStart + i] - b[bStart + i];
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}

/** True if both contain the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** A new byte string with all parts in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The two hexadecimal digits of each byte. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The bytes as lower-case hexadecimal text. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hexPairs[byte];
  return text;
}

/**
 * The bytes of hexadecimal text in either case; undefined if it is not hexadecimal or has an odd
 * length.
 */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}

/** Human-readable bytes: printable ASCII unchanged, everything else and the backslash as `\xNN`. */
export function printable(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
    if (plain) text += String.fromCharCode(byte);
    else text += `\\x${hexPairs[byte]}`;
  }
  return text;
}
