/** The ordered store in memory: a B+ tree over latin1 images of the keys, whose string order is the byte order. */
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

/** Each entry holds the key bytes and then the value, so that a walk needs no second object for the key. */
type Tree = sorted.default<string, Uint8Array>;

/** An ordered store that lives as long as the process. */
export class MemoryStore implements OrderedStore {
  /** Counts commits, so that a walk left open notices that the tree changed under it. */
  version = 0;

  constructor(readonly tree: Tree) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.tree.get(latin1(key))?.slice(key.length);
  }

  lookup(key: Uint8Array): PairCursor {
    const text = latin1(key);
    const entry = this.tree.get(text);
    return new MemoryPairs(this, entry === undefined ? '' : text, entry === undefined ? '' : `${text}\0`, false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new MemoryPairs(this, latin1(start), latin1(end), reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    const undo: [string, Uint8Array | undefined][] = [];
    const { tree } = this;
    this.version++;
    try {
      work({
        put: (key, value) => {
          const text = latin1(key);
          const entry = new Uint8Array(key.length + value.length);
          entry.set(key);
          entry.set(value, key.length);
          undo.push([text, tree.get(text)]);
          tree.set(text, entry);
        },
        remove: (key) => {
          const text = latin1(key);
          undo.push([text, tree.get(text)]);
          tree.delete(text);
        },
      });
    } catch (error) {
      for (const [text, entry] of undo.reverse()) {
        if (entry === undefined) tree.delete(text);
        else tree.set(text, entry);
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
}

const nothing = new Uint8Array(0);

class MemoryPairs implements PairCursor {
  keyBytes: Uint8Array = nothing;
  keyStart = 0;
  keyEnd = 0;
  valueBytes: Uint8Array = nothing;
  valueStart = 0;
  valueEnd = 0;
  owner: PairOwner | undefined = undefined;
  private entries: Iterator<[string, Uint8Array]> | undefined;
  private readonly pair: [string, Uint8Array] = ['', nothing];
  private version = -1;
  private started = false;
  private done: boolean;

  constructor(private readonly store: MemoryStore, private readonly start: string, private readonly end: string, private readonly reversed: boolean) {
    this.done = start >= end;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.version !== this.store.version) this.seek();
    const step = this.entries!.next();
    const key = this.pair[0];
    if (step.done === true || (this.reversed ? key < this.start : key >= this.end)) {
      this.close();
      return false;
    }
    this.started = true;
    const entry = this.pair[1];
    this.keyBytes = this.valueBytes = entry;
    this.keyEnd = this.valueStart = key.length;
    this.valueEnd = entry.length;
    return true;
  }

  close(): void {
    this.done = true;
    this.entries = undefined;
  }

  /** Starts the walk, or takes it up behind the current pair after a commit changed the tree. */
  private seek(): void {
    const { tree } = this.store;
    this.version = this.store.version;
    if (this.reversed) this.entries = tree.entriesReversed(this.started ? this.pair[0] : this.end, this.pair, true);
    else this.entries = tree.entries(this.started ? `${this.pair[0]}\0` : this.start, this.pair);
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
