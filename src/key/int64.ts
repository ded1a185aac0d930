/** 64-bit integers as Bigtable writes them: OrderedCodeBytes (google/orderedcode's int64, 1 to 10 bytes) and BigEndianBytes (8 bytes). */
import type { KeyWriter } from './key-writer.js';
import { safest } from './digits.js';

/** The least int64. */
export const int64Min = -(2n ** 63n);
/** The greatest int64, Long.MAX_VALUE. */
export const int64Max = 2n ** 63n - 1n;

/**
 * Appends the ordered code of `value`: n leading 1 bits, a 0 bit, then the value in the other 7n - 1 bits, n as small as possible; a
 * negative value is the bitwise NOT of the code of -1 - value.
 */
export function writeOrderedInt64(out: KeyWriter, value: number | bigint): void {
  const negative = value < 0;
  const size = negative ? (typeof value === 'bigint' ? -1n - value : -1 - value) : value;
  const high = typeof size === 'bigint' ? Number(size >> 32n) : Math.floor(size / 4294967296);
  const low = typeof size === 'bigint' ? Number(size & 0xffffffffn) : size >>> 0;
  const length = codeLength(high, low);
  out.reserve(length);
  const { bytes, at } = out;
  for (let i = length - 1, shift = 0; i >= 0; i--, shift += 8) {
    bytes[at + i] = shift < 32 ? low >>> shift : shift < 64 ? high >>> (shift - 32) : 0;
  }
  if (length < 8) bytes[at] |= 0xff00 >> length;
  else {
    bytes[at] = 0xff;
    bytes[at + 1] |= length === 8 ? 0 : length === 9 ? 0x80 : 0xc0;
  }
  if (negative) for (let i = 0; i < length; i++) bytes[at + i] ^= 0xff;
  out.at += length;
}

function codeLength(high: number, low: number): number {
  const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
  return ((bits / 7) | 0) + 1;
}

/** The integer whose ordered code is exactly `[start, end)`; undefined when the bytes are no canonical code of an int64. */
export function readOrderedInt64(bytes: Uint8Array, start: number, end: number): number | bigint | undefined {
  const length = end - start;
  if (length < 1 || length > 10) return undefined;
  const flip = bytes[start] < 0x80 ? 0xff : 0;
  const first = bytes[start] ^ flip;
  const second = length > 1 ? bytes[start + 1] ^ flip : 0;
  if (leadingOnes(first, second) !== length) return undefined;
  // The header's bits are masked away; of 10 bytes the first two hold nothing else.
  let high = 0;
  let low = 0;
  for (let i = Math.max(0, length - 8); i < length; i++) {
    const byte = i === 0 ? first & (0xff >> length) : i === 1 && length > 8 ? second & 0x3f : bytes[start + i] ^ flip;
    high = ((high << 8) | (low >>> 24)) >>> 0;
    low = ((low << 8) | byte) >>> 0;
  }
  if (high > 0x7fffffff || (length === 10 && (second & 0x1f) !== 0) || codeLength(high, low) !== length) return undefined;
  return fromHalves(high, low, flip !== 0);
}

function leadingOnes(first: number, second: number): number {
  if (first !== 0xff) return Math.clz32(~(first << 24));
  return 8 + Math.clz32(~(second << 24));
}

function fromHalves(high: number, low: number, negative: boolean): number | bigint {
  if (high < 0x200000) {
    const size = high * 4294967296 + low;
    return negative ? (size === 9007199254740991 ? -9007199254740992n : -1 - size) : size;
  }
  const size = (BigInt(high) << 32n) | BigInt(low);
  return negative ? -1n - size : size;
}

/** Appends the 8 bytes of `value`, two's complement, most significant first. */
export function writeBigEndianInt64(out: KeyWriter, value: number | bigint): void {
  out.reserve(8);
  const bits = BigInt.asUintN(64, BigInt(value));
  for (let i = 0; i < 8; i++) out.bytes[out.at++] = Number((bits >> BigInt(56 - 8 * i)) & 0xffn);
}

/** The integer of exactly 8 bytes; undefined for any other length. */
export function readBigEndianInt64(bytes: Uint8Array, start: number, end: number): number | bigint | undefined {
  if (end - start !== 8) return undefined;
  let bits = 0n;
  for (let i = start; i < end; i++) bits = (bits << 8n) | BigInt(bytes[i]);
  return safest(BigInt.asIntN(64, bits));
}
