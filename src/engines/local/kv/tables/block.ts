/** Blocks of sorted pairs, the unit in which tables are read and verified; see FORMAT.md. */
import { compareSlices } from '../../../../base/index.js';
import { pairChecksum, storedChecksum } from '../checksum.js';

/** A block ends before it becomes larger, unless it holds one pair. */
export const maxBlockBytes = 4096;
/** Bytes of the number of pairs, of the offset of a pair, and of the length of its key. */
export const countBytes = 2;
export const offsetBytes = 2;
export const lengthBytes = 2;
export const sumBytes = 4;
/** Set in the length of a key that is removed. */
export const removedBit = 0x8000;
/** Blocks begin at multiples of this, so that checksums are computed by words. */
const alignment = 4;

/** Number of pairs of the block at `start`. */
export function pairCount(bytes: Uint8Array, start: number): number {
  return (bytes[start] << 8) | bytes[start + 1];
}

/** Offset of pair `index` of the block at `start` in the buffer. */
export function pairAt(bytes: Uint8Array, start: number, index: number): number {
  const at = start + countBytes + offsetBytes * index;
  return start + ((bytes[at] << 8) | bytes[at + 1]);
}

/** Index of the first pair of the block with a key of at least `[keyStart, keyEnd)`. */
export function lowerBound(
  bytes: Uint8Array,
  start: number,
  key: Uint8Array,
  keyStart: number,
  keyEnd: number,
): number {
  let low = 0;
  let high = pairCount(bytes, start);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = pairAt(bytes, start, middle);
    const length = ((bytes[at] << 8) | bytes[at + 1]) & ~removedBit;
    const from = at + lengthBytes;
    if (compareSlices(bytes, from, from + length, key, keyStart, keyEnd) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position of the block after one that ends at `end`. */
export function aligned(end: number): number {
  return Math.ceil(end / alignment) * alignment;
}

/**
 * The checksum of `[start, end)` of a buffer, which is at `position` of a file with this salt: a
 * block of another file, or at another place, does not have it.
 */
export function checksumAt(
  salt: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
  position: number,
): number {
  return pairChecksum(salt, 0, salt.length, bytes, start, end) ^ ((position / alignment) | 0);
}

/** True when `[start, end)`, which ends with its checksum, is as it was written. */
export function isIntactAt(
  salt: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
  position: number,
): boolean {
  return checksumAt(salt, bytes, start, end - sumBytes, position) === storedChecksum(bytes, end);
}
