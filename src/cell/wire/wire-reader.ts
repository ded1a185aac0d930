/**
 * Reading protobuf's wire format from `[at, end)` of a buffer. A value of unknown length leaves the
 * index after it in `cursor.at`: two results without an object for each. Every reader stays inside
 * `end` and throws CellFault for bytes that are not protobuf.
 */
import { CellFault } from '../cell-codec.js';

/**
 * Where the last value ended, exclusive. One for all: it is read before anything else is decoded.
 */
export const cursor = { at: 0 };

/** How deep messages (and groups) may nest, as protobuf's own libraries have it. */
export const deepest = 100;

/** Two 32-bit halves and the 64-bit numbers they make, in the machine's order. */
const halves = new Uint32Array(2);
const doubles = new Float64Array(halves.buffer);
const signed = new BigInt64Array(halves.buffer);
const unsigned = new BigUint64Array(halves.buffer);
const floats = new Float32Array(halves.buffer);
const low = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const high = 1 - low;

/** BigInts up to 127, the values of one byte. */
export const smallBigints: readonly bigint[] = Array.from({ length: 128 }, (_, i) => BigInt(i));

const damaged = 'the bytes were not written as this message, or were cut';

/** The fault of bytes that are no message. */
export function malformed(problem: string): CellFault {
  return new CellFault(problem, damaged);
}

/** The fault of bytes that end inside a value. */
export function truncated(): CellFault {
  return malformed('the bytes end inside a value');
}

/** Throws when a message or group would be nested more than `deepest` levels. */
export function checkDepth(depth: number): void {
  if (depth > deepest)
    throw new CellFault(
      `messages nest deeper than ${deepest} levels, or contain themselves`,
      'store the structure flat, or in several cells',
    );
}

/**
 * Low 32 bits of a varint of up to ten bytes, as int32: protobuf writes a negative int32 in ten.
 */
export function readInt32(b: Uint8Array, at: number, end: number): number {
  if (end - at > 1) {
    const first = b[at];
    if (first < 0x80) {
      cursor.at = at + 1;
      return first;
    }
    const second = b[at + 1];
    if (second < 0x80) {
      cursor.at = at + 2;
      return (first & 0x7f) | (second << 7);
    }
  }
  readHalves(b, at, end);
  return halves[low] | 0;
}

/** As readInt32, unsigned. */
export function readUint32(b: Uint8Array, at: number, end: number): number {
  return readInt32(b, at, end) >>> 0;
}

/** As readInt32, zigzag. */
export function readSint32(b: Uint8Array, at: number, end: number): number {
  const value = readInt32(b, at, end);
  return (value >>> 1) ^ -(value & 1);
}

/** A varint that is zero or not. */
export function readBool(b: Uint8Array, at: number, end: number): boolean {
  readHalves(b, at, end);
  return (halves[0] | halves[1]) !== 0;
}

/** The tag of a field: number and wire type, 32 bits in at most five bytes. */
export function readTag(b: Uint8Array, at: number, end: number): number {
  const tag = readUint32(b, at, end);
  if (cursor.at - at > 5 || (cursor.at - at === 5 && b[at + 4] > 0x0f))
    throw malformed('the tag of a field is longer than 32 bits');
  return tag;
}

/**
 * The end, exclusive, of a length-delimited value whose length stands at `at`; its start is in
 * `cursor.at`.
 */
export function readEnd(b: Uint8Array, at: number, end: number): number {
  if (at < end && b[at] < 128) {
    const stop = at + 1 + b[at];
    if (stop <= end) {
      cursor.at = at + 1;
      return stop;
    }
  }
  readHalves(b, at, end);
  if (halves[high] !== 0 || halves[low] > end - cursor.at)
    throw malformed('a length goes past the end of the bytes');
  return cursor.at + halves[low];
}

/** The 64 bits of a varint into `halves`. */
function readHalves(b: Uint8Array, at: number, end: number): void {
  // The last possible byte holds one bit.
  if (end - at < 10) return readLastHalves(b, at, end);
  let byte = b[at++];
  let lower = byte & 0x7f;
  let upper = 0;
  if (byte > 0x7f) {
    lower |= ((byte = b[at++]) & 0x7f) << 7;
    if (byte > 0x7f) lower |= ((byte = b[at++]) & 0x7f) << 14;
    if (byte > 0x7f) lower |= ((byte = b[at++]) & 0x7f) << 21;
    if (byte > 0x7f) {
      lower |= (byte = b[at++]) << 28;
      upper = (byte & 0x7f) >> 4;
    }
    if (byte > 0x7f) upper |= ((byte = b[at++]) & 0x7f) << 3;
    if (byte > 0x7f) upper |= ((byte = b[at++]) & 0x7f) << 10;
    if (byte > 0x7f) upper |= ((byte = b[at++]) & 0x7f) << 17;
    if (byte > 0x7f) upper |= ((byte = b[at++]) & 0x7f) << 24;
    if (byte > 0x7f) {
      upper |= (byte = b[at++]) << 31;
      if (byte > 1) throw malformed('a varint is longer than 64 bits');
    }
  }
  halves[low] = lower;
  halves[high] = upper;
  cursor.at = at;
}

/** As readHalves, where fewer than ten bytes are left. */
function readLastHalves(b: Uint8Array, at: number, end: number): void {
  let lower = 0;
  let upper = 0;
  for (let shift = 0; at < end; shift += 7) {
    const byte = b[at++];
    if (shift < 28) lower |= (byte & 0x7f) << shift;
    else if (shift === 28) {
      lower |= byte << 28;
      upper = (byte & 0x7f) >> 4;
    } else upper |= (byte & 0x7f) << (shift - 32);
    if (byte < 0x80) {
      halves[low] = lower;
      halves[high] = upper;
      cursor.at = at;
      return;
    }
  }
  throw truncated();
}

/** A varint as int64. */
export function readInt64(b: Uint8Array, at: number, end: number): bigint {
  readHalves(b, at, end);
  return signed[0];
}

/** A varint as uint64. */
export function readUint64(b: Uint8Array, at: number, end: number): bigint {
  readHalves(b, at, end);
  return unsigned[0];
}

/** A zigzag varint as int64. */
export function readSint64(b: Uint8Array, at: number, end: number): bigint {
  readHalves(b, at, end);
  const lower = halves[low];
  const upper = halves[high];
  const mask = -(lower & 1);
  halves[low] = ((lower >>> 1) | (upper << 31)) ^ mask;
  halves[high] = (upper >>> 1) ^ mask;
  return signed[0];
}

/** A varint as int64 in a number: exact within 2^53 on both sides, rounded beyond. */
export function readSeconds(b: Uint8Array, at: number, end: number): number {
  readHalves(b, at, end);
  return (halves[high] | 0) * 0x100000000 + halves[low];
}

function word(b: Uint8Array, at: number): number {
  return b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
}

/** Four bytes as int32. */
export function readSfixed32(b: Uint8Array, at: number, end: number): number {
  if (end - at < 4) throw truncated();
  cursor.at = at + 4;
  return word(b, at);
}

/** Four bytes as uint32. */
export function readFixed32(b: Uint8Array, at: number, end: number): number {
  return readSfixed32(b, at, end) >>> 0;
}

/** Four bytes as IEEE 754. */
export function readFloat(b: Uint8Array, at: number, end: number): number {
  halves[0] = readSfixed32(b, at, end);
  return floats[0];
}

function readFixedHalves(b: Uint8Array, at: number, end: number): void {
  if (end - at < 8) throw truncated();
  halves[low] = word(b, at);
  halves[high] = word(b, at + 4);
  cursor.at = at + 8;
}

/**
 * What the 53 bits of a double's fraction are multiplied by, by its sign and exponent (12 bits): a
 * power of two, so the product is exact. Zero where there is no such number: zero, subnormal,
 * infinite, NaN.
 */
const scales = Float64Array.from({ length: 4096 }, (_, i) => {
  const exponent = i & 2047;
  return exponent === 0 || exponent === 2047 ? 0 : (i < 2048 ? 1 : -1) * 2 ** (exponent - 1075);
});

/**
 * Eight bytes as IEEE 754. Multiplied together: through memory, the processor would wait for two
 * stores to become one load.
 */
export function readDouble(b: Uint8Array, at: number, end: number): number {
  if (end - at < 8) throw truncated();
  const upper = word(b, at + 4);
  const scale = scales[upper >>> 20];
  if (scale === 0) return readRareDouble(b, at, end);
  cursor.at = at + 8;
  return (((upper & 0xfffff) | 0x100000) * 0x100000000 + (word(b, at) >>> 0)) * scale;
}

function readRareDouble(b: Uint8Array, at: number, end: number): number {
  readFixedHalves(b, at, end);
  return doubles[0];
}

/** Eight bytes as int64. */
export function readSfixed64(b: Uint8Array, at: number, end: number): bigint {
  readFixedHalves(b, at, end);
  return signed[0];
}

/** Eight bytes as uint64. */
export function readFixed64(b: Uint8Array, at: number, end: number): bigint {
  readFixedHalves(b, at, end);
  return unsigned[0];
}

/** The index after a field whose tag was read and whose value starts at `at`. */
export function skip(b: Uint8Array, at: number, end: number, tag: number, depth: number): number {
  if (tag >>> 3 === 0) throw malformed('a field has the number 0, which protobuf does not have');
  switch (tag & 7) {
    case 0:
      readHalves(b, at, end);
      return cursor.at;
    case 1:
      if (end - at < 8) throw truncated();
      return at + 8;
    case 2:
      return readEnd(b, at, end);
    case 3:
      return skipGroup(b, at, end, tag, depth + 1);
    case 5:
      if (end - at < 4) throw truncated();
      return at + 4;
    default:
      throw malformed(
        tag & 2
          ? `field ${tag >>> 3} has the wire type ${tag & 7}, which protobuf does not have`
          : 'a group ends that did not begin',
      );
  }
}

function skipGroup(b: Uint8Array, at: number, end: number, tag: number, depth: number): number {
  checkDepth(depth);
  while (at < end) {
    const inner = readTag(b, at, end);
    at = cursor.at;
    // The end of a group is its tag with wire type 4.
    if (inner === tag + 1) return at;
    at = skip(b, at, end, inner, depth);
  }
  throw truncated();
}
