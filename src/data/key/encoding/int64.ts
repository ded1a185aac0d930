/**
 * Bigtable's two encodings of 64-bit integers: OrderedCodeBytes (google/orderedcode's int64, 1 to
 * 10 bytes) and BigEndianBytes (8 bytes).
 */
import type { KeyWriter } from './key-writer.js';

/** The smallest int64. */
export const int64Min = -(2n ** 63n);
/** The largest int64, Java's Long.MAX_VALUE. */
export const int64Max = 2n ** 63n - 1n;

/** Scratch space for 64 bits: two halves of 32 bits are several times cheaper than a bigint. */
const view = new DataView(new ArrayBuffer(8));

/**
 * Appends the ordered code of the int64 with these halves (`high` signed): n leading 1 bits, a 0
 * bit, then the value in the other 7n - 1 bits, n as small as possible. A negative value is the
 * bitwise NOT of the code of -1 - value.
 */
export function writeOrderedHalves(out: KeyWriter, high: number, low: number): void {
  const flip = high >> 31;
  const upper = high ^ flip;
  const lower = low ^ flip;
  const length = codeLength(upper, lower);
  out.reserve(length);
  const { bytes, at } = out;
  for (let i = length - 1, shift = 0; i >= 0; i--, shift += 8) {
    let byte = 0;
    if (shift < 32) byte = lower >>> shift;
    else if (shift < 64) byte = upper >>> (shift - 32);
    bytes[at + i] = byte ^ flip;
  }
  if (length < 8) bytes[at] ^= 0xff00 >> length;
  else bytes[at] = 0xff ^ flip;
  if (length === 9) bytes[at + 1] ^= 0x80;
  else if (length === 10) bytes[at + 1] ^= 0xc0;
  out.at += length;
}

/** Appends the ordered code of `value`. */
export function writeOrderedInt64(out: KeyWriter, value: number | bigint): void {
  if (typeof value === 'number')
    return writeOrderedHalves(out, Math.floor(value / 4294967296), value | 0);
  view.setBigInt64(0, value);
  writeOrderedHalves(out, view.getInt32(0), view.getInt32(4));
}

/** Length of the ordered code of an integer that is not negative, given its halves. */
function codeLength(high: number, low: number): number {
  let bits = 32 - Math.clz32(low);
  if (high !== 0) bits = 64 - Math.clz32(high);
  return ((bits / 7) | 0) + 1;
}

/**
 * Stores the int64 with the ordered code `[start, end)` in `target`; returns false if the
 * bytes are not a canonical code.
 */
export function readOrderedBits(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: DataView,
): boolean {
  const length = end - start;
  if (length < 1 || length > 10) return false;
  const flip = bytes[start] < 0x80 ? 0xff : 0;
  const first = bytes[start] ^ flip;
  let second = 0;
  if (length > 1) second = bytes[start + 1] ^ flip;
  if (leadingOnes(first, second) !== length || (length === 10 && (second & 0x1f) !== 0))
    return false;
  let middle = start;
  if (length > 4) middle = end - 4;
  let high = 0;
  let low = 0;
  let from = start;
  if (length > 8) from = end - 8;
  for (let i = from; i < middle; i++) high = (high << 8) | (bytes[i] ^ flip);
  for (let i = middle; i < end; i++) low = (low << 8) | (bytes[i] ^ flip);
  // Masks the header's bits: the value has 7n - 1 bits. With 10 bytes the first two are all header.
  if (length < 5) low &= (1 << (7 * length - 1)) - 1;
  else if (length < 10) high &= (1 << (7 * length - 33)) - 1;
  if (high < 0 || codeLength(high, low) !== length) return false;
  const sign = -(flip & 1);
  target.setInt32(0, high ^ sign);
  target.setInt32(4, low ^ sign);
  return true;
}

function leadingOnes(first: number, second: number): number {
  if (first !== 0xff) return Math.clz32(~(first << 24));
  return 8 + Math.clz32(~(second << 24));
}

/**
 * The integer with the ordered code `[start, end)`, a number if it is safe; undefined if
 * the bytes are not a canonical code.
 */
export function readOrderedInt64(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (!readOrderedBits(bytes, start, end, view)) return undefined;
  return integerIn(view);
}

function integerIn(bits: DataView): number | bigint {
  const high = bits.getInt32(0);
  // -2^53 is not a safe integer.
  if (high >= -0x200000 && high < 0x200000 && (high !== -0x200000 || bits.getInt32(4) !== 0))
    return high * 4294967296 + bits.getUint32(4);
  return bits.getBigInt64(0);
}

/** Appends the 8 bytes of `value`, two's complement, most significant first. */
export function writeBigEndianInt64(out: KeyWriter, value: number | bigint): void {
  view.setBigInt64(0, BigInt(value));
  out.reserve(8);
  for (let i = 0; i < 8; i++) out.bytes[out.at++] = view.getUint8(i);
}

/** The integer of exactly 8 bytes, a number if it is safe; undefined for any other length. */
export function readBigEndianInt64(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | undefined {
  if (end - start !== 8) return undefined;
  for (let i = 0; i < 8; i++) view.setUint8(i, bytes[start + i]);
  return integerIn(view);
}
