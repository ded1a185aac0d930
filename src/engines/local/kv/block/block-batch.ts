/**
 * What one commit writes to blocks. Pairs are gathered and each block is written once, however many
 * of its pairs change; blocks that were read are kept, because the rows of a batch are read before
 * they are written.
 */
import {
  compareBytes,
  equalBytes,
  nextKey,
  nextPrefix,
  copyBytes,
  noBytes,
} from '../../../../bytes/index.js';
import { blockCount, keyEndOf, lowerBound, pairStart } from './block.js';
import { buildBlock, type Change, cutBlock, isKeyAt, mergeBlock } from './block-merge.js';
import type { BlockStore } from './block-store.js';
import type { PairCursor, PairOwner, PairWriter } from '../ordered-store.js';
import { isRowKey, tableOfKey } from '../store-key.js';

/** A stretch of keys and the block that holds them: `[low, high)`. */
interface Place {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
  /** Undefined where no block is yet. */
  readonly block: Uint8Array | undefined;
  /** The pair behind the one that was asked for last. */
  next: number;
}

/** Changes `[from, to)` of a block. */
interface Group {
  readonly place: Place;
  readonly from: number;
  readonly to: number;
}

/** The writer of one commit. */
export class BlockBatch implements PairWriter {
  /** In key order. What comes in key order, as the rows of a large request do, is put behind. */
  #changes: Change[] = [];
  /** Blocks that were read, by ascending low. */
  #places: Place[] = [];
  /** The last that was asked for. */
  #current: Place | undefined = undefined;

  readonly #store: BlockStore;
  readonly #below: PairWriter;

  constructor(store: BlockStore, below: PairWriter) {
    this.#store = store;
    this.#below = below;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (isRowKey(key)) this.#note({ kind: 'new', key, value });
    else this.#below.put(key, value);
  }

  remove(key: Uint8Array): void {
    if (isRowKey(key)) this.#note({ kind: 'removed', key, value: undefined });
    else this.#below.remove(key);
  }

  /** A copy of the value of a row key, as the commit has left it so far. */
  get(key: Uint8Array): Uint8Array | undefined {
    const pair = this.lookup(key);
    return pair.next() ? copied(pair.valueBytes, pair.valueStart, pair.valueEnd) : undefined;
  }

  /** The pair of a row key, as the commit has left it so far. */
  lookup(key: Uint8Array): PairCursor {
    const at = this.#changeAt(key);
    const change = this.#changes[at];
    if (change !== undefined && equalBytes(change.key, key))
      return new OnePair(key, change.value, 0, change.value?.length ?? 0);
    const place = this.#placeOf(key);
    const { block } = place;
    if (block === undefined) return new OnePair(key, undefined, 0, 0);
    const { length } = block;
    const count = blockCount(block, 0);
    let index = place.next;
    // Rows that come in key order are most often neighbours.
    if (index >= count || !isKeyAt(block, count, index, key)) {
      index = lowerBound(block, 0, length, key);
      if (index === count || !isKeyAt(block, count, index, key))
        return new OnePair(key, undefined, 0, 0);
    }
    place.next = index + 1;
    return new OnePair(
      key,
      block,
      keyEndOf(block, pairStart(block, 0, length, count, index)),
      pairStart(block, 0, length, count, index + 1),
    );
  }

  /** Writes what was gathered into blocks. */
  apply(): void {
    const changes = this.#changes;
    this.#changes = [];
    const written: Group[] = [];
    for (let from = 0; from < changes.length;) {
      const place = this.#placeOf(changes[from].key);
      let to = from + 1;
      while (to < changes.length && compareBytes(changes[to].key, place.high) < 0) to++;
      written.push({ place, from, to });
      from = to;
    }
    this.#places = [];
    this.#current = undefined;
    for (const { place, from, to } of written)
      this.#write(place, from === 0 && to === changes.length ? changes : changes.slice(from, to));
  }

  #note(change: Change): void {
    const at = this.#changeAt(change.key);
    const there = this.#changes[at];
    if (there === undefined) this.#changes.push(change);
    else this.#changes.splice(at, equalBytes(there.key, change.key) ? 1 : 0, change);
  }

  /** Index of the first change whose key is not less than the key. */
  #changeAt(key: Uint8Array): number {
    const changes = this.#changes;
    let high = changes.length;
    if (high === 0 || compareBytes(changes[high - 1].key, key) < 0) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(changes[middle].key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #write({ low, block }: Place, group: readonly Change[]): void {
    const merged = mergeBlock(block, group);
    if (merged.pairs === 0) {
      if (block !== undefined) this.#below.remove(low);
    } else if (merged.bytes <= this.#store.largest || merged.pairs === 1) {
      this.#below.put(low, buildBlock(merged));
    } else {
      for (const { key, entries } of cutBlock(merged, this.#store.largest))
        this.#below.put(key ?? low, buildBlock(entries));
    }
  }

  #placeOf(key: Uint8Array): Place {
    const current = this.#current;
    if (
      current !== undefined &&
      compareBytes(key, current.high) < 0 &&
      compareBytes(current.low, key) <= 0
    )
      return current;
    const at = this.#indexOf(key);
    const near = this.#places[at];
    if (near !== undefined && compareBytes(key, near.high) < 0) return (this.#current = near);
    const place = (this.#current = this.#load(key));
    this.#places.splice(at + 1, 0, place);
    return place;
  }

  /** Index of the last place whose low is not greater than the key; -1 without one. */
  #indexOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#places[middle].low, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #load(key: Uint8Array): Place {
    const table = tableOfKey(key);
    const found = this.#store.floor(key);
    let low = table;
    let block: Uint8Array | undefined;
    if (found !== undefined) {
      low = copyBytes(found.keyBytes, found.keyStart, found.keyEnd);
      block = copied(found.valueBytes, found.valueStart, found.valueEnd);
      found.close();
    }
    // Never undefined: a table's number is less than 2^31.
    const endOfTable = nextPrefix(table)!;
    const after = this.#store.blocks.scan(
      nextKey(found === undefined ? key : low),
      endOfTable,
      false,
    );
    const high = after.next()
      ? copyBytes(after.keyBytes, after.keyStart, after.keyEnd)
      : endOfTable;
    after.close();
    return { low, high, block, next: 0 };
  }
}

/** A pair at hand, or none. */
class OnePair implements PairCursor {
  readonly keyBytes: Uint8Array;
  readonly keyStart = 0;
  readonly keyEnd: number;
  valueBytes: Uint8Array;
  /** The bytes stay where they are: nobody is ever told otherwise. */
  owner: PairOwner | undefined = undefined;

  constructor(
    key: Uint8Array,
    value: Uint8Array | undefined,
    readonly valueStart: number,
    readonly valueEnd: number,
  ) {
    this.keyBytes = key;
    this.keyEnd = key.length;
    this.valueBytes = value ?? noBytes;
    this.#there = value !== undefined;
  }

  #there: boolean;

  next(): boolean {
    const there = this.#there;
    this.#there = false;
    return there;
  }

  close(): void {
    this.#there = false;
  }
}

/**
 * As copyBytes, by the machine: for whole blocks and records. The buffer behind, because lmdb's
 * patches its own `length`.
 */
function copied(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start).slice();
}
