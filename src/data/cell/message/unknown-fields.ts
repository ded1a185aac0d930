/**
 * Fields that the class does not declare. They are preserved and written after the declared ones.
 */

/**
 * Property of a decoded message with the bytes of its unknown fields, tags and values as they were
 * read: field numbers that the class does not declare, and declared fields with another wire type.
 * Enumerable, so `{ ...status }` keeps them. Absent if there are none.
 */
export const unknownFields: unique symbol = Symbol.for('rowsmith.unknownFields');

/** Adds `[from, at)` to the ranges of unknown fields, stored as alternating starts and ends. */
export function addUnknown(ranges: number[] | undefined, from: number, at: number): number[] {
  if (ranges === undefined) return [from, at];
  if (ranges[ranges.length - 1] === from) ranges[ranges.length - 1] = at;
  else ranges.push(from, at);
  return ranges;
}

/**
 * Copies the ranges of unknown fields. If an earlier part of the same message had unknown fields,
 * they come first.
 */
export function copyUnknown(
  bytes: Uint8Array,
  ranges: readonly number[],
  earlier: unknown,
): Uint8Array {
  const before = earlier as Uint8Array | undefined;
  let to = before?.length ?? 0;
  let length = to;
  for (let i = 0; i < ranges.length; i += 2) length += ranges[i + 1] - ranges[i];
  const out = before === undefined ? new Uint8Array(length) : extended(before, length);
  for (let i = 0; i < ranges.length; i += 2) {
    for (let at = ranges[i]; at < ranges[i + 1]; at++) out[to++] = bytes[at];
  }
  return out;
}

/** Doubles the memory as needed, so that a message in many parts takes linear time. */
function extended(bytes: Uint8Array, length: number): Uint8Array {
  if (length <= bytes.buffer.byteLength) return new Uint8Array(bytes.buffer, 0, length);
  const longer = new Uint8Array(new ArrayBuffer(2 * length), 0, length);
  longer.set(bytes);
  return longer;
}
