/**
 * A Bloom filter of the keys of a table or a buffer, which rules out most absent keys. Blocked
 * (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007), so that a key
 * touches 64 bytes of the filter. 10 bits a key, 6 probes: 1 to 2 % of other keys pass.
 */
const { imul } = Math;

const bitsPerKey = 10;
const probes = 6;
const blockBytes = 64;
/** Two odd numbers of xxHash: multiplying by them loses nothing. */
const p = 0x9e3779b1 | 0;
const q = 0x85ebca77 | 0;

/** The hash of the key in `[start, end)` of a buffer, an int32. */
export function keyHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = imul(((hash << 5) | (hash >>> 27)) ^ bytes[i], p);
  hash = imul(hash ^ (hash >>> 15), q);
  return hash ^ (hash >>> 13);
}

/** The hashes of keys that will be in a filter. */
export class KeyHashes {
  count = 0;
  #hashes = new Int32Array(1024);

  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.count === this.#hashes.length) {
      const larger = new Int32Array(2 * this.count);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.count++] = keyHash(bytes, start, end);
  }

  filter(): Uint8Array {
    return buildFilter(this.#hashes, this.count);
  }

  clone(): KeyHashes {
    const copy = new KeyHashes();
    copy.count = this.count;
    copy.#hashes = this.#hashes.slice();
    return copy;
  }
}

/** The filter of keys with these hashes. */
export function buildFilter(hashes: Int32Array, count: number): Uint8Array {
  const blocks = Math.max(1, Math.ceil((count * bitsPerKey) / (8 * blockBytes)));
  const filter = new Uint8Array(blocks * blockBytes);
  for (let i = 0; i < count; i++) {
    const at = blockOf(hashes[i], blocks);
    let bits = second(hashes[i]);
    const step = bits | 1;
    for (let probe = 0; probe < probes; probe++) {
      const bit = bits >>> 23;
      filter[at + (bit >>> 3)] |= 1 << (bit & 7);
      bits = (bits + step) | 0;
      bits = (bits << 9) | (bits >>> 23);
    }
  }
  return filter;
}

/** False if no key with this hash was added. The filter is `[start, end)` of a buffer. */
export function mayHave(filter: Uint8Array, start: number, end: number, hash: number): boolean {
  const at = start + blockOf(hash, (end - start) / blockBytes);
  let bits = second(hash);
  const step = bits | 1;
  for (let probe = 0; probe < probes; probe++) {
    const bit = bits >>> 23;
    if ((filter[at + (bit >>> 3)] & (1 << (bit & 7))) === 0) return false;
    bits = (bits + step) | 0;
    bits = (bits << 9) | (bits >>> 23);
  }
  return true;
}

function blockOf(hash: number, blocks: number): number {
  return Math.floor(((hash >>> 0) / 0x1_0000_0000) * blocks) * blockBytes;
}

/** A second hash; its bits are the probes. */
function second(hash: number): number {
  const mixed = imul(hash ^ (hash >>> 16), q);
  return mixed ^ (mixed >>> 13);
}
