/**
 * Fields that the class does not declare: kept when read, written back behind the declared ones.
 */

/**
 * Property of a decoded message that holds the bytes of its unknown fields (tags and values as they
 * came): numbers the class does not declare, and declared ones with another wire type. Enumerable,
 * so `{ ...status }` keeps them. Absent when there are none.
 */
export const unknownFields: unique symbol = Symbol.for('rowsmith.unknownFields');

/** Notes that `[from, at)` is to be kept; `kept` holds starts and ends in turn. */
export function keep(kept: number[] | undefined, from: number, at: number): number[] {
  if (kept === undefined) return [from, at];
  if (kept[kept.length - 1] === from) kept[kept.length - 1] = at;
  else kept.push(from, at);
  return kept;
}

/**
 * The noted bytes, behind those that an earlier part of the same message left: what it holds under
 * `unknownFields`.
 */
export function gather(bytes: Uint8Array, kept: readonly number[], held: unknown): Uint8Array {
  const earlier = held as Uint8Array | undefined;
  let length = earlier === undefined ? 0 : earlier.length;
  let to = length;
  for (let i = 0; i < kept.length; i += 2) length += kept[i + 1] - kept[i];
  const out = earlier === undefined ? new Uint8Array(length) : lengthen(earlier, length);
  for (let i = 0; i < kept.length; i += 2) {
    for (let at = kept[i]; at < kept[i + 1]; at++) out[to++] = bytes[at];
  }
  return out;
}

/**
 * Doubles the memory when it is used up, so that a message in a million parts does not cost the
 * square of that.
 */
function lengthen(earlier: Uint8Array, length: number): Uint8Array {
  if (length <= earlier.buffer.byteLength) return new Uint8Array(earlier.buffer, 0, length);
  const longer = new Uint8Array(new ArrayBuffer(2 * length), 0, length);
  longer.set(earlier);
  return longer;
}
