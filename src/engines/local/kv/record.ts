/** Reading and writing the bytes of a stored row: FORMAT.md is the specification. */

/** First byte of a record: set when some of the row lies in parts (chunks or large values). */
export const hasOverflow = 1;
/** Values longer than this many bytes lie in a part of their own. */
export const maxInlineValueBytes = 4096;
/** A family that takes more bytes than this in the record is cut into chunks... */
export const maxInlineFamilyBytes = 12 * 1024;
/** ...and comes back when it shrinks below this. */
export const minChunkedFamilyBytes = 6 * 1024;
/** Bytes of a chunk when it is cut; it is cut again at twice this. */
export const chunkBytes = 8 * 1024;
/** A part's number, big-endian. */
export const overflowIdBytes = 8;

/** A place in bytes that are being read; every read moves it on. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at: number,
    readonly end: number,
  ) {}

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  uint64(): bigint {
    const value =
      (BigInt(readUint32(this.bytes, this.at)) << 32n) |
      BigInt(readUint32(this.bytes, this.at + 4));
    this.at += 8;
    return value;
  }

  number64(): number {
    const value =
      readUint32(this.bytes, this.at) * 0x1_0000_0000 + readUint32(this.bytes, this.at + 4);
    this.at += 8;
    return value;
  }

  /** A view, not a copy. */
  take(length: number): Uint8Array {
    const view = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return view;
  }
}

/** Bytes being written into a buffer of the right size. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(size: number) {
    // From Buffer's pool: a buffer of its own for each record would cost a third of a write.
    this.bytes = Buffer.allocUnsafe(size);
  }

  byte(value: number): void {
    this.bytes[this.at++] = value;
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  uint64(value: bigint): void {
    writeUint32(this.bytes, this.at, Number(value >> 32n));
    writeUint32(this.bytes, this.at + 4, Number(value & 0xffff_ffffn));
    this.at += 8;
  }

  number64(value: number): void {
    writeUint32(this.bytes, this.at, Math.floor(value / 0x1_0000_0000));
    writeUint32(this.bytes, this.at + 4, value % 0x1_0000_0000);
    this.at += 8;
  }

  put(bytes: Uint8Array): void {
    if (bytes.length < 32)
      for (let i = 0; i < bytes.length; i++) this.bytes[this.at + i] = bytes[i];
    else this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}

/** Bytes that `varint` takes for a value. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** The u32 at a place. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return bytes[at] * 0x100_0000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]);
}

/** Writes a u32 at a place. */
export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}
