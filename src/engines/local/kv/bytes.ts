/** Reading and writing the numbers and byte strings of the stored format; see FORMAT.md. */

/** Reads bytes from `position` on; every read moves the position past what it read. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public position: number,
    readonly end: number,
  ) {}

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.position++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  uint64(): bigint {
    const value = readUint64BE(this.bytes, this.position);
    this.position += 8;
    return value;
  }

  /** A u64 that is a safe integer. */
  number64(): number {
    const value = readNumber64(this.bytes, this.position);
    this.position += 8;
    return value;
  }

  /** Returns a view, not a copy. */
  take(length: number): Uint8Array {
    const view = this.bytes.subarray(this.position, this.position + length);
    this.position += length;
    return view;
  }
}

/** Longer slices are copied through a view, which takes as long as a loop over so many bytes. */
const maxLoopBytes = 40;

/** Copies `[start, end)` of a buffer to `at` of another. */
export function copySlice(
  target: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  if (end - start > maxLoopBytes) target.set(bytes.subarray(start, end), at);
  else for (let i = start; i < end; i++) target[at + i - start] = bytes[i];
}

/** Writes into a buffer of fixed size. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  position = 0;

  /** A buffer, or the size of a new one. */
  constructor(target: number | Uint8Array) {
    // From Buffer's pool: a separate allocation for each record would cost a third of a write.
    this.bytes = typeof target === 'number' ? Buffer.allocUnsafe(target) : target;
  }

  byte(value: number): void {
    this.bytes[this.position++] = value;
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.position++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.position++] = rest;
  }

  uint64(value: bigint): void {
    writeUint32BE(this.bytes, this.position, Number(value >> 32n));
    writeUint32BE(this.bytes, this.position + 4, Number(value & 0xffff_ffffn));
    this.position += 8;
  }

  /** A u64 that is a safe integer. */
  number64(value: number): void {
    writeNumber64(this.bytes, this.position, value);
    this.position += 8;
  }

  put(bytes: Uint8Array): void {
    if (bytes.length < 32)
      for (let i = 0; i < bytes.length; i++) this.bytes[this.position + i] = bytes[i];
    else this.bytes.set(bytes, this.position);
    this.position += bytes.length;
  }

  /** Writes `[start, end)` of a buffer. */
  putSlice(bytes: Uint8Array, start: number, end: number): void {
    copySlice(this.bytes, this.position, bytes, start, end);
    this.position += end - start;
  }
}

/** Number of bytes of a value as a varint. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Reads a big-endian u32. */
export function readUint32BE(bytes: Uint8Array, offset: number): number {
  return (
    bytes[offset] * 0x100_0000 +
    ((bytes[offset + 1] << 16) | (bytes[offset + 2] << 8) | bytes[offset + 3])
  );
}

/** Writes a big-endian u32. */
export function writeUint32BE(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

/** Reads a big-endian u64. */
export function readUint64BE(bytes: Uint8Array, offset: number): bigint {
  return (BigInt(readUint32BE(bytes, offset)) << 32n) | BigInt(readUint32BE(bytes, offset + 4));
}

/** Reads a big-endian u64 that is a safe integer. */
export function readNumber64(bytes: Uint8Array, offset: number): number {
  return readUint32BE(bytes, offset) * 0x1_0000_0000 + readUint32BE(bytes, offset + 4);
}

/** Returns a safe integer as a big-endian u64. */
export function number64Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  writeNumber64(bytes, 0, value);
  return bytes;
}

/** Writes a safe integer as a big-endian u64. */
export function writeNumber64(bytes: Uint8Array, offset: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  writeUint32BE(bytes, offset, high);
  // Faster than the remainder of a large number.
  writeUint32BE(bytes, offset + 4, value - high * 0x1_0000_0000);
}
