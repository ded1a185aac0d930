/**
 * The checksum of a stored pair: four bytes that change with any change of one word. FORMAT.md is
 * the specification.
 */

/** Taken once: inside a vm context, as under jest, each look at a global is a call. */
const { imul } = Math;

/** Bytes of a checksum. */
export const checksumBytes = 4;

/**
 * Odd, so that a step loses nothing: xxHash's primes (github.com/Cyan4973/xxHash,
 * doc/xxhash_spec.md), as int32.
 */
const p = 0x9e3779b1 | 0;
const q = 0x85ebca77 | 0;
const r = 0xc2b2ae3d | 0;
const s = 0x27d4eb2f;

/** Bytes of a buffer beyond which a view does not keep it alive. */
const largestKept = 1024 * 1024;

/**
 * The words of the bytes that were seen last: lmdb hands out the same ones again and again, and to
 * ask for their buffer is a call out of JavaScript.
 */
class Words {
  #bytes: Uint8Array | undefined;
  #words: Int32Array = new Int32Array(0);

  of(bytes: Uint8Array): Int32Array {
    if (this.#bytes === bytes) return this.#words;
    const { buffer } = bytes;
    const words = new Int32Array(buffer, 0, buffer.byteLength >>> 2);
    // lmdb's own buffer has 16 MiB and a patched `length`; it lives on anyway.
    if (buffer.byteLength <= largestKept || bytes.length < bytes.byteLength)
      [this.#bytes, this.#words] = [bytes, words];
    return words;
  }
}

/** lmdb has one buffer for keys and one for values. */
const keyWords = new Words();
const valueWords = new Words();

/** The checksum of a pair's key and value, as an int32. */
export function pairChecksum(
  key: Uint8Array,
  keyStart: number,
  keyEnd: number,
  value: Uint8Array,
  valueStart: number,
  valueEnd: number,
): number {
  return mixed(valueWords, value, valueStart, valueEnd, mixed(keyWords, key, keyStart, keyEnd, 0));
}

/** Reads the checksum that ends at `end`, little-endian. */
export function storedChecksum(bytes: Uint8Array, end: number): number {
  return bytes[end - 4] | (bytes[end - 3] << 8) | (bytes[end - 2] << 16) | (bytes[end - 1] << 24);
}

/** Writes a checksum at `at`. */
export function writeChecksum(bytes: Uint8Array, at: number, sum: number): void {
  bytes[at] = sum;
  bytes[at + 1] = sum >>> 8;
  bytes[at + 2] = sum >>> 16;
  bytes[at + 3] = sum >>> 24;
}

/** Four lanes, because one multiplication does not wait for that of another lane. */
function mixed(view: Words, bytes: Uint8Array, start: number, end: number, seed: number): number {
  const length = end - start;
  let a = seed ^ length;
  let b = p;
  let c = q;
  let d = r;
  const tail = start + (length & ~15);
  if (length >= 16) {
    const from = bytes.byteOffset + start;
    const inPlace = (from & 3) === 0;
    const aligned = inPlace ? view.of(bytes) : copiedWords(bytes, start, tail);
    let at = inPlace ? from >>> 2 : 0;
    for (const stop = at + ((length & ~15) >>> 2); at < stop; at += 4) {
      a = imul(((a << 15) | (a >>> 17)) ^ aligned[at], p);
      b = imul(((b << 15) | (b >>> 17)) ^ aligned[at + 1], q);
      c = imul(((c << 15) | (c >>> 17)) ^ aligned[at + 2], r);
      d = imul(((d << 15) | (d >>> 17)) ^ aligned[at + 3], s);
    }
  }
  for (let at = tail; at < end; at++) a = imul(((a << 5) | (a >>> 27)) ^ bytes[at], p);
  // Each step can be undone, so lanes that differ in one give results that differ.
  b = imul(((a << 15) | (a >>> 17)) ^ b, q);
  c = imul(((b << 15) | (b >>> 17)) ^ c, r);
  d = imul(((c << 15) | (c >>> 17)) ^ d, s);
  return d ^ (d >>> 15);
}

/** For bytes that do not begin at a word. */
function copiedWords(bytes: Uint8Array, start: number, end: number): Int32Array {
  return new Int32Array(
    new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start).slice().buffer,
  );
}
