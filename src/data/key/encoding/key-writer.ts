/**
 * A growable output buffer, so that encoding a key allocates no intermediate strings or arrays. The
 * bytes written so far are `bytes[0, at)`. Call `reserve` before writing to `bytes` directly.
 */
export class KeyWriter {
  /** The buffer. `reserve` may replace it, so do not hold on to it across a `reserve`. */
  bytes = new Uint8Array(512);
  /** Index of the next byte to write. */
  at = 0;

  /** Ensures space for `count` more bytes. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + count));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }

  /** Appends one byte. */
  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** Appends bytes. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Appends text that is known to be ASCII. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i);
  }

  /** A copy of the bytes written from index `from` on. */
  copy(from = 0): Uint8Array {
    return this.bytes.slice(from, this.at);
  }
}
