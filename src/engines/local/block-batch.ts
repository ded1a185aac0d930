/**
 * What one commit writes to blocks. Pairs are gathered and each block is written once, however many of its pairs change; blocks that were read are
 * kept, because the rows of a batch are read before they are written.
 */
import { compareBytes } from '../../bytes/bytes.js';
import { nextKey, nextPrefix } from '../../bytes/key-range.js';
import { copyBytes } from '../../store/row-cursor.js';
import { largestBlock, valueIn } from './block.js';
import { buildBlock, type Change, cutBlock, mergeBlock } from './block-merge.js';
import type { BlockStore } from './block-store.js';
import type { PairWriter } from './ordered-store.js';
import { isRowKey, tableOfKey } from './store-key.js';

/** A stretch of keys and the block that holds them: `[low, high)`. */
interface Place {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
  /** Undefined where no block is yet. */
  readonly block: Uint8Array | undefined;
}

/** The writer of one commit. */
export class BlockBatch implements PairWriter {
  /** By the latin1 image of the key, whose string order is the byte order. */
  private changes = new Map<string, Change>();
  /** Blocks that were read, by ascending low. */
  private places: Place[] = [];

  constructor(private readonly store: BlockStore, private readonly below: PairWriter) {}

  put(key: Uint8Array, value: Uint8Array): void {
    if (isRowKey(key)) this.changes.set(imageOf(key), { key, value });
    else this.below.put(key, value);
  }

  remove(key: Uint8Array): void {
    if (isRowKey(key)) this.changes.set(imageOf(key), { key, value: undefined });
    else this.below.remove(key);
  }

  /** A copy of the value of a row key, as the commit has left it so far. */
  get(key: Uint8Array): Uint8Array | undefined {
    const change = this.changes.get(imageOf(key));
    if (change !== undefined) return change.value === undefined ? undefined : copyBytes(change.value, 0, change.value.length);
    const { block } = this.placeOf(key);
    const found = block === undefined ? undefined : valueIn(block, 0, block.length, key);
    return found === undefined ? undefined : copyBytes(block!, found.start, found.end);
  }

  /** Writes what was gathered into blocks. */
  apply(): void {
    if (this.changes.size === 0) return;
    const images = [...this.changes.keys()].sort();
    const changes = images.map((image) => this.changes.get(image)!);
    this.changes = new Map();
    const written: [Place, Change[]][] = [];
    for (let from = 0; from < changes.length;) {
      const place = this.placeOf(changes[from].key);
      let to = from + 1;
      while (to < changes.length && compareBytes(changes[to].key, place.high) < 0) to++;
      written.push([place, changes.slice(from, to)]);
      from = to;
    }
    this.places = [];
    for (const [place, group] of written) this.write(place, group);
  }

  private write({ low, block }: Place, group: readonly Change[]): void {
    const merged = mergeBlock(block, group);
    if (merged.pairs === 0) {
      if (block !== undefined) this.below.remove(low);
    } else if (merged.bytes <= largestBlock || merged.pairs === 1) {
      this.below.put(low, buildBlock(merged));
    } else {
      for (const { key, entries } of cutBlock(merged)) this.below.put(key ?? low, buildBlock(entries));
    }
  }

  private placeOf(key: Uint8Array): Place {
    let at = this.indexOf(key);
    const near = this.places[at];
    if (near !== undefined && compareBytes(key, near.high) < 0) return near;
    const place = this.load(key);
    this.places.splice(++at, 0, place);
    return place;
  }

  /** Index of the last place whose low is not greater than the key; -1 without one. */
  private indexOf(key: Uint8Array): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.places[middle].low, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private load(key: Uint8Array): Place {
    const table = tableOfKey(key);
    const found = this.store.floor(key);
    let low = table;
    let block: Uint8Array | undefined;
    if (found !== undefined) {
      low = copyBytes(found.keyBytes, found.keyStart, found.keyEnd);
      block = copyBytes(found.valueBytes, found.valueStart, found.valueEnd);
      found.close();
    }
    // Never undefined: a table's number is less than 2^31.
    const endOfTable = nextPrefix(table)!;
    const after = this.store.blocks.scan(nextKey(found === undefined ? key : low), endOfTable, false);
    const high = after.next() ? copyBytes(after.keyBytes, after.keyStart, after.keyEnd) : endOfTable;
    after.close();
    return { low, high, block };
  }
}

function imageOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
