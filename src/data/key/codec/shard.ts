/**
 * The hash shard at the start of a key: FNV-1a 32 of the encoded segments joined by the delimiter,
 * modulo the number of shards, zero-padded. Source: Fowler, Noll and Vo, "FNV Hash".
 */

/** The hash of nothing: FNV-1a's offset basis. */
export const emptyHash = 0x811c9dc5;
const prime = 0x01000193;

/**
 * Hashes one more segment, the bytes `[start, end)`. `hash` is the result for the segments before,
 * undefined for the first one; `separator` is hashed between two segments.
 */
export function hashSegment(
  hash: number | undefined,
  separator: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let state = emptyHash;
  if (hash !== undefined) state = Math.imul(hash ^ separator, prime);
  for (let i = start; i < end; i++) state = Math.imul(state ^ bytes[i], prime);
  return state >>> 0;
}

/** Number of digits of a shard: as many as the highest shard needs. */
export function shardWidth(count: number): number {
  return String(count - 1).length;
}

/** The shard as ASCII digits. */
export function shardBytes(shard: number, count: number): Uint8Array {
  return Uint8Array.from(String(shard).padStart(shardWidth(count), '0'), (digit) =>
    digit.charCodeAt(0),
  );
}
