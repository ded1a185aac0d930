/**
 * The checksum of a stored pair: four bytes, which detect any change within one 32-bit word; see
 * FORMAT.md.
 */

/** Read once: in a vm context, such as jest's, each access to a global is a call. */
const { imul } = Math;

/**
 * The primes of xxHash (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) as int32. They are odd, so
 * that multiplying by them is invertible.
 */
const p = 0x9e3779b1 | 0;
const q = 0x85ebca77 | 0;
const r = 0xc2b2ae3d | 0;
const s = 0x27d4eb2f;

/** A view of a larger buffer is not cached, because it would keep the buffer alive. */
const maxCachedBufferBytes = 1024 * 1024;

/**
 * An Int32Array over the buffer of the last byte string: many checksums of one buffer are computed
 * one after the other, and reading its `buffer` is a call out of JavaScript.
 */
class WordView {
  #bytes: Uint8Array | undefined;
  #words: Int32Array = new Int32Array(0);

  of(bytes: Uint8Array): Int32Array {
    if (this.#bytes === bytes) return this.#words;
    const { buffer } = bytes;
    const words = new Int32Array(buffer, 0, buffer.byteLength >>> 2);
    if (buffer.byteLength <= maxCachedBufferBytes) [this.#bytes, this.#words] = [bytes, words];
    return words;
  }
}

const keyWords = new WordView();
const valueWords = new WordView();

/** Returns the checksum of a pair as an int32. */
export function pairChecksum(
  key: Uint8Array,
  keyStart: number,
  keyEnd: number,
  value: Uint8Array,
  valueStart: number,
  valueEnd: number,
): number {
  const keySum = mix(keyWords, key, keyStart, keyEnd, 0);
  return mix(valueWords, value, valueStart, valueEnd, keySum);
}

/** Reads the little-endian checksum that ends at `end`. */
export function storedChecksum(bytes: Uint8Array, end: number): number {
  return bytes[end - 4] | (bytes[end - 3] << 8) | (bytes[end - 2] << 16) | (bytes[end - 1] << 24);
}

/** Writes a checksum in little-endian order. */
export function writeChecksum(bytes: Uint8Array, offset: number, sum: number): void {
  bytes[offset] = sum;
  bytes[offset + 1] = sum >>> 8;
  bytes[offset + 2] = sum >>> 16;
  bytes[offset + 3] = sum >>> 24;
}

/** Four independent lanes, so that multiplications do not wait for each other. */
function mix(view: WordView, bytes: Uint8Array, start: number, end: number, seed: number): number {
  const length = end - start;
  let a = seed ^ length;
  let b = p;
  let c = q;
  let d = r;
  const tail = start + (length & ~15);
  if (length >= 16) {
    const from = bytes.byteOffset + start;
    const isAligned = (from & 3) === 0;
    const words = isAligned ? view.of(bytes) : copyWords(bytes, start, tail);
    let i = isAligned ? from >>> 2 : 0;
    for (const stop = i + ((length & ~15) >>> 2); i < stop; i += 4) {
      a = imul(((a << 15) | (a >>> 17)) ^ words[i], p);
      b = imul(((b << 15) | (b >>> 17)) ^ words[i + 1], q);
      c = imul(((c << 15) | (c >>> 17)) ^ words[i + 2], r);
      d = imul(((d << 15) | (d >>> 17)) ^ words[i + 3], s);
    }
  }
  for (let i = tail; i < end; i++) a = imul(((a << 5) | (a >>> 27)) ^ bytes[i], p);
  // Each step is invertible, so a difference in one lane always changes the result.
  b = imul(((a << 15) | (a >>> 17)) ^ b, q);
  c = imul(((b << 15) | (b >>> 17)) ^ c, r);
  d = imul(((c << 15) | (c >>> 17)) ^ d, s);
  return d ^ (d >>> 15);
}

/** The words of bytes that are not aligned. */
function copyWords(bytes: Uint8Array, start: number, end: number): Int32Array {
  return new Int32Array(
    new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start).slice().buffer,
  );
}
