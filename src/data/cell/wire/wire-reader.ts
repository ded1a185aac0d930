/**
 * Readers of protobuf's wire format in `[at, end)` of a buffer. They return the value and store the
 * index after it in `cursor.at`, which avoids allocating a result object. No reader reads beyond
 * `end`. All throw CodecError for bytes that are not valid protobuf.
 */
import type { FaultTexts, ProblemText } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';

/** The end of the last value, exclusive. Shared, so use it before decoding anything else. */
export const cursor = { at: 0 };

/** Maximum nesting depth of messages and groups, as in protobuf's own libraries. */
export const maxDepth = 100;

/** Two 32-bit halves and views of the same memory as 64-bit numbers, in native byte order. */
const halves = new Uint32Array(2);
const doubles = new Float64Array(halves.buffer);
const signed = new BigInt64Array(halves.buffer);
const unsigned = new BigUint64Array(halves.buffer);
const floats = new Float32Array(halves.buffer);
/** Index of the upper half: 1 on little-endian machines. */
const high = new Uint8Array(Uint32Array.of(1).buffer)[0];
const low = 1 - high;

/** BigInts from 0 to 127, the values of one-byte varints. */
export const smallBigints: readonly bigint[] = Array.from({ length: 128 }, (_, i) => BigInt(i));

/** The error for bytes that are not a message. */
export function malformedError({ problem }: ProblemText): CodecError {
  return new CodecError(faults.malformedMessage(problem));
}

/** The error for bytes that end inside a value. */
export function truncatedError(): CodecError {
  return malformedError(faults.cutOff);
}

/** Throws if messages or groups are nested more than `maxDepth` levels. */
export function checkDepth(depth: number): void {
  if (depth > maxDepth) throw new CodecError(faults.nestedTooDeep);
}

/**
 * The lower 32 bits of a varint of up to ten bytes, as int32. Protobuf encodes negative int32
 * values in ten bytes.
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

/** Like readInt32, unsigned. */
export function readUint32(b: Uint8Array, at: number, end: number): number {
  return readInt32(b, at, end) >>> 0;
}

/** Like readInt32, zigzag. */
export function readSint32(b: Uint8Array, at: number, end: number): number {
  const value = readInt32(b, at, end);
  return (value >>> 1) ^ -(value & 1);
}

/** True if a varint is not zero. */
export function readBool(b: Uint8Array, at: number, end: number): boolean {
  readHalves(b, at, end);
  return (halves[0] | halves[1]) !== 0;
}

/** The tag of a field: its number and wire type, 32 bits in at most five bytes. */
export function readTag(b: Uint8Array, at: number, end: number): number {
  const tag = readUint32(b, at, end);
  if (cursor.at - at > 5 || (cursor.at - at === 5 && b[at + 4] > 0x0f))
    throw malformedError(faults.tagTooLong);
  return tag;
}

/**
 * The end, exclusive, of a length-delimited value with its length at `at`. Its start is stored in
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
    throw malformedError(faults.lengthPastEnd);
  return cursor.at + halves[low];
}

/** Reads the 64 bits of a varint into `halves`. */
function readHalves(b: Uint8Array, at: number, end: number): void {
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
      // The tenth byte contains a single bit.
      if (byte > 1) throw malformedError(faults.varintTooLong);
    }
  }
  halves[low] = lower;
  halves[high] = upper;
  cursor.at = at;
}

/** Like readHalves, for fewer than ten remaining bytes. */
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
  throw truncatedError();
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

/** A varint as int64, in a number: exact from -2^53 to 2^53, otherwise rounded. */
export function readSeconds(b: Uint8Array, at: number, end: number): number {
  readHalves(b, at, end);
  return (halves[high] | 0) * 0x100000000 + halves[low];
}

function word(b: Uint8Array, at: number): number {
  return b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
}

/** Four bytes as int32. */
export function readSfixed32(b: Uint8Array, at: number, end: number): number {
  if (end - at < 4) throw truncatedError();
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
  if (end - at < 8) throw truncatedError();
  halves[low] = word(b, at);
  halves[high] = word(b, at + 4);
  cursor.at = at + 8;
}

/**
 * Factors for the 53-bit significand of a double, by its sign and exponent (12 bits). They are
 * powers of two, so the product is exact. 0 marks the doubles that are not normal numbers: zero,
 * subnormal, infinite, NaN.
 */
const scales = Float64Array.from({ length: 4096 }, (_, signAndExponent) => {
  const exponent = signAndExponent & 2047;
  if (exponent === 0 || exponent === 2047) return 0;
  const scale = 2 ** (exponent - 1075);
  return signAndExponent < 2048 ? scale : -scale;
});

/**
 * Eight bytes as IEEE 754. Computed by multiplication: going through memory, two 4-byte stores
 * would be followed by an 8-byte load, which stalls the processor.
 */
export function readDouble(b: Uint8Array, at: number, end: number): number {
  if (end - at < 8) throw truncatedError();
  const upper = word(b, at + 4);
  const scale = scales[upper >>> 20];
  if (scale === 0) return readSpecialDouble(b, at, end);
  cursor.at = at + 8;
  return (((upper & 0xfffff) | 0x100000) * 0x100000000 + (word(b, at) >>> 0)) * scale;
}

function readSpecialDouble(b: Uint8Array, at: number, end: number): number {
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

/** The index after an unknown field with a value that starts at `at`. */
export function skip(b: Uint8Array, at: number, end: number, tag: number, depth: number): number {
  if (tag >>> 3 === 0) throw malformedError(faults.zeroFieldNumber);
  switch (tag & 7) {
    case 0:
      readHalves(b, at, end);
      return cursor.at;
    case 1:
      if (end - at < 8) throw truncatedError();
      return at + 8;
    case 2:
      return readEnd(b, at, end);
    case 3:
      return skipGroup(b, at, end, tag, depth + 1);
    case 4:
      throw malformedError(faults.groupEndWithoutStart);
    case 5:
      if (end - at < 4) throw truncatedError();
      return at + 4;
    default:
      throw malformedError(faults.unknownWireType(tag >>> 3, tag & 7));
  }
}

function skipGroup(b: Uint8Array, at: number, end: number, tag: number, depth: number): number {
  checkDepth(depth);
  while (at < end) {
    const inner = readTag(b, at, end);
    at = cursor.at;
    // A group starts with wire type 3 and ends with wire type 4.
    if (inner === tag + 1) return at;
    at = skip(b, at, end, inner, depth);
  }
  throw truncatedError();
}

const faults = {
  malformedMessage: (problem: string) => ({
    problem,
    fix: 'check that the bytes were written as this message and are complete',
  }),
  cutOff: { problem: 'the bytes end inside a value' },
  nestedTooDeep: {
    problem: `messages are nested deeper than ${maxDepth} levels, or contain themselves`,
    fix: 'store the structure flat, or in several cells',
  },
  tagTooLong: { problem: 'the tag of a field is longer than 32 bits' },
  lengthPastEnd: { problem: 'a length goes past the end of the bytes' },
  varintTooLong: { problem: 'a varint is longer than 64 bits' },
  zeroFieldNumber: { problem: 'a field has the invalid number 0' },
  groupEndWithoutStart: { problem: 'the end of a group has no matching start' },
  unknownWireType: (tag: number, tagText: number) => ({
    problem: `field ${tag} has the invalid wire type ${tagText}`,
  }),
} satisfies FaultTexts;
