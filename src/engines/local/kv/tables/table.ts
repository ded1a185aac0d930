/** A sorted file: finds the block of a key, and reads blocks. Its index is read at first use. */
import {
  compareBytes,
  compareSlices,
  RowsmithError,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import { readNumber64, readUint32BE } from '../bytes.js';
import {
  aligned,
  isIntactAt,
  lengthBytes,
  lowerBound,
  pairAt,
  pairCount,
  removedBit,
  sumBytes,
} from './block.js';
import type { BlockCache } from './block-cache.js';
import { mayHave } from '../key-filter.js';
import { emptyWindow, type TableSource, type Window } from './table-source.js';
import { blockLengthBytes, footerBytes, type TableSummary } from './table-writer.js';

/** Which file a table is, and what it holds. */
export interface TableInfo extends TableSummary {
  readonly owner: number;
  readonly number: number;
  readonly salt: Uint8Array;
}

/** Where each block is, and the keys that separate them. */
interface BlockIndex {
  readonly count: number;
  /** The index as it is stored, and where the key of each block is in it. */
  readonly bytes: Uint8Array;
  readonly keyAt: Uint32Array;
  /** Position of each block in the file, and its bytes. */
  readonly position: Float64Array;
  readonly length: Uint32Array;
  readonly filter: Uint8Array;
  readonly filterEnd: number;
}

/** Bytes that are read at once to verify a table, and blocks of about a millisecond. */
const verifiedAhead = 256 * 1024;
const blocksPerYield = 64;

let tables = 0;

export class Table {
  /** Identifies it in this process. */
  readonly id = ++tables;
  /** While it is positive, the table is not removed from the disk. */
  pins = 0;
  #index: BlockIndex | undefined = undefined;
  readonly #window = emptyWindow();

  /** Set by `find`: the pair `[keyStart, keyEnd)`, `[keyEnd, valueEnd)` of `bytes`. */
  bytes: Uint8Array = this.#window.bytes;
  keyStart = 0;
  keyEnd = 0;
  valueEnd = 0;
  isRemoved = false;

  readonly #source: TableSource;
  readonly #cache: BlockCache | undefined;
  readonly #headerBytes: number;

  /** `name` is the file in errors. */
  constructor(
    readonly info: TableInfo,
    readonly name: string,
    source: TableSource,
    headerBytes: number,
    cache?: BlockCache,
  ) {
    this.#source = source;
    this.#cache = cache;
    this.#headerBytes = headerBytes;
  }

  /** False if the table has no key with this hash. */
  mayHave(hash: number): boolean {
    const { filter, filterEnd } = this.index();
    return mayHave(filter, 0, filterEnd, hash);
  }

  /** True when the table has the key in `[start, end)` of a buffer, maybe as a removed one. */
  find(key: Uint8Array, start: number, end: number): boolean {
    const block = this.blockOf(key, start, end);
    const window = this.#window;
    this.read(window, block, 0, false);
    const at = this.blockStart(block) - window.base;
    const { bytes } = window;
    const pair = lowerBound(bytes, at, key, start, end);
    if (pair === pairCount(bytes, at)) return false;
    const from = pairAt(bytes, at, pair);
    const length = (bytes[from] << 8) | bytes[from + 1];
    this.keyStart = from + lengthBytes;
    this.keyEnd = this.keyStart + (length & ~removedBit);
    if (compareSlices(bytes, this.keyStart, this.keyEnd, key, start, end) !== 0) return false;
    this.bytes = bytes;
    this.isRemoved = length >= removedBit;
    this.valueEnd = this.pairEnd(bytes, at, pair, block);
    return true;
  }

  get blocks(): number {
    return this.index().count;
  }

  /** The last block with a key that is not greater; 0 if there is none. */
  blockOf(key: Uint8Array, start: number, end: number): number {
    const index = this.index();
    let low = 0;
    let high = index.count;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (compareToBlock(index, middle, key, start, end) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Compares the key of a block, at most the key of its first pair, with another key. */
  compareBlock(block: number, key: Uint8Array): number {
    return compareToBlock(this.index(), block, key, 0, key.length);
  }

  /** Position of a block in the file. */
  blockStart(block: number): number {
    return this.index().position[block];
  }

  /** End of a pair in a buffer that holds its block from `start` on. */
  pairEnd(bytes: Uint8Array, start: number, pair: number, block: number): number {
    if (pair + 1 < pairCount(bytes, start)) return pairAt(bytes, start, pair + 1);
    return start + this.index().length[block] - sumBytes;
  }

  /**
   * Makes the window hold a verified block and, if `ahead` is positive, up to so many bytes of the
   * blocks that follow it, or if `reversed` of the blocks before it.
   */
  read(window: Window, block: number, ahead: number, reversed: boolean): void {
    const index = this.index();
    const start = index.position[block];
    const end = start + index.length[block];
    if (!this.#source.isFile) {
      if (start < window.start || end > window.end) this.#source.read(window, start, end);
      return;
    }
    if (start >= window.start && end <= window.end) {
      if (!window.isVerified) this.#verify(window.bytes, start - window.base, block);
      return;
    }
    if (ahead === 0) this.#readCached(window, block);
    else this.#readAhead(window, block, ahead, reversed);
  }

  /**
   * Verifies all blocks, that their keys are in order, and that the table has what the manifest
   * says. Yields about every millisecond.
   */
  *verify(): Generator<void> {
    const window = emptyWindow();
    const { info } = this;
    let pairs = 0;
    let removals = 0;
    let last: Uint8Array | undefined = undefined;
    for (let block = 0; block < this.blocks; block++) {
      this.read(window, block, verifiedAhead, false);
      const { bytes } = window;
      const at = this.blockStart(block) - window.base;
      const count = pairCount(bytes, at);
      for (let pair = 0; pair < count; pair++) {
        const from = pairAt(bytes, at, pair);
        const length = (bytes[from] << 8) | bytes[from + 1];
        const start = from + lengthBytes;
        const key = bytes.subarray(start, start + (length & ~removedBit));
        if (last !== undefined && compareBytes(last, key) >= 0) throw this.damaged(faults.order);
        if (pairs++ === 0 && compareBytes(key, info.first) !== 0) throw this.damaged(faults.bounds);
        if (length >= removedBit) removals++;
        last = key.slice();
      }
      if (block % blocksPerYield === 0) yield;
    }
    if (pairs !== info.pairs || removals !== info.removals) throw this.damaged(faults.counts);
    if (last !== undefined && compareBytes(last, info.last) !== 0)
      throw this.damaged(faults.bounds);
  }

  /** Estimated bytes of the pairs with keys in `[start, end)`. */
  bytesBetween(start: Uint8Array, end: Uint8Array): number {
    const { position, length } = this.index();
    const from = this.blockOf(start, 0, start.length);
    const to = this.blockOf(end, 0, end.length);
    return position[to] + length[to] - position[from];
  }

  /** Copies `[start, end)` of the file to the beginning of a buffer. */
  copyTo(target: Uint8Array, start: number, end: number): void {
    this.#source.readInto(target, 0, start, end);
  }

  /** Throws CORRUPT_DATA unless its file is there, and is the one that was written. */
  check(): void {
    this.#source.check();
  }

  close(): void {
    this.#source.close();
  }

  /** CORRUPT_DATA in this file. */
  damaged(fault: ProblemText): RowsmithError {
    return new RowsmithError('CORRUPT_DATA', {
      file: this.name,
      ...faults.damaged(fault.problem),
    });
  }

  #readCached(window: Window, block: number): void {
    const cache = this.#cache!;
    let cached = cache.get(this.id, block);
    const { position, length } = this.index();
    if (cached === undefined) {
      const size = length[block];
      cached = cache.allocate(size);
      const start = position[block];
      this.#source.readInto(cached.bytes, cached.start, start, start + size);
      this.#verify(cached.bytes, cached.start, block);
      cache.add(this.id, block, cached);
    }
    window.bytes = cached.bytes;
    window.start = position[block];
    window.base = window.start - cached.start;
    window.end = position[block] + length[block];
    window.isVerified = true;
  }

  #readAhead(window: Window, block: number, ahead: number, reversed: boolean): void {
    const { position, length, count } = this.index();
    let first = block;
    let last = block;
    if (reversed) while (first > 0 && position[block] - position[first - 1] < ahead) first--;
    else while (last + 1 < count && position[last + 1] - position[block] < ahead) last++;
    this.#source.read(window, position[first], position[last] + length[last]);
    window.isVerified = false;
    this.#verify(window.bytes, position[block] - window.base, block);
  }

  #verify(bytes: Uint8Array, at: number, block: number): void {
    const { position, length } = this.index();
    if (!isIntactAt(this.info.salt, bytes, at, at + length[block], position[block]))
      throw this.damaged(faults.damagedBlock(position[block]));
  }

  /** Reads the index and the filter, once. */
  index(): BlockIndex {
    return (this.#index ??= this.#readIndex());
  }

  #readIndex(): BlockIndex {
    const { bytes: fileBytes, salt } = this.info;
    const footerAt = fileBytes - footerBytes;
    const footer = this.#readPart(footerAt, fileBytes, salt);
    const indexAt = readNumber64(footer, 0);
    const filterAt = readNumber64(footer, 8);
    const bytes = this.#readPart(indexAt, filterAt, salt);
    const filter = this.#readPart(filterAt, footerAt, salt);
    const keyAt: number[] = [];
    const lengths: number[] = [];
    const positions: number[] = [];
    let position = this.#headerBytes;
    for (let at = 0; at + lengthBytes < bytes.length - sumBytes;) {
      const keyLength = (bytes[at] << 8) | bytes[at + 1];
      // Zeros up to a multiple of 4.
      if (keyLength === 0) break;
      keyAt.push(at);
      positions.push(position);
      at += lengthBytes + keyLength;
      const length = readUint32BE(bytes, at);
      lengths.push(length);
      at += blockLengthBytes;
      position = aligned(position + length);
    }
    return {
      count: keyAt.length,
      bytes,
      keyAt: Uint32Array.from(keyAt),
      position: Float64Array.from(positions),
      length: Uint32Array.from(lengths),
      filter,
      filterEnd: filter.length - sumBytes,
    };
  }

  #readPart(start: number, end: number, salt: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(end - start);
    this.#source.readInto(bytes, 0, start, end);
    if (!isIntactAt(salt, bytes, 0, bytes.length, start))
      throw this.damaged(faults.damagedIndex(start));
    return bytes;
  }
}

/** Compares the key of a block with `[start, end)` of a buffer. */
function compareToBlock(
  { bytes, keyAt }: BlockIndex,
  block: number,
  key: Uint8Array,
  start: number,
  end: number,
): number {
  const at = keyAt[block];
  const length = (bytes[at] << 8) | bytes[at + 1];
  return compareSlices(bytes, at + lengthBytes, at + lengthBytes + length, key, start, end);
}

const faults = {
  damagedBlock: (position: number) => ({ problem: `the block at ${position} is damaged` }),
  order: { problem: 'its keys are not in order' },
  bounds: { problem: 'it begins or ends with another key than the manifest says' },
  counts: { problem: 'it has more or fewer pairs than the manifest says' },
  damagedIndex: (position: number) => ({ problem: `its index at ${position} is damaged` }),
  damaged: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
