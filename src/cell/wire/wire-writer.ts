/** The growing bytes of a message, with tags, varints and lengths of protobuf's wire format. */

/** From this many bytes on, the runtime's copy is quicker than a loop. */
const longCopy = 48;
/**
 * Small cells are views of one slab and keep it alive while any of them lives; larger ones own
 * their memory.
 */
const slabSize = 8192;
const largestShared = 1024;
/** Room for a tag (5 bytes) and any scalar without a length (10), with some to spare. */
const scalarRoom = 16;

/**
 * Collects the bytes of one message after another. `tag` and `room` make space for the scalar that
 * follows; the rest make their own.
 */
export class WireWriter {
  /** What is written into. */
  bytes: Buffer = newSlab(slabSize);
  /**
   * The memory of `bytes`, kept because asking a Buffer for it costs as much as the view made of
   * it.
   */
  #memory = this.bytes.buffer as ArrayBuffer;
  /** The same bytes, for numbers of fixed size. */
  view = new DataView(this.#memory);
  /** Next index to write. */
  at = 0;
  /** True between begin and finish. */
  busy = false;

  /** Starts a message; its first index. */
  begin(): number {
    if (this.bytes.length - this.at < largestShared) {
      this.#take(newSlab(slabSize));
      this.at = 0;
    }
    this.busy = true;
    return this.at;
  }

  /** The bytes from `from` on. */
  finish(from: number): Uint8Array {
    const { bytes, at } = this;
    this.busy = false;
    if (at - from <= largestShared && bytes.length === slabSize)
      return new Uint8Array(this.#memory, from, at - from);
    this.discard(from);
    return new Uint8Array(bytes.buffer.slice(from, at));
  }

  /** Forgets everything from `from` on. */
  discard(from: number): void {
    this.busy = false;
    this.at = from;
    if (this.bytes.length === slabSize) return;
    this.#take(newSlab(slabSize));
    this.at = 0;
  }

  #take(bytes: Buffer): void {
    this.bytes = bytes;
    this.#memory = bytes.buffer as ArrayBuffer;
    this.view = new DataView(this.#memory);
  }

  /** Makes space for `length` more bytes. */
  room(length: number): void {
    if (this.at + length > this.bytes.length) this.#grow(length);
  }

  #grow(length: number): void {
    // Positions stay as they are: nested lengths are patched by index later.
    const longer = newSlab(2 * (this.at + length));
    this.bytes.copy(longer, 0, 0, this.at);
    this.#take(longer);
  }

  /** A tag, and space for a scalar. */
  tag(tag: number): void {
    if (this.at + scalarRoom > this.bytes.length) this.#grow(scalarRoom);
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

  /**
   * Ends what began at `start`: writes its length, moving it when that takes more than the one byte
   * reserved.
   */
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
    const { length } = value;
    this.room(length);
    if (length >= longCopy) this.bytes.set(value, this.at);
    else for (let i = 0, { bytes, at } = this; i < length; i++) bytes[at + i] = value[i];
    this.at += length;
  }
}

function newSlab(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size);
}
