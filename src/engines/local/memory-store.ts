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

/** Each entry holds the key bytes, the value and the key's length in two bytes, so that a walk never touches the key's string. */
type Tree = sorted.default<string, Uint8Array>;

/** An ordered store that lives as long as the process. */
export class MemoryStore implements OrderedStore {
  /** Counts commits, so that a walk left open notices that the tree changed under it. */
  version = 0;

  constructor(readonly tree: Tree) {}

  get(key: Uint8Array): Uint8Array | undefined {
    const entry = this.tree.get(latin1(key));
    return entry === undefined ? undefined : Uint8Array.prototype.slice.call(entry, key.length, entry.length - trailer);
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
          // From Buffer's pool: small entries share slabs, which costs a scan far fewer cache misses than a buffer each.
          const entry = Buffer.allocUnsafe(key.length + value.length + trailer);
          entry.set(key);
          entry.set(value, key.length);
          entry[entry.length - 2] = key.length >>> 8;
          entry[entry.length - 1] = key.length;
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
const trailer = 2;

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
  /** The first entry past the walk: an identity is cheaper to see than the order of two strings. */
  private stop: Uint8Array | undefined = undefined;
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
    const entry = this.pair[1];
    if (step.done === true || entry === this.stop) {
      this.close();
      return false;
    }
    this.started = true;
    this.keyBytes = this.valueBytes = entry;
    this.valueEnd = entry.length - trailer;
    this.keyEnd = this.valueStart = (entry[this.valueEnd] << 8) | entry[this.valueEnd + 1];
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
    this.stop = (this.reversed ? tree.nextLowerPair(this.start) : tree.getPairOrNextHigher(this.end))?.[1];
    if (this.reversed) this.entries = tree.entriesReversed(this.started ? this.pair[0] : this.end, this.pair, true);
    else this.entries = tree.entries(this.started ? `${this.pair[0]}\0` : this.start, this.pair);
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
