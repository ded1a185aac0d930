/**
 * An ordered store that packs its rows into blocks, each of them a pair of another store. The key
 * of a block is not greater than its first key. Overflow values and metadata records are not
 * packed.
 */
import { copyBytes, nextKey, nextPrefix } from '../../../../base/index.js';
import { maxBlockBytes, findValue } from './block.js';
import { type RowChanges, writeRows } from './block-writer.js';
import { BlockCursor } from './block-pairs.js';
import type { BlockSlot, Blocks } from './blocks.js';
import type { OrderedStore, PairCursor, PairReader, PairWriter } from '../ordered-store.js';
import { isRowKey, prefixBytes, tableOfKey } from '../store-key.js';

/** Packs rows into blocks. */
export class BlockStore implements PairReader, Blocks {
  version = 0;

  /** `blocks` holds the blocks; a block of more than `maxBytes` bytes is split. */
  constructor(
    readonly blocks: OrderedStore,
    readonly maxBytes: number = maxBlockBytes,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    if (!isRowKey(key)) return this.blocks.get(key);
    const cursor = this.seekFloor(key);
    if (cursor === undefined) return undefined;
    const { valueBytes: bytes, valueStart: base, valueEnd: end } = cursor;
    const found = findValue(bytes, base, end, key);
    let value: Uint8Array | undefined;
    if (found !== undefined) value = copyBytes(bytes, found.start, found.end);
    cursor.release();
    return value;
  }

  lookup(key: Uint8Array): PairCursor {
    if (!isRowKey(key)) return this.blocks.lookup(key);
    return new BlockCursor(this, key, nextKey(key), false, true);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    if (!isRowKey(start)) return this.blocks.scan(start, end, reversed);
    return new BlockCursor(this, start, end, reversed, false);
  }

  /**
   * Writes changed rows in one commit, and what `work` writes, which must not be rows.
   */
  commitRows(changes: RowChanges, work: (writer: PairWriter) => void): void {
    try {
      this.blocks.commit((writer) => {
        writeRows(this, changes, writer);
        work(writer);
      });
    } finally {
      this.version++;
    }
  }

  close(): Promise<void> {
    return this.blocks.close();
  }

  /**
   * A cursor at the block that may hold the key, the last with a key that is not greater; undefined
   * when there is none. The caller releases it.
   */
  seekFloor(key: Uint8Array): PairCursor | undefined {
    const cursor = this.blocks.scan(tableOfKey(key), nextKey(key), true);
    if (cursor.next()) return cursor;
    cursor.release();
    return undefined;
  }

  readSlot(key: Uint8Array): BlockSlot {
    const floor = this.seekFloor(key);
    if (floor === undefined) {
      // A copy: the key may be a view of a large buffer.
      const low = new Uint8Array(tableOfKey(key));
      return { low, high: this.#nextBlockKey(key), block: undefined };
    }
    const low = copyBytes(floor.keyBytes, floor.keyStart, floor.keyEnd);
    const block = copyBytes(floor.valueBytes, floor.valueStart, floor.valueEnd);
    floor.release();
    return { low, high: this.#nextBlockKey(low), block };
  }

  readBlock(key: Uint8Array): BlockSlot | undefined {
    if (key.length === prefixBytes) return undefined;
    const block = this.blocks.get(key);
    return block && { low: key, high: this.#nextBlockKey(key), block };
  }

  /** Key of the first block after `key`, or the end of its table. */
  #nextBlockKey(key: Uint8Array): Uint8Array {
    // Never undefined, because table IDs are less than 2^31.
    const tableEnd = nextPrefix(tableOfKey(key))!;
    const cursor = this.blocks.scan(nextKey(key), tableEnd, false);
    let next = tableEnd;
    if (cursor.next()) next = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    cursor.release();
    return next;
  }
}
