/**
 * The hash shard in front of a key: FNV-1a 32 over the encoded segments joined by the delimiter,
 * modulo the count, zero-padded.
 */

/** FNV-1a's offset basis: the hash of nothing. */
export const fnvStart = 0x811c9dc5;

/** FNV-1a 32 of `[start, end)`, continued from `hash`. */
export function fnv1a(hash: number, bytes: Uint8Array, start: number, end: number): number {
  let state = hash;
  for (let i = start; i < end; i++) state = Math.imul(state ^ bytes[i], 0x01000193);
  return state >>> 0;
}

/** Continues with one byte, the delimiter between two segments. */
export function fnvByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193) >>> 0;
}

/** Digits of a shard number, as many as the greatest one needs. */
export function shardWidth(count: number): number {
  return String(count - 1).length;
}

/** The shard's digits as bytes. */
export function shardBytes(shard: number, count: number): Uint8Array {
  return Uint8Array.from(String(shard).padStart(shardWidth(count), '0'), (digit) =>
    digit.charCodeAt(0),
  );
}
