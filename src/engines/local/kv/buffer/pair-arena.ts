/**
 * The memory of the write buffer: pairs in chunks of bytes, in the form in which the log stores
 * them (see FORMAT.md), so that a row is copied once. A pair is identified by a number, its chunk
 * and offset, so that buffering rows creates no objects.
 *
 *     pair :=
 *       key_length: u16
 *       value_length: u32     all ones where the pair is removed
 *       key, value
 */
import { compareSlices } from '../../../../base/index.js';
import { readUint32BE, writeUint32BE } from '../bytes.js';

/** Bytes of the lengths at the start of a pair. */
export const pairHeaderBytes = 6;
/** Value length of a pair that removes its key. */
export const removedLength = 0xffff_ffff;
/** Set in the key length of the removal of a range. */
export const rangeBit = 0x8000;
/** Where no pair was found. */
export const noPair = -1;

/** A chunk, and the largest offset of a pair in it; a larger pair has a separate chunk. */
export const arenaChunkBytes = 1024 * 1024;
const offsetBits = 20;
const offsetMask = arenaChunkBytes - 1;
/** Databases with little to buffer use smaller chunks. */
const firstChunkBytes = 64 * 1024;
/** Bytes kept free around each piece of a commit, which becomes a record of the log. */
export const pieceHeaderBytes = 24;
export const pieceTrailerBytes = 16;

/** Pairs of one commit that are contiguous in a chunk: `[start, end)`, without its header. */
export interface Piece {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Identifies a pair of an arena; not negative. */
export type PairRef = number;

/** Stores pairs until they are released. */
export class PairArena {
  /** By number; unused entries are undefined. */
  #chunks: (Uint8Array | undefined)[] = [];
  /** Pairs of each chunk that are in use. */
  #used: number[] = [];
  #freeIds: number[] = [];
  #current = -1;
  /** End of the last pair in the current chunk. */
  #position = 0;
  /** Start of the current piece, and the pieces before it. */
  #pieceStart = 0;
  #pieces: Piece[] = [];
  /** Bytes of all chunks. */
  #capacity = 0;

  /** Set by `compareFrom`. */
  shared = 0;

  get capacity(): number {
    return this.#capacity;
  }

  /** Begins the pairs of a commit. */
  begin(): void {
    this.#pieces = [];
    if (this.#current >= 0) this.#beginPiece();
  }

  /** Ends the commit and returns its pairs, in the order in which they were written. */
  finish(): readonly Piece[] {
    this.#endPiece();
    return this.#pieces;
  }

  /** Stores a pair; `value` is undefined where the key is removed. */
  append(key: Uint8Array, value: Uint8Array | undefined): PairRef {
    const ref = this.#add(key.length, value?.length ?? 0);
    const chunk = this.#chunks[this.#current]!;
    const keyStart = (ref & offsetMask) + pairHeaderBytes;
    chunk.set(key, keyStart);
    if (value === undefined) writeUint32BE(chunk, keyStart - 4, removedLength);
    else chunk.set(value, keyStart + key.length);
    return ref;
  }

  /** Stores the pair in `[keyStart, keyEnd)` and `[keyEnd, valueEnd)` of a buffer. */
  appendSlice(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): PairRef {
    const ref = this.#add(keyEnd - keyStart, valueEnd - keyEnd);
    const chunk = this.#chunks[this.#current]!;
    chunk.set(bytes.subarray(keyStart, valueEnd), (ref & offsetMask) + pairHeaderBytes);
    return ref;
  }

  /**
   * Stores the removal of the keys `start <= key < end`, for the log only: a pair of both, with a
   * bit set in the length of the first.
   */
  appendRange(start: Uint8Array, end: Uint8Array): void {
    const ref = this.append(start, end);
    this.#chunks[this.#current]![ref & offsetMask] |= rangeBit >>> 8;
    this.release(ref);
  }

  /** The pair is no longer used. */
  release(ref: PairRef): void {
    const id = ref >>> offsetBits;
    if (--this.#used[id] === 0 && id !== this.#current) this.#removeChunk(id);
  }

  /** The chunk that holds a pair. Its bytes never change while they are referenced. */
  chunkOf(ref: PairRef): Uint8Array {
    return this.#chunks[ref >>> offsetBits]!;
  }

  /** Offset of a pair in its chunk. */
  offsetOf(ref: PairRef): number {
    return ref & offsetMask;
  }

  /** Compares the key of a pair with `[start, end)` of a buffer. */
  compareKey(ref: PairRef, key: Uint8Array, start: number, end: number): number {
    const chunk = this.#chunks[ref >>> offsetBits]!;
    const at = ref & offsetMask;
    const keyStart = at + pairHeaderBytes;
    const keyEnd = keyStart + ((chunk[at] << 8) | chunk[at + 1]);
    return compareSlices(chunk, keyStart, keyEnd, key, start, end);
  }

  /**
   * Like compareKey, for keys that are known to share their first `shared` bytes. Sets `shared` to
   * the number of bytes that they share.
   */
  compareFrom(ref: PairRef, key: Uint8Array, start: number, end: number, shared: number): number {
    const chunk = this.#chunks[ref >>> offsetBits]!;
    const at = ref & offsetMask;
    const length = (chunk[at] << 8) | chunk[at + 1];
    const keyStart = at + pairHeaderBytes;
    const both = Math.min(length, end - start);
    for (let i = shared; i < both; i++) {
      const difference = chunk[keyStart + i] - key[start + i];
      if (difference !== 0) {
        this.shared = i;
        return difference;
      }
    }
    this.shared = both;
    return length - (end - start);
  }

  /** Compares the keys of two pairs. */
  compare(a: PairRef, b: PairRef): number {
    const chunk = this.#chunks[b >>> offsetBits]!;
    const at = b & offsetMask;
    const keyStart = at + pairHeaderBytes;
    return this.compareKey(a, chunk, keyStart, keyStart + ((chunk[at] << 8) | chunk[at + 1]));
  }

  /** Start of the pair's key in its chunk. */
  keyStart(ref: PairRef): number {
    return (ref & offsetMask) + pairHeaderBytes;
  }

  /** End of the pair's key, and start of its value. */
  keyEnd(ref: PairRef): number {
    const chunk = this.#chunks[ref >>> offsetBits]!;
    const at = ref & offsetMask;
    return at + pairHeaderBytes + ((chunk[at] << 8) | chunk[at + 1]);
  }

  /** Bytes of the value; `removedLength` where the key is removed. */
  valueLength(ref: PairRef): number {
    return readUint32BE(this.#chunks[ref >>> offsetBits]!, (ref & offsetMask) + 2);
  }

  /** A view of the key. */
  keyOf(ref: PairRef): Uint8Array {
    return this.chunkOf(ref).subarray(this.keyStart(ref), this.keyEnd(ref));
  }

  /** A view of the value; undefined where the key is removed. */
  valueOf(ref: PairRef): Uint8Array | undefined {
    const length = this.valueLength(ref);
    if (length === removedLength) return undefined;
    const start = this.keyEnd(ref);
    return this.chunkOf(ref).subarray(start, start + length);
  }

  /** Bytes of the pair. */
  sizeOf(ref: PairRef): number {
    const length = this.valueLength(ref);
    const valueBytes = length === removedLength ? 0 : length;
    return this.keyEnd(ref) - (ref & offsetMask) + valueBytes;
  }

  /** An independent arena with the same pairs, which keep their numbers. */
  clone(): PairArena {
    // Both go on in new chunks, so that the chunks that they share never change.
    this.#seal();
    const copy = new PairArena();
    copy.#chunks = [...this.#chunks];
    copy.#used = [...this.#used];
    copy.#freeIds = [...this.#freeIds];
    copy.#capacity = this.#capacity;
    return copy;
  }

  /** Reserves a pair and writes its lengths. */
  #add(keyLength: number, valueLength: number): PairRef {
    const size = pairHeaderBytes + keyLength + valueLength;
    let chunk = this.#chunks[this.#current];
    if (chunk === undefined || chunk.length - this.#position < size + pieceTrailerBytes)
      chunk = this.#addChunk(size);
    const at = this.#position;
    chunk[at] = keyLength >>> 8;
    chunk[at + 1] = keyLength;
    writeUint32BE(chunk, at + 2, valueLength);
    this.#position = at + size;
    this.#used[this.#current]++;
    return (this.#current << offsetBits) | at;
  }

  #seal(): void {
    const id = this.#current;
    this.#current = -1;
    if (id >= 0 && this.#used[id] === 0) this.#removeChunk(id);
  }

  #addChunk(pairBytes: number): Uint8Array {
    this.#endPiece();
    this.#seal();
    const fitting = pairBytes + pieceHeaderBytes + pieceTrailerBytes;
    const size = Math.max(
      fitting,
      this.#capacity < arenaChunkBytes ? firstChunkBytes : arenaChunkBytes,
    );
    // Not recycled: readers may still refer to the bytes of a chunk that was removed.
    const chunk = new Uint8Array(size);
    const id = this.#freeIds.pop() ?? this.#chunks.length;
    this.#chunks[id] = chunk;
    this.#used[id] = 0;
    this.#capacity += size;
    this.#current = id;
    this.#position = 0;
    this.#beginPiece();
    return chunk;
  }

  #removeChunk(id: number): void {
    this.#capacity -= this.#chunks[id]!.length;
    this.#chunks[id] = undefined;
    this.#freeIds.push(id);
  }

  #beginPiece(): void {
    // Aligned, so that checksums are computed by words.
    this.#position = ((this.#position + 7) & ~7) + pieceHeaderBytes;
    this.#pieceStart = this.#position;
  }

  #endPiece(): void {
    const chunk = this.#chunks[this.#current];
    if (chunk === undefined || this.#position <= this.#pieceStart) return;
    this.#pieces.push({ chunk, start: this.#pieceStart, end: this.#position });
    this.#position += pieceTrailerBytes - 8;
  }
}
