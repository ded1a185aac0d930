/**
 * Builds the bytes of a table from pairs in key order: blocks, an index of them, a filter of the
 * keys and a footer. It returns them in chunks, which the caller writes; a block is never cut.
 */
import { noBytes } from '../../../../base/index.js';
import { copySlice, writeNumber64, writeUint32BE } from '../bytes.js';
import { writeChecksum } from '../checksum.js';
import {
  aligned,
  checksumAt,
  countBytes,
  lengthBytes,
  maxBlockBytes,
  offsetBytes,
  removedBit,
  sumBytes,
} from './block.js';
import { KeyHashes } from '../key-filter.js';

/** Bytes of a chunk, unless a block is larger. */
const chunkBytes = 256 * 1024;
export const footerBytes = 64;
/** Bytes of a block's length in the index. */
export const blockLengthBytes = 4;

export interface TableSummary {
  readonly bytes: number;
  readonly pairs: number;
  /** Pairs that remove their key. */
  readonly removals: number;
  /** Bytes of the keys and values. */
  readonly pairBytes: number;
  /** The first and the last key; both empty in a table without pairs. */
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

export class TableWriter {
  #pairs = 0;
  #removals = 0;
  #pairBytes = 0;
  #first: Uint8Array = noBytes;
  #last: Uint8Array = noBytes;
  /** The pairs of the current block, and where they begin in it. */
  readonly #block = new Uint8Array(maxBlockBytes);
  readonly #offsets = new Uint16Array(maxBlockBytes / lengthBytes);
  #blockPairs = 0;
  #blockBytes = 0;
  #lastStart = 0;
  #lastEnd = 0;
  /** The chunk that is being filled, and its position in the file. */
  #chunk = new Uint8Array(chunkBytes);
  #at = 0;
  #position = 0;
  #full: Uint8Array[] = [];
  /** Keys and lengths of the blocks. */
  #index: Uint8Array = new Uint8Array(16 * 1024);
  #indexBytes = 0;
  readonly #hashes = new KeyHashes();

  readonly #salt: Uint8Array;

  /** `header` is the beginning of the file, `salt` its random bytes. */
  constructor(header: Uint8Array, salt: Uint8Array) {
    this.#salt = salt;
    this.#chunk.set(header);
    this.#at = header.length;
  }

  /** Bytes of the pairs so far. */
  get pairBytes(): number {
    return this.#pairBytes;
  }

  get pairs(): number {
    return this.#pairs;
  }

  /**
   * Adds the pair in `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of a buffer, with a key after
   * all keys before it. A pair that removes its key has no value.
   */
  add(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueEnd: number,
    isRemoved: boolean,
  ): void {
    const size = lengthBytes + valueEnd - keyStart;
    if (this.#blockPairs > 0 && this.#blockSize(size) > maxBlockBytes) this.#endBlock();
    if (this.#blockPairs === 0) this.#index = this.#addToIndex(bytes, keyStart, keyEnd);
    this.#count(bytes, keyStart, keyEnd, isRemoved);
    this.#pairBytes += valueEnd - keyStart;
    const length = keyEnd - keyStart + (isRemoved ? removedBit : 0);
    if (this.#blockSize(size) > maxBlockBytes)
      return this.#addLarge(bytes, keyStart, keyEnd, valueEnd, length);
    const at = this.#blockBytes;
    const block = this.#block;
    this.#offsets[this.#blockPairs++] = at;
    block[at] = length >>> 8;
    block[at + 1] = length;
    copySlice(block, at + lengthBytes, bytes, keyStart, valueEnd);
    this.#lastStart = at + lengthBytes;
    this.#lastEnd = this.#lastStart + keyEnd - keyStart;
    this.#blockBytes += size;
  }

  /** Returns the chunks that are complete, in order; each is returned once. */
  take(): Uint8Array[] {
    return this.#full.splice(0);
  }

  /** Ends the table. `take` then returns the rest of it. */
  finish(): TableSummary {
    if (this.#blockPairs > 0) this.#endBlock();
    const indexAt = this.#position + this.#at;
    // Zeros follow its last entry, up to a multiple of 4.
    this.#put(this.#index.subarray(0, aligned(this.#indexBytes)));
    const filterAt = this.#position + this.#at;
    this.#put(this.#hashes.filter());
    const footer = new Uint8Array(footerBytes - sumBytes);
    writeNumber64(footer, 0, indexAt);
    writeNumber64(footer, 8, filterAt);
    writeNumber64(footer, 16, this.#pairs);
    writeNumber64(footer, 24, this.#removals);
    writeNumber64(footer, 32, this.#pairBytes);
    this.#put(footer);
    this.#cut();
    return {
      bytes: this.#position,
      pairs: this.#pairs,
      removals: this.#removals,
      pairBytes: this.#pairBytes,
      first: this.#first,
      last: this.#last,
    };
  }

  #blockSize(added: number): number {
    return countBytes + offsetBytes * (this.#blockPairs + 1) + this.#blockBytes + added + sumBytes;
  }

  #count(bytes: Uint8Array, start: number, end: number, isRemoved: boolean): void {
    if (this.#pairs === 0) this.#first = bytes.slice(start, end);
    this.#hashes.add(bytes, start, end);
    this.#pairs++;
    if (isRemoved) this.#removals++;
  }

  /** The shortest key that separates the block that begins from the one before it. */
  #addToIndex(bytes: Uint8Array, start: number, end: number): Uint8Array {
    let length = end - start;
    if (this.#pairs > 0) length = Math.min(length, sharedBytes(this.#last, bytes, start, end) + 1);
    let index = this.#index;
    const needed = this.#indexBytes + lengthBytes + length + blockLengthBytes;
    if (needed > index.length) {
      index = new Uint8Array(aligned(2 * needed));
      index.set(this.#index);
    }
    const at = this.#indexBytes;
    index[at] = length >>> 8;
    index[at + 1] = length;
    copySlice(index, at + lengthBytes, bytes, start, start + length);
    this.#indexBytes = needed;
    return index;
  }

  #endBlock(): void {
    const head = countBytes + offsetBytes * this.#blockPairs;
    const length = head + this.#blockBytes + sumBytes;
    const at = this.#reserve(length);
    const chunk = this.#chunk;
    chunk[at] = this.#blockPairs >>> 8;
    chunk[at + 1] = this.#blockPairs;
    for (let i = 0; i < this.#blockPairs; i++) {
      const offset = head + this.#offsets[i];
      chunk[at + countBytes + offsetBytes * i] = offset >>> 8;
      chunk[at + countBytes + offsetBytes * i + 1] = offset;
    }
    copySlice(chunk, at + head, this.#block, 0, this.#blockBytes);
    this.#last = this.#block.slice(this.#lastStart, this.#lastEnd);
    this.#completeBlock(at, length);
    this.#blockPairs = 0;
    this.#blockBytes = 0;
  }

  /** A block of one pair that does not fit a block. */
  #addLarge(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueEnd: number,
    length: number,
  ): void {
    const head = countBytes + offsetBytes;
    const total = head + lengthBytes + valueEnd - keyStart + sumBytes;
    const at = this.#reserve(total);
    const chunk = this.#chunk;
    chunk[at + 1] = 1;
    chunk[at + 3] = head;
    chunk[at + head] = length >>> 8;
    chunk[at + head + 1] = length;
    copySlice(chunk, at + head + lengthBytes, bytes, keyStart, valueEnd);
    this.#last = bytes.slice(keyStart, keyEnd);
    this.#completeBlock(at, total);
  }

  #completeBlock(at: number, length: number): void {
    const end = at + length - sumBytes;
    const sum = checksumAt(this.#salt, this.#chunk, at, end, this.#position + at);
    writeChecksum(this.#chunk, end, sum);
    writeUint32BE(this.#index, this.#indexBytes - blockLengthBytes, length);
    this.#at = aligned(at + length);
  }

  /** Writes a multiple of 4 bytes and their checksum: the index, the filter or the footer. */
  #put(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length + sumBytes);
    this.#chunk.set(bytes, at);
    const end = at + bytes.length;
    const sum = checksumAt(this.#salt, this.#chunk, at, end, this.#position + at);
    writeChecksum(this.#chunk, end, sum);
    this.#at = end + sumBytes;
  }

  /** Makes room for so many bytes in one chunk, and returns where they begin in it. */
  #reserve(length: number): number {
    if (this.#at + aligned(length) > this.#chunk.length) {
      this.#cut();
      this.#chunk = new Uint8Array(Math.max(chunkBytes, aligned(length)));
    }
    return this.#at;
  }

  #cut(): void {
    if (this.#at === 0) return;
    // A copy where much of it is unused: in memory, chunks are kept.
    const isFull = this.#at > this.#chunk.length - 2 * maxBlockBytes;
    this.#full.push(isFull ? this.#chunk.subarray(0, this.#at) : this.#chunk.slice(0, this.#at));
    this.#position += this.#at;
    this.#at = 0;
  }
}

/** Number of bytes that a key and `[start, end)` of a buffer have in common at their beginning. */
function sharedBytes(key: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const both = Math.min(key.length, end - start);
  let i = 0;
  while (i < both && key[i] === bytes[start + i]) i++;
  return i;
}
