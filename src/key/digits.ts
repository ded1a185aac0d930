/** Decimal digits straight to and from bytes, exact for integers of any size; numbers where they are safe, bigints beyond. */
import type { KeyWriter } from './key-writer.js';

const zero = 0x30;

/**
 * Appends `value` (zero or more, known to fit) as `width` decimal digits. With `complement` each digit d is written as 9 - d, which is
 * 10^width - 1 - value without arithmetic that could overflow.
 */
export function writeDigits(out: KeyWriter, value: number | bigint, width: number, complement: boolean): void {
  out.reserve(width);
  if (typeof value === 'bigint') writeBigDigits(out, value, width, complement);
  else writeNumberDigits(out, value, width, complement);
  out.at += width;
}

function writeNumberDigits(out: KeyWriter, value: number, width: number, complement: boolean): void {
  const { bytes, at } = out;
  const base = complement ? zero + 9 : zero;
  const sign = complement ? -1 : 1;
  let i = at + width - 1;
  let rest = value;
  // Integer division is several times faster below 2^31, so the low digits go first in blocks of nine.
  while (rest >= 1e9) {
    const high = Math.floor(rest / 1e9);
    let low = rest - high * 1e9;
    for (let n = 0; n < 9; n++) {
      const quotient = (low / 10) | 0;
      bytes[i--] = base + sign * (low - quotient * 10);
      low = quotient;
    }
    rest = high;
  }
  for (; i >= at; i--) {
    const quotient = (rest / 10) | 0;
    bytes[i] = base + sign * (rest - quotient * 10);
    rest = quotient;
  }
}

function writeBigDigits(out: KeyWriter, value: bigint, width: number, complement: boolean): void {
  const text = value.toString();
  const pad = width - text.length;
  for (let i = 0; i < width; i++) {
    const digit = i < pad ? 0 : text.charCodeAt(i - pad) - zero;
    out.bytes[out.at + i] = zero + (complement ? 9 - digit : digit);
  }
}

/** At most nine digits `[start, end)`; -1 when a byte is not a digit. */
export function readShortDigits(bytes: Uint8Array, start: number, end: number, complement: boolean): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] - zero;
    if (digit < 0 || digit > 9) return -1;
    value = (value * 10 + (complement ? 9 - digit : digit)) | 0;
  }
  return value;
}

/** The digits `[start, end)`: a number when it is safe, else a bigint; -1 when a byte is not a digit. */
export function readDigits(bytes: Uint8Array, start: number, end: number, complement: boolean): number | bigint {
  const width = end - start;
  if (width <= 9) return readShortDigits(bytes, start, end, complement);
  if (width > 18) return readLongDigits(bytes, start, end, complement);
  const high = readShortDigits(bytes, start, end - 9, complement);
  const low = readShortDigits(bytes, end - 9, end, complement);
  if (high < 0 || low < 0) return -1;
  // 9,007,198 * 10^9 + 999,999,999 is the last such number below 2^53.
  return high <= 9007198 ? high * 1e9 + low : safest(BigInt(high) * 1000000000n + BigInt(low));
}

function readLongDigits(bytes: Uint8Array, start: number, end: number, complement: boolean): number | bigint {
  let value = 0n;
  for (let at = start; at < end; at += 9) {
    const stop = Math.min(at + 9, end);
    const block = readShortDigits(bytes, at, stop, complement);
    if (block < 0) return -1;
    value = value * 10n ** BigInt(stop - at) + BigInt(block);
  }
  return safest(value);
}

/** The integer as a number when it is safe, else as it is. */
export function safest(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
