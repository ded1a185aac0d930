/** Numbers and byte strings of the recording format. */

/** Grows as bytes are appended. */
export class RecordingWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** A whole number from 0 to 2^53 - 1, seven bits a byte, least significant first (LEB128). */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80))
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /** The bytes `[start, end)` without their length. */
  raw(bytes: Uint8Array, start = 0): void {
    this.#reserve(bytes.length - start);
    this.#bytes.set(bytes.subarray(start), this.#length);
    this.#length += bytes.length - start;
  }

  /** The length, then the bytes. */
  bytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  /** A copy of what was written. */
  end(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** The bytes are not what the format allows. */
export class MalformedBytes extends Error {}

/** Reads what ByteWriter wrote. Throws MalformedBytes. */
export class RecordingReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    // Parts of a Buffer would be views of it, also the results of slice().
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      if (this.atEnd) throw new MalformedBytes('a number has no end');
      const byte = this.#bytes[this.#position++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
    }
    throw new MalformedBytes('a number is too great');
  }

  raw(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new MalformedBytes('a byte string has no end');
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }

  bytes(): Uint8Array {
    return this.raw(this.number());
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

/** CRC-32 as in zip and PNG. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
