/**
 * The ordered store in memory: a B+ tree over latin1 images of the keys, whose string order is the
 * byte order.
 */
import { noBytes } from '../../../bytes/index.js';
import type * as sorted from 'sorted-btree';
import type { OrderedStore, PairCursor, PairOwner, PairWriter } from './ordered-store.js';

/** Loads the B+ tree package, in either module system, and makes an empty store on it. */
export async function openMemoryStore(): Promise<MemoryStore> {
  const loaded: unknown = await import('sorted-btree');
  // Imported from ESM, a CommonJS package with a default export shows it one level deeper.
  let found = loaded as { default?: unknown };
  while (typeof found !== 'function') found = found.default as { default?: unknown };
  return new MemoryStore(new (found as unknown as new () => Tree)());
}

/** A pair as it was given; nothing changes it, so walks and clones may share it. */
interface Pair {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
type Tree = sorted.default<string, Pair>;

/** An ordered store that lives as long as the process. It keeps the very bytes it is given. */
export class MemoryStore implements OrderedStore {
  /** Counts commits, so that a walk left open notices that the tree changed under it. */
  version = 0;

  constructor(readonly tree: Tree) {}

  get(key: Uint8Array): Uint8Array | undefined {
    const pair = this.tree.get(imageOf(key));
    return pair === undefined ? undefined : Uint8Array.from(pair.value);
  }

  lookup(key: Uint8Array): PairCursor {
    const image = imageOf(key);
    return new MemoryPairs(this, image, `${image}\0`, false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new MemoryPairs(this, imageOf(start), imageOf(end), reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    const undo: [string, Pair | undefined][] = [];
    const { tree } = this;
    const note = (image: string): void => void undo.push([image, tree.get(image)]);
    this.version++;
    try {
      work({
        put: (key, value) => {
          const image = imageOf(key);
          note(image);
          tree.set(image, { key, value });
          this.version++;
        },
        remove: (key) => {
          const image = imageOf(key);
          note(image);
          tree.delete(image);
          this.version++;
        },
      });
    } catch (error) {
      for (const [image, pair] of undo.reverse()) {
        if (pair === undefined) tree.delete(image);
        else tree.set(image, pair);
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
   * A store of its own with the same pairs. The trees share their nodes until one of them changes,
   * so this costs the same for any size.
   */
  clone(): MemoryStore {
    return new MemoryStore(this.tree.clone());
  }
}

class MemoryPairs implements PairCursor {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  owner: PairOwner | undefined = undefined;
  /** Undefined once it has come to the end. */
  #entries: Iterator<[string, Pair]> | undefined;
  readonly #pair: [string, Pair] = ['', { key: noBytes, value: noBytes }];
  /** The image of the current pair's key. */
  #last: string | undefined = undefined;
  #version = -1;
  #done: boolean;

  readonly #store: MemoryStore;
  readonly #start: string;
  readonly #end: string;
  readonly #reversed: boolean;

  constructor(store: MemoryStore, start: string, end: string, reversed: boolean) {
    this.#store = store;
    this.#start = start;
    this.#end = end;
    this.#reversed = reversed;
    this.#done = start >= end;
  }

  next(): boolean {
    if (this.#done) return false;
    if (this.#version !== this.#store.version) this.#seek();
    if (
      this.#entries!.next().done === true ||
      (this.#reversed ? this.#pair[0] < this.#start : this.#pair[0] >= this.#end)
    ) {
      this.close();
      return false;
    }
    const [image, { key, value }] = this.#pair;
    this.#last = image;
    this.keyBytes = key;
    this.keyEnd = key.length;
    this.valueBytes = value;
    this.valueEnd = value.length;
    return true;
  }

  close(): void {
    this.#done = true;
    this.#entries = undefined;
  }

  /** Starts the walk, or takes it up behind the current pair after a commit changed the tree. */
  #seek(): void {
    const { tree, version } = this.#store;
    const last = this.#last;
    this.#version = version;
    if (this.#reversed) this.#entries = tree.entriesReversed(last ?? this.#end, this.#pair, true);
    else this.#entries = tree.entries(last === undefined ? this.#start : `${last}\0`, this.#pair);
  }
}

function imageOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
