/**
 * Codecs of scalar columns: one value per cell. Numbers are big-endian, as in Bigtable's own
 * encodings.
 */
import {
  copyBytes,
  countText,
  isBytes,
  maxInt64,
  minInt64,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { type CellCodec, CodecError } from '../cell-codec.js';
import { readText, checkText } from '../utf8.js';
import { bigintFix, integerFix, wrongTypeError } from '../value-kind.js';
import { readDate, writeDate } from './date-scalar.js';
import { readJson, writeJson } from './json-scalar.js';
import type { ScalarKind, ScalarValues } from './scalar-type.js';
import { readTimestamp, writeTimestamp } from './timestamp-scalar.js';

type Scalars = { readonly [K in ScalarKind]: CellCodec<ScalarValues[K]> };

/** Shared by all calls: each stores a value and reads it back before anything else runs. */
const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);

const scalars: Scalars = {
  string: { kind: 'string', encode: writeString, decode: readText },
  bytes: { kind: 'bytes', encode: writeBytes, decode: copyBytes },
  bool: { kind: 'bool', encode: writeBool, decode: readBool },
  int32: integerCodec('int32', -0x80000000, 0x7fffffff),
  uint32: integerCodec('uint32', 0, 0xffffffff),
  int64: { kind: 'int64', encode: writeInt64, decode: readInt64 },
  double: { kind: 'double', encode: writeDouble, decode: readDouble },
  float: { kind: 'float', encode: writeFloat, decode: readFloat },
  timestamp: { kind: 'timestamp', encode: writeTimestamp, decode: readTimestamp },
  date: { kind: 'date', encode: writeDate, decode: readDate },
  json: { kind: 'json', encode: writeJson, decode: readJson },
};

/** The codec of a scalar column. ScalarValues describes the values and encoding of each kind. */
export function scalarCodec<K extends ScalarKind>(kind: K): CellCodec<ScalarValues[K]> {
  return scalars[kind];
}

function writeString(value: string): Uint8Array {
  if (typeof value !== 'string')
    throw wrongTypeError('a string', value, 'give a string, for example String(value)');
  checkText(value);
  const text = Buffer.from(value, 'utf8');
  // Short texts are allocated in Node's pool; the cell is a plain view of it.
  return new Uint8Array(text.buffer, text.byteOffset, text.length);
}

function writeBytes(value: Uint8Array): Uint8Array {
  if (!isBytes(value)) throw wrongTypeError('a Uint8Array', value, 'give a Uint8Array or a Buffer');
  return new Uint8Array(value);
}

function writeBool(value: boolean): Uint8Array {
  if (typeof value !== 'boolean') throw wrongTypeError('a boolean', value, 'give true or false');
  return Uint8Array.of(Number(value));
}

function readBool(bytes: Uint8Array, start: number, end: number): boolean {
  checkLength('bool', 1, end - start);
  if (bytes[start] > 1) throw new CodecError(faults.cellNotABool(bytes[start].toString(16)));
  return bytes[start] === 1;
}

function integerCodec(kind: string, min: number, max: number): CellCodec<number> {
  return {
    kind,
    encode: (value) => writeInteger(value, kind, min, max),
    decode: (bytes, start, end) => readInteger(bytes, start, end, kind, min, max),
  };
}

function writeInteger(value: number, kind: string, min: number, max: number): Uint8Array {
  if (typeof value !== 'number')
    throw wrongTypeError(`a number for ${kind}`, value, integerFix(value, 'column'));
  if (!Number.isInteger(value)) throw new CodecError(faults.notAWholeNumber(kind, value));
  if (value < min || value > max)
    throw new CodecError(faults.numberOutOfRange(value, kind, min, max));
  const out = new Uint8Array(8);
  if (value < 0) out.fill(0xff, 0, 4);
  for (let i = 0; i < 4; i++) out[4 + i] = value >>> (24 - 8 * i);
  return out;
}

function readInteger(
  bytes: Uint8Array,
  start: number,
  end: number,
  kind: string,
  min: number,
  max: number,
): number {
  checkLength(kind, 8, end - start);
  const value = readWord(bytes, start) * 0x100000000 + (readWord(bytes, start + 4) >>> 0);
  if (value < min || value > max)
    throw new CodecError(faults.cellOutOfRange(bytes, start, end, kind));
  return value;
}

function writeInt64(value: bigint): Uint8Array {
  if (typeof value !== 'bigint')
    throw wrongTypeError('a bigint for int64', value, bigintFix(value));
  if (value < minInt64 || value > maxInt64) throw new CodecError(faults.int64OutOfRange(value));
  scratch.setBigInt64(0, value);
  return scratchCell(8);
}

function readInt64(bytes: Uint8Array, start: number, end: number): bigint {
  checkLength('int64', 8, end - start);
  scratch.setInt32(0, readWord(bytes, start));
  scratch.setInt32(4, readWord(bytes, start + 4));
  return scratch.getBigInt64(0);
}

function writeDouble(value: number): Uint8Array {
  if (typeof value !== 'number')
    throw wrongTypeError('a number for double', value, 'give a number, for example Number(value)');
  scratch.setFloat64(0, value);
  return scratchCell(8);
}

function readDouble(bytes: Uint8Array, start: number, end: number): number {
  checkLength('double', 8, end - start);
  scratch.setInt32(0, readWord(bytes, start));
  scratch.setInt32(4, readWord(bytes, start + 4));
  return scratch.getFloat64(0);
}

function writeFloat(value: number): Uint8Array {
  if (typeof value !== 'number')
    throw wrongTypeError('a number for float', value, 'give a number, for example Number(value)');
  if (Number.isFinite(value) && !Number.isFinite(Math.fround(value)))
    throw new CodecError(faults.floatOutOfRange(value));
  scratch.setFloat32(0, value);
  return scratchCell(4);
}

function readFloat(bytes: Uint8Array, start: number, end: number): number {
  checkLength('float', 4, end - start);
  scratch.setInt32(0, readWord(bytes, start));
  return scratch.getFloat32(0);
}

/** Copies the first bytes of the scratch buffer; cheaper than a DataView for each new cell. */
function scratchCell(length: number): Uint8Array {
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) out[i] = scratchBytes[i];
  return out;
}

function readWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}

function checkLength(kind: string, expected: number, actual: number): void {
  if (actual === expected) return;
  throw new CodecError(faults.wrongCellLength(expected, kind, actual));
}

const faults = {
  cellNotABool: (text: string) => ({
    problem: `a bool is 0x00 or 0x01, but the cell contains 0x${text}`,
    fix: 'check that the column was written as bool',
  }),
  notAWholeNumber: (kind: string, value: number) => ({
    problem: `expected a whole number for ${kind}, got ${valueText(value)}`,
    fix: 'round the value, or declare the column as double',
  }),
  numberOutOfRange: (value: number, kind: string, min: number, max: number) => ({
    problem: `${valueText(value)} is outside the range of ${kind}, ${min} to ${max}`,
    fix: 'declare the column as int64 and give a bigint',
  }),
  cellOutOfRange: (bytes: Uint8Array, start: number, end: number, kind: string) => ({
    problem: `the cell contains ${readInt64(bytes, start, end)}, which is outside the range of ${kind}`,
    fix: 'declare the column as int64',
  }),
  int64OutOfRange: (value: bigint) => ({
    problem: `${valueText(value)} is outside the range of int64, -2^63 to 2^63-1`,
    fix: 'store larger numbers as string or bytes',
  }),
  floatOutOfRange: (value: number) => ({
    problem: `${valueText(value)} is outside the range of float: the largest value is about 3.4e38`,
    fix: 'declare the column as double',
  }),
  wrongCellLength: (expected: number, kind: string, actual: number) => ({
    problem: `expected ${countText(expected, 'byte')} for ${kind}, but the cell has ${actual}`,
    fix: `check that the column was written as ${kind}`,
  }),
} satisfies FaultTexts;
