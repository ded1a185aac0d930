/** Writing protobuf's wire format. Values are checked exactly: what the wire cannot hold is a CellFault, never another value. */
import { CellFault } from './cell-codec.js';
import { checkText } from './utf8.js';
import { isBytes, valueText, wrongType } from './value-kind.js';

/** Small cells are views of one slab and keep it alive while any of them lives; larger ones own their memory. */
const slabSize = 8192;
const largestShared = 1024;
/** Room for a tag (5 bytes) and any scalar without a length (10), with some to spare. */
const scalarRoom = 16;

const halves = new Uint32Array(2);
const doubles = new Float64Array(halves.buffer);
const bigints = new BigInt64Array(halves.buffer);
const floats = new Float32Array(halves.buffer);
const low = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const high = 1 - low;

/** Collects the bytes of one message after another. `tag` and `room` make space for the scalar that follows; the rest make their own. */
export class WireWriter {
  /** What is written into. */
  bytes: Buffer = newSlab(slabSize);
  /** Next index to write. */
  at = 0;
  /** True between begin and finish. */
  busy = false;

  /** Starts a message; its first index. */
  begin(): number {
    if (this.bytes.length - this.at < largestShared) {
      this.bytes = newSlab(slabSize);
      this.at = 0;
    }
    this.busy = true;
    return this.at;
  }

  /** The bytes from `from` on. */
  finish(from: number): Uint8Array {
    const { bytes, at } = this;
    this.busy = false;
    if (at - from <= largestShared && bytes.length === slabSize) return new Uint8Array(bytes.buffer, from, at - from);
    this.discard(from);
    return new Uint8Array(bytes.buffer.slice(from, at));
  }

  /** Forgets everything from `from` on. */
  discard(from: number): void {
    this.busy = false;
    this.at = from;
    if (this.bytes.length === slabSize) return;
    this.bytes = newSlab(slabSize);
    this.at = 0;
  }

  /** Makes space for `length` more bytes. */
  room(length: number): void {
    if (this.at + length > this.bytes.length) this.grow(length);
  }

  private grow(length: number): void {
    // Positions stay as they are: nested lengths are patched by index later.
    const longer = newSlab(2 * (this.at + length));
    this.bytes.copy(longer, 0, 0, this.at);
    this.bytes = longer;
  }

  /** A tag, and space for a scalar. */
  tag(tag: number): void {
    if (this.at + scalarRoom > this.bytes.length) this.grow(scalarRoom);
    if (tag < 0x80) this.bytes[this.at++] = tag;
    else this.varint32(tag);
  }

  /** An unsigned 32-bit number as varint; needs space for 5 bytes. */
  varint32(value: number): void {
    const { bytes } = this;
    let { at } = this;
    value >>>= 0;
    while (value > 0x7f) {
      bytes[at++] = value | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
    this.at = at;
  }

  /** A 64-bit number in halves as varint; needs space for 10 bytes. */
  varint64(lower: number, upper: number): void {
    lower >>>= 0;
    upper >>>= 0;
    while (upper !== 0) {
      this.bytes[this.at++] = lower | 0x80;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.varint32(lower);
  }

  /** Begins a length-delimited value: the index of its first byte, for close. */
  open(): number {
    this.room(scalarRoom);
    return ++this.at;
  }

  /** Ends what began at `start`: writes its length, moving it when that takes more than the one byte reserved. */
  close(start: number): void {
    const length = this.at - start;
    if (length < 0x80) {
      this.bytes[start - 1] = length;
      return;
    }
    this.room(4);
    const extra = length < 0x4000 ? 1 : length < 0x200000 ? 2 : length < 0x10000000 ? 3 : 4;
    this.bytes.copyWithin(start + extra, start, this.at);
    this.at = start - 1;
    this.varint32(length);
    this.at += length;
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.room(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }
}

function newSlab(size: number): Buffer {
  return Buffer.from(new ArrayBuffer(size));
}

/** Strings up to this many UTF-16 units have one length byte whatever they hold (3 bytes a unit at most). */
const shortText = 42;

/** A string with its length. */
export function writeText(w: WireWriter, value: unknown): void {
  if (typeof value !== 'string') throw wrongType('a string', value, 'Give a string, for example String(value).');
  const length = value.length;
  if (length > shortText) return writeLongText(w, value);
  w.room(shortText + 1);
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

function writeLongText(w: WireWriter, value: string): void {
  checkText(value);
  const length = Buffer.byteLength(value, 'utf8');
  w.room(length + 5);
  w.varint32(length);
  w.at += w.bytes.write(value, w.at, length, 'utf8');
}

/** Bytes with their length. */
export function writeBytes(w: WireWriter, value: unknown): void {
  if (!isBytes(value)) throw wrongType('a Uint8Array', value, 'Give a Uint8Array or a Buffer.');
  w.room(5);
  w.varint32(value.length);
  w.raw(value);
}

/** A boolean. */
export function writeBool(w: WireWriter, value: unknown): void {
  if (typeof value !== 'boolean') throw wrongType('a boolean', value, 'Give true or false.');
  w.bytes[w.at++] = value ? 1 : 0;
}

function checkInteger(kind: string, value: unknown, least: number, greatest: number): CellFault {
  if (typeof value !== 'number') return wrongType(`a number for ${kind}`, value, typeof value === 'bigint' ? 'Give Number(value), or declare the field as int64.' : 'Give a whole number.');
  if (!Number.isInteger(value)) return new CellFault(`${kind} takes whole numbers, got ${valueText(value)}.`, 'Round the value, or declare the field as double.');
  return new CellFault(`${valueText(value)} is outside ${kind}, ${least} to ${greatest}.`, 'Declare the field as int64 or uint64 and give a bigint.');
}

function int32(kind: string, value: unknown): number {
  if (typeof value !== 'number' || (value | 0) !== value) throw checkInteger(kind, value, -0x80000000, 0x7fffffff);
  return value;
}

function uint32(kind: string, value: unknown): number {
  if (typeof value !== 'number' || value >>> 0 !== value) throw checkInteger(kind, value, 0, 0xffffffff);
  return value;
}

/** int32 and enums; ten bytes when negative, as protobuf has it. */
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

/** The halves of a bigint into `halves`, after its check. */
function splitInt64(kind: string, value: unknown): void {
  if (typeof value !== 'bigint') throw checkBigint(kind, value);
  bigints[0] = value;
  if (bigints[0] !== value) throw new CellFault(`${valueText(value)} is outside ${kind}, -2^63 to 2^63-1.`, 'Store larger numbers as string or bytes.');
}

function splitUint64(kind: string, value: unknown): void {
  if (typeof value !== 'bigint') throw checkBigint(kind, value);
  if (value < 0n || value > 0xffffffffffffffffn) throw new CellFault(`${valueText(value)} is outside ${kind}, 0 to 2^64-1.`, value < 0n ? 'Declare the field as int64 or sint64.' : 'Store larger numbers as string or bytes.');
  bigints[0] = value;
}

function checkBigint(kind: string, value: unknown): CellFault {
  return wrongType(`a bigint for ${kind}`, value, typeof value === 'number' && Number.isSafeInteger(value) ? `Write ${value}n, or BigInt(value).` : 'Give a bigint.');
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

/** double. */
export function writeDouble(w: WireWriter, value: unknown): void {
  if (typeof value !== 'number') throw wrongType('a number for double', value, 'Give a number, for example Number(value).');
  doubles[0] = value;
  wordPair(w);
}

/** float; rounds to the nearest one. */
export function writeFloat(w: WireWriter, value: unknown): void {
  if (typeof value !== 'number') throw wrongType('a number for float', value, 'Give a number, for example Number(value).');
  floats[0] = value;
  if (Number.isFinite(value) && !Number.isFinite(floats[0])) throw new CellFault(`${valueText(value)} is outside float, whose greatest is about 3.4e38.`, 'Declare the field as double.');
  word(w, halves[0]);
}
