/**
 * Blocks: neighbouring pairs packed into one value, so that a walk reads rows from memory that lies
 * together, and the store below keeps a thirtieth of the pairs. FORMAT.md is the specification.
 *
 *     u32     number of pairs, at least 1
 *     u32     for each pair: where it begins, from the start of the block
 *     pairs   in key order: u16 bytes of the key, key, value (which ends where the next pair begins)
 */
import { compareSlices } from '../../../../bytes/index.js';
import { readUint32 } from '../record.js';

/**
 * Bytes of a block before it is cut: a dozen small rows. Larger ones gain a walk little and cost
 * every write; four or more of these share an lmdb page of 8,192 bytes, so that pages are well
 * filled (with blocks of 4,000 bytes the file was twice as large).
 */
export const maxBlockBytes = 1920;

/**
 * The same in memory, where a block's bytes lie wherever there was room and finding each costs as
 * much as reading a row: twenty small rows. Scans take 0.60 us a row where blocks of 1,920 bytes
 * took 0.76 (and of 7,680, 0.63), the heap of 1,000,000 rows a fifth less, writes the same.
 */
export const maxMemoryBlockBytes = 3840;

/** Bytes of the number of pairs. */
export const countBytes = 4;
/** Bytes of the place of one pair. */
export const offsetBytes = 4;
/** Bytes of the length of a key. */
export const keyLengthBytes = 2;

/** Number of pairs of the block at `base`. */
export function blockCount(bytes: Uint8Array, base: number): number {
  return readUint32(bytes, base);
}

/** Where pair `index` begins; for the number of pairs, where the block ends. */
export function pairStart(
  bytes: Uint8Array,
  base: number,
  end: number,
  count: number,
  index: number,
): number {
  return index === count ? end : base + readUint32(bytes, base + countBytes + offsetBytes * index);
}

/** Where the key of the pair at `start` begins. */
export function keyStartOf(start: number): number {
  return start + keyLengthBytes;
}

/** Where the key of the pair at `start` ends and its value begins. */
export function keyEndOf(bytes: Uint8Array, start: number): number {
  return start + keyLengthBytes + ((bytes[start] << 8) | bytes[start + 1]);
}

/**
 * Index of the first pair whose key is not less than `key`; the number of pairs when all are less.
 */
export function lowerBound(bytes: Uint8Array, base: number, end: number, key: Uint8Array): number {
  const count = blockCount(bytes, base);
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = pairStart(bytes, base, end, count, middle);
    if (compareSlices(bytes, keyStartOf(start), keyEndOf(bytes, start), key, 0, key.length) < 0)
      low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the value of a key lies in the block at `base`. */
export function valueIn(
  bytes: Uint8Array,
  base: number,
  end: number,
  key: Uint8Array,
): { readonly start: number; readonly end: number } | undefined {
  const count = blockCount(bytes, base);
  const index = lowerBound(bytes, base, end, key);
  if (index === count) return undefined;
  const start = pairStart(bytes, base, end, count, index);
  const valueStart = keyEndOf(bytes, start);
  if (compareSlices(bytes, keyStartOf(start), valueStart, key, 0, key.length) !== 0)
    return undefined;
  return { start: valueStart, end: pairStart(bytes, base, end, count, index + 1) };
}
