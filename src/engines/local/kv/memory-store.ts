/**
 * The ordered store in memory: a B+ tree with latin1 strings as keys, because their string order
 * is the byte order.
 */
import { noBytes } from '../../../base/index.js';
import type * as sorted from 'sorted-btree';
import type { OrderedStore, PairCursor, PairWriter } from './ordered-store.js';
import { CurrentPair } from './range-cursor.js';

/** Loads the B+ tree package, in either module system, and creates an empty store. */
export async function openMemoryStore(): Promise<MemoryStore> {
  const loaded: unknown = await import('sorted-btree');
  // Imported from ESM, a CommonJS package has its default export one level deeper.
  let exported = loaded as { default?: unknown };
  while (typeof exported !== 'function') exported = exported.default as { default?: unknown };
  return new MemoryStore(new (exported as unknown as new () => Tree)());
}

/** Never modified, so cursors and clones may share it. */
interface Pair {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
type Tree = sorted.default<string, Pair>;

/** An ordered store in memory. It keeps the byte strings it is given, not copies. */
export class MemoryStore implements OrderedStore {
  /** Changes with every write, so that open cursors notice that the tree changed. */
  version = 0;

  constructor(readonly tree: Tree) {}

  get(key: Uint8Array): Uint8Array | undefined {
    const pair = this.tree.get(treeKeyOf(key));
    if (pair === undefined) return undefined;
    return Uint8Array.from(pair.value);
  }

  lookup(key: Uint8Array): PairCursor {
    const start = treeKeyOf(key);
    return new MemoryCursor(this, start, `${start}\0`, false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new MemoryCursor(this, treeKeyOf(start), treeKeyOf(end), reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    const undoLog: [string, Pair | undefined][] = [];
    const { tree } = this;
    const logUndo = (treeKey: string): void => void undoLog.push([treeKey, tree.get(treeKey)]);
    this.version++;
    try {
      work({
        put: (key, value) => {
          const treeKey = treeKeyOf(key);
          logUndo(treeKey);
          tree.set(treeKey, { key, value });
          this.version++;
        },
        remove: (key) => {
          const treeKey = treeKeyOf(key);
          logUndo(treeKey);
          tree.delete(treeKey);
          this.version++;
        },
      });
    } catch (error) {
      for (const [treeKey, pair] of undoLog.reverse()) {
        if (pair === undefined) tree.delete(treeKey);
        else tree.set(treeKey, pair);
      }
      throw error;
    } finally {
      this.version++;
    }
  }

  async close(): Promise<void> {
    this.tree.clear();
    this.version++;
  }

  /**
   * An independent store with the same pairs, in constant time: the trees share nodes until one of
   * them changes.
   */
  clone(): MemoryStore {
    return new MemoryStore(this.tree.clone());
  }
}

class MemoryCursor extends CurrentPair implements PairCursor {
  /** Created for the second pair, because many cursors read only one. */
  #iterator: Iterator<[string, Pair]> | undefined;
  readonly #pair: [string, Pair] = ['', { key: noBytes, value: noBytes }];
  /** Tree key of the current pair. */
  #lastKey: string | undefined = undefined;
  #version = -1;
  #done: boolean;

  readonly #store: MemoryStore;
  readonly #start: string;
  readonly #end: string;
  readonly #reversed: boolean;

  constructor(store: MemoryStore, start: string, end: string, reversed: boolean) {
    super();
    this.#store = store;
    this.#start = start;
    this.#end = end;
    this.#reversed = reversed;
    this.#done = start >= end;
  }

  next(): boolean {
    if (this.#done) return false;
    if (!this.#advance() || this.#isPastEnd(this.#pair[0])) {
      this.release();
      return false;
    }
    const [treeKey, { key, value }] = this.#pair;
    this.#lastKey = treeKey;
    this.keyBytes = key;
    this.keyEnd = key.length;
    this.valueBytes = value;
    this.valueEnd = value.length;
    return true;
  }

  release(): void {
    this.#done = true;
    this.#iterator = undefined;
  }

  #isPastEnd(treeKey: string): boolean {
    if (this.#reversed) return treeKey < this.#start;
    return treeKey >= this.#end;
  }

  /** Reads the next pair of the tree; false if there is none. */
  #advance(): boolean {
    const { tree, version } = this.#store;
    const pair = this.#pair;
    const last = this.#lastKey;
    if (this.#version === version) {
      if (this.#reversed) this.#iterator ??= tree.entriesReversed(last, pair, true);
      else this.#iterator ??= tree.entries(`${last!}\0`, pair);
      return this.#iterator.next().done !== true;
    }
    // The first pair or, after a commit changed the tree, the one after the current pair.
    this.#version = version;
    this.#iterator = undefined;
    if (this.#reversed) return tree.nextLowerPair(last ?? this.#end, pair) !== undefined;
    if (last === undefined) return tree.getPairOrNextHigher(this.#start, pair) !== undefined;
    return tree.nextHigherPair(last, pair) !== undefined;
  }
}

/** Most keys are copied here, because a Buffer for each costs more than the copy. */
const scratch = Buffer.alloc(128);

/** The bytes as a latin1 string. */
function treeKeyOf(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length <= scratch.length) {
    for (let i = 0; i < length; i++) scratch[i] = bytes[i];
    return scratch.toString('latin1', 0, length);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
