/** The blocks of tables in files that were read last. */
/** Blocks are read into buffers that they share, because allocating one for each is slow. */
const slabBytes = 256 * 1024;
/** Larger blocks are not kept. */
const maxCachedBytes = 64 * 1024;
/** Blocks of a table are fewer. */
const maxBlocks = 2 ** 24;

export interface CachedBlock {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
  /** True if it was used since it was looked at for removal. */
  isUsed: boolean;
}

/**
 * Keeps blocks of tables, which have numbers, up to a number of bytes. Blocks that were used again
 * are kept longer.
 */
export class BlockCache {
  readonly #blocks = new Map<number, CachedBlock>();
  #bytes = 0;
  #slab: Uint8Array = new Uint8Array(0);
  #slabAt = 0;

  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(table: number, index: number): CachedBlock | undefined {
    const block = this.#blocks.get(table * maxBlocks + index);
    if (block !== undefined) block.isUsed = true;
    return block;
  }

  /** A place for a block that is going to be read. */
  allocate(length: number): CachedBlock {
    if (length > maxCachedBytes)
      return { bytes: new Uint8Array(length), start: 0, length, isUsed: false };
    if (this.#slabAt + length > this.#slab.length) {
      this.#slab = new Uint8Array(slabBytes);
      this.#slabAt = 0;
    }
    const start = this.#slabAt;
    this.#slabAt += (length + 7) & ~7;
    return { bytes: this.#slab, start, length, isUsed: false };
  }

  /** Keeps a block that was read and verified. */
  add(table: number, index: number, block: CachedBlock): void {
    if (block.length > maxCachedBytes) return;
    this.#blocks.set(table * maxBlocks + index, block);
    this.#bytes += block.length;
    if (this.#bytes > this.#maxBytes) this.#removeOld();
  }

  #removeOld(): void {
    for (const [key, block] of this.#blocks) {
      this.#blocks.delete(key);
      if (block.isUsed) {
        block.isUsed = false;
        this.#blocks.set(key, block);
        continue;
      }
      this.#bytes -= block.length;
      if (this.#bytes <= this.#maxBytes) return;
    }
  }
}
