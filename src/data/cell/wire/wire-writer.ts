/** A growing buffer with writers for the tags, varints and lengths of protobuf's wire format. */

/** From this length on, the runtime's copy is faster than a loop. */
const minBulkCopy = 48;
/**
 * Small cells are views of a shared slab, which stays in memory as long as any of them. Larger
 * cells own their memory.
 */
const slabBytes = 8192;
const maxSharedBytes = 1024;
/** Space for a tag (5 bytes) and a scalar without a length (10), rounded up. */
export const scalarSpace = 16;

/** The part of Node's Buffer that writers use; declarations name no types of Node. */
export interface WriteBuffer extends Uint8Array {
  /** Writes text at an index and returns how many bytes it took. */
  write(text: string, offset: number, length: number, encoding: 'utf8'): number;
  /** Copies bytes into another buffer. */
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  /** A view, as Buffer's. */
  subarray(start?: number, end?: number): WriteBuffer;
}

/**
 * Collects the bytes of one message after another. Only `tag` and `room` reserve space for the
 * scalar that follows; the other methods reserve their own. Members that generated codecs use must
 * not change (see codecFormat).
 */
export class WireWriter {
  /** The buffer that is written to. */
  bytes: WriteBuffer = newSlab(slabBytes);
  /** `bytes.buffer`, cached because the getter costs as much as creating a view. */
  #memory = this.bytes.buffer as ArrayBuffer;
  /** The same memory, for numbers of fixed size. */
  view = new DataView(this.#memory);
  /** Index of the next byte to write. */
  at = 0;
  /** True between `begin` and `finish`. */
  busy = false;

  /** Starts a message and returns its index. */
  begin(): number {
    if (this.bytes.length - this.at < maxSharedBytes) {
      this.#use(newSlab(slabBytes));
      this.at = 0;
    }
    this.busy = true;
    return this.at;
  }

  /** Ends the message that starts at `from` and returns its bytes. */
  finish(from: number): Uint8Array {
    const { bytes, at } = this;
    this.busy = false;
    if (at - from <= maxSharedBytes && bytes.length === slabBytes)
      return new Uint8Array(this.#memory, from, at - from);
    this.discard(from);
    return new Uint8Array(bytes.buffer.slice(from, at));
  }

  /** Discards everything from `from` on. */
  discard(from: number): void {
    this.busy = false;
    this.at = from;
    if (this.bytes.length === slabBytes) return;
    this.#use(newSlab(slabBytes));
    this.at = 0;
  }

  #use(bytes: Buffer): void {
    this.bytes = bytes;
    this.#memory = bytes.buffer as ArrayBuffer;
    this.view = new DataView(this.#memory);
  }

  /** Reserves space for `length` more bytes. */
  room(length: number): void {
    if (this.at + length > this.bytes.length) this.#grow(length);
  }

  #grow(length: number): void {
    // Indexes must stay the same: `close` inserts the lengths of nested values by index.
    const larger = newSlab(2 * (this.at + length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.#use(larger);
  }

  /** Writes a tag, and reserves space for a scalar. */
  tag(tag: number): void {
    if (this.at + scalarSpace > this.bytes.length) this.#grow(scalarSpace);
    if (tag < 0x80) this.bytes[this.at++] = tag;
    else this.varint32(tag);
  }

  /** Writes an unsigned 32-bit varint; 5 bytes must be reserved. */
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

  /** Writes a 64-bit varint given in halves; 10 bytes must be reserved. */
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

  /** Starts a length-delimited value. Returns the index of its first byte, for `close`. */
  open(): number {
    this.room(scalarSpace);
    return ++this.at;
  }

  /**
   * Ends the value that starts at `start` by inserting its length. The value is moved if the length
   * needs more than the one byte that was reserved.
   */
  close(start: number): void {
    const length = this.at - start;
    if (length < 0x80) {
      this.bytes[start - 1] = length;
      return;
    }
    this.room(4);
    const extra = varintBytes(length) - 1;
    this.bytes.copyWithin(start + extra, start, this.at);
    this.at = start - 1;
    this.varint32(length);
    this.at += length;
  }

  /** Writes bytes unchanged. */
  raw(value: Uint8Array): void {
    const { length } = value;
    this.room(length);
    if (length >= minBulkCopy) this.bytes.set(value, this.at);
    else for (let i = 0, { bytes, at } = this; i < length; i++) bytes[at + i] = value[i];
    this.at += length;
  }
}

/** The encoded size of an unsigned 32-bit varint. */
export function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  if (value < 0x10000000) return 4;
  return 5;
}

function newSlab(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size);
}
