/**
 * Blocks: neighbouring pairs packed into one value, so that a scan reads contiguous memory and the
 * underlying store holds a thirtieth of the pairs; see FORMAT.md.
 *
 *     block :=
 *       count: u32              at least 1
 *       offsets: u32[count]     of the pairs, from the start of the block
 *       pairs: pair[count]      in key order
 *     pair :=
 *       key_length: u16
 *       key
 *       value                   up to the next pair or the end of the block
 */
import { compareSlices } from '../../../../base/index.js';
import { readUint32 } from '../bytes.js';

/**
 * A larger block is split; this is about 40 small rows. With its checksum it fills one overflow
 * page of lmdb: 8,192 bytes, of which 16 are a header (docs/decisions/031-write-log.md).
 */
export const maxBlockBytes = 8168;

/**
 * The same in memory, where blocks are scattered and finding one costs as much as reading a row.
 * With 5,000,000 rows scans take 0.47 us a row, with blocks of 3,840 bytes 0.58 us.
 */
export const maxMemoryBlockBytes = 7680;

/** Bytes of the fields `count`, of one offset, and of `key_length`. */
export const countBytes = 4;
export const offsetBytes = 4;
export const keyLengthBytes = 2;

/** Number of pairs of the block at `base`. */
export function blockCount(bytes: Uint8Array, base: number): number {
  return readUint32(bytes, base);
}

/** Start of pair `index` of the block in `[base, end)`; for `index === count` the block's end. */
export function pairStart(
  bytes: Uint8Array,
  base: number,
  end: number,
  count: number,
  index: number,
): number {
  if (index === count) return end;
  return base + readUint32(bytes, base + countBytes + offsetBytes * index);
}

/** Start of the key of the pair at `start`. */
export function keyStartOf(start: number): number {
  return start + keyLengthBytes;
}

/** End of the key, and start of the value, of the pair at `start`. */
export function keyEndOf(bytes: Uint8Array, start: number): number {
  return start + keyLengthBytes + ((bytes[start] << 8) | bytes[start + 1]);
}

/** Index of the first pair with a key of at least `key`; the number of pairs when there is none. */
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

/** Finds the value of a key in the block in `[base, end)`. */
export function findValue(
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
