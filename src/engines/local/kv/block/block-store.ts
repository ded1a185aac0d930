/**
 * An ordered store whose rows lie in blocks of another one: each block is a pair below, under a key
 * that is not greater than its first. Parts and the engine's own records pass through as they are.
 */
import { nextKey, copyBytes } from '../../../../bytes/index.js';
import { maxBlockBytes, valueIn } from './block.js';
import { BlockBatch } from './block-batch.js';
import { BlockPairs } from './block-pairs.js';
import type { OrderedStore, PairCursor, PairWriter } from '../ordered-store.js';
import { isRowKey, tableOfKey } from '../store-key.js';

/** An ordered store over blocks. */
export class BlockStore implements OrderedStore {
  /** Counts commits, so that a walk left open notices that blocks changed under it. */
  version = 0;
  #batch: BlockBatch | undefined = undefined;

  /** A block of more than `largest` bytes is cut. */
  constructor(
    readonly blocks: OrderedStore,
    readonly largest: number = maxBlockBytes,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    if (!isRowKey(key)) return this.blocks.get(key);
    if (this.#batch !== undefined) return this.#batch.get(key);
    const pairs = this.floor(key);
    if (pairs === undefined) return undefined;
    const { valueBytes: bytes, valueStart: base, valueEnd: end } = pairs;
    const found = valueIn(bytes, base, end, key);
    const value = found === undefined ? undefined : copyBytes(bytes, found.start, found.end);
    pairs.close();
    return value;
  }

  lookup(key: Uint8Array): PairCursor {
    if (!isRowKey(key)) return this.blocks.lookup(key);
    if (this.#batch !== undefined) return this.#batch.lookup(key);
    return new BlockPairs(this, key, nextKey(key), false, true);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    if (!isRowKey(start)) return this.blocks.scan(start, end, reversed);
    // What the commit wrote so far has to be seen, and a walk sees blocks only.
    this.#batch?.apply();
    return new BlockPairs(this, start, end, reversed, false);
  }

  commit(work: (writer: PairWriter) => void): void {
    try {
      this.blocks.commit((writer) => {
        this.#batch = new BlockBatch(this, writer);
        work(this.#batch);
        this.#batch.apply();
      });
    } finally {
      this.#batch = undefined;
      this.version++;
    }
  }

  close(): Promise<void> {
    return this.blocks.close();
  }

  /**
   * A walk below, standing on the block that may hold the key; undefined when there is none. Close
   * it.
   */
  floor(key: Uint8Array): PairCursor | undefined {
    const pairs = this.blocks.scan(tableOfKey(key), nextKey(key), true);
    if (pairs.next()) return pairs;
    pairs.close();
    return undefined;
  }
}
