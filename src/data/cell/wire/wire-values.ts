/**
 * Writers for the values of each kind of field. A value that the kind cannot represent exactly is
 * rejected with a CodecError.
 */
import { isBytes, valueText, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { checkText } from '../utf8.js';
import { bigintFix, integerFix, wrongTypeError } from '../value-kind.js';
import type { WireWriter, WriteBuffer } from './wire-writer.js';

/** Two 32-bit halves and views of the same memory, in native byte order. */
const halves = new Uint32Array(2);
const bigints = new BigInt64Array(halves.buffer);
const floats = new Float32Array(halves.buffer);
/** Index of the upper half: 1 on little-endian machines. */
const high = new Uint8Array(Uint32Array.of(1).buffer)[0];
const low = 1 - high;

/**
 * Up to this many UTF-16 units, writing them one by one is faster than a native call. The UTF-8
 * length of such a text fits in one byte.
 */
const maxShortUnits = 24;

/** string, as UTF-8 with its length. */
export function writeText(w: WireWriter, value: unknown): void {
  if (typeof value !== 'string')
    throw wrongTypeError('a string', value, 'give a string, for example String(value)');
  const length = value.length;
  if (length > maxShortUnits) return writeLongText(w, value);
  w.room(maxShortUnits + 1);
  const { bytes } = w;
  let at = w.at + 1;
  for (let i = 0; i < length; i++) {
    const unit = value.charCodeAt(i);
    if (unit > 0x7f) return writeLongText(w, value);
    bytes[at++] = unit;
  }
  bytes[w.at] = length;
  w.at = at;
}

/**
 * Buffer's `write` without checks of its arguments. In Node since 0.x, but missing from its types.
 */
const utf8Write = (
  Buffer.prototype as unknown as {
    utf8Write?: (this: WriteBuffer, text: string, at: number, length: number) => number;
  }
).utf8Write;
/**
 * For up to this many UTF-16 units, three bytes each are reserved, which avoids computing the UTF-8
 * length first.
 */
const maxUnmeasuredUnits = 4096;

function writeLongText(w: WireWriter, value: string): void {
  const units = value.length;
  if (units > maxUnmeasuredUnits || utf8Write === undefined) return writeMeasuredText(w, value);
  w.room(3 * units + 2);
  // Most texts are ASCII, so the length prefix is assumed to have the size of an ASCII text's.
  const reserved = units < 0x80 ? 1 : 2;
  const length = utf8Write.call(w.bytes, value, w.at + reserved, 3 * units);
  if (length !== units) checkText(value);
  const start = w.at + reserved;
  if (reserved === 1 && length > 0x7f) w.bytes.copyWithin(start + 1, start, start + length);
  w.varint32(length);
  w.at += length;
}

function writeMeasuredText(w: WireWriter, value: string): void {
  checkText(value);
  const length = Buffer.byteLength(value, 'utf8');
  w.room(length + 5);
  w.varint32(length);
  w.at += w.bytes.write(value, w.at, length, 'utf8');
}

/** bytes, with their length. */
export function writeBytes(w: WireWriter, value: unknown): void {
  if (!isBytes(value)) throw wrongTypeError('a Uint8Array', value, 'give a Uint8Array or a Buffer');
  w.room(5);
  w.varint32(value.length);
  w.raw(value);
}

/** bool. */
export function writeBool(w: WireWriter, value: unknown): void {
  if (typeof value !== 'boolean') throw wrongTypeError('a boolean', value, 'give true or false');
  w.bytes[w.at++] = value ? 1 : 0;
}

function integerError(kind: string, value: unknown, min: number, max: number): CodecError {
  if (typeof value !== 'number')
    return wrongTypeError(`a number for ${kind}`, value, integerFix(value, 'field'));
  if (!Number.isInteger(value)) return new CodecError(faults.notAWholeNumber(kind, value));
  return new CodecError(faults.numberOutOfRange(value, kind, min, max));
}

function int32(kind: string, value: unknown): number {
  if (typeof value !== 'number' || (value | 0) !== value)
    throw integerError(kind, value, -0x80000000, 0x7fffffff);
  return value;
}

function uint32(kind: string, value: unknown): number {
  if (typeof value !== 'number' || value >>> 0 !== value)
    throw integerError(kind, value, 0, 0xffffffff);
  return value;
}

/** int32 and enums. Protobuf encodes negative values in ten bytes. */
export function writeInt32(w: WireWriter, value: unknown): void {
  const number = int32('int32', value);
  if (number >= 0) w.varint32(number);
  else w.varint64(number, -1);
}

/** uint32. */
export function writeUint32(w: WireWriter, value: unknown): void {
  w.varint32(uint32('uint32', value));
}

/** sint32, zigzag. */
export function writeSint32(w: WireWriter, value: unknown): void {
  const number = int32('sint32', value);
  w.varint32((number << 1) ^ (number >> 31));
}

/** fixed32. */
export function writeFixed32(w: WireWriter, value: unknown): void {
  word(w, uint32('fixed32', value));
}

/** sfixed32. */
export function writeSfixed32(w: WireWriter, value: unknown): void {
  word(w, int32('sfixed32', value));
}

function word(w: WireWriter, value: number): void {
  const { bytes, at } = w;
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
  w.at = at + 4;
}

/** Checks a bigint and stores it in `halves`. */
function splitInt64(kind: string, value: unknown): void {
  if (typeof value !== 'bigint') throw bigintError(kind, value);
  bigints[0] = value;
  if (bigints[0] !== value) throw new CodecError(faults.int64OutOfRange(value, kind));
}

function splitUint64(kind: string, value: unknown): void {
  if (typeof value !== 'bigint') throw bigintError(kind, value);
  if (value < 0n) throw uint64Error(kind, value, 'declare the field as int64 or sint64');
  if (value > 0xffffffffffffffffn)
    throw uint64Error(kind, value, 'store larger numbers as string or bytes');
  bigints[0] = value;
}

function uint64Error(kind: string, value: bigint, fix: string): CodecError {
  const problem = `${valueText(value)} is outside the range of ${kind}, 0 to 2^64-1`;
  return new CodecError({ problem, fix });
}

function bigintError(kind: string, value: unknown): CodecError {
  return wrongTypeError(`a bigint for ${kind}`, value, bigintFix(value));
}

/** int64. */
export function writeInt64(w: WireWriter, value: unknown): void {
  splitInt64('int64', value);
  w.varint64(halves[low], halves[high]);
}

/** uint64. */
export function writeUint64(w: WireWriter, value: unknown): void {
  splitUint64('uint64', value);
  w.varint64(halves[low], halves[high]);
}

/** sint64, zigzag. */
export function writeSint64(w: WireWriter, value: unknown): void {
  splitInt64('sint64', value);
  const mask = (halves[high] | 0) >> 31;
  w.varint64((halves[low] << 1) ^ mask, ((halves[high] << 1) | (halves[low] >>> 31)) ^ mask);
}

/** fixed64. */
export function writeFixed64(w: WireWriter, value: unknown): void {
  splitUint64('fixed64', value);
  wordPair(w);
}

/** sfixed64. */
export function writeSfixed64(w: WireWriter, value: unknown): void {
  splitInt64('sfixed64', value);
  wordPair(w);
}

function wordPair(w: WireWriter): void {
  word(w, halves[low]);
  word(w, halves[high]);
}

/**
 * double. NaN is always written as the same bytes: JavaScript engines may use any of its 2^53 bit
 * patterns, so the same message could otherwise be encoded differently.
 */
export function writeDouble(w: WireWriter, value: unknown): void {
  if (typeof value !== 'number')
    throw wrongTypeError('a number for double', value, 'give a number, for example Number(value)');
  if (Number.isNaN(value)) {
    halves[low] = 0;
    halves[high] = 0x7ff80000;
    return wordPair(w);
  }
  w.view.setFloat64(w.at, value, true);
  w.at += 8;
}

/** float, rounded to the nearest value. NaN as in writeDouble. */
export function writeFloat(w: WireWriter, value: unknown): void {
  if (typeof value !== 'number')
    throw wrongTypeError('a number for float', value, 'give a number, for example Number(value)');
  if (Number.isNaN(value)) return word(w, 0x7fc00000);
  floats[0] = value;
  if (Number.isFinite(value) && !Number.isFinite(floats[0]))
    throw new CodecError(faults.floatOutOfRange(value));
  word(w, halves[0]);
}

const faults = {
  notAWholeNumber: (kind: string, value: number) => ({
    problem: `expected a whole number for ${kind}, got ${valueText(value)}`,
    fix: 'round the value, or declare the field as double',
  }),
  numberOutOfRange: (value: number, kind: string, min: number, max: number) => ({
    problem: `${valueText(value)} is outside the range of ${kind}, ${min} to ${max}`,
    fix: 'declare the field as int64 or uint64 and give a bigint',
  }),
  int64OutOfRange: (value: bigint, kind: string) => ({
    problem: `${valueText(value)} is outside the range of ${kind}, -2^63 to 2^63-1`,
    fix: 'store larger numbers as string or bytes',
  }),
  floatOutOfRange: (value: number) => ({
    problem: `${valueText(value)} is outside the range of float: the largest value is about 3.4e38`,
    fix: 'declare the field as double',
  }),
} satisfies FaultTexts;
