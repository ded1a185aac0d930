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

/** Each entry holds the key's length in two bytes, the key and the value, so that a walk never touches the key's string. */
type Tree = sorted.default<string, Uint8Array>;

/** An ordered store that lives as long as the process. */
export class MemoryStore implements OrderedStore {
  /** Counts commits, so that a walk left open notices that the tree changed under it. */
  version = 0;

  /** The key that was looked up last and its entry: a row is read just before it is written. No key is empty. */
  private sought = '';
  private found: Uint8Array | undefined = undefined;

  constructor(readonly tree: Tree) {}

  get(key: Uint8Array): Uint8Array | undefined {
    const entry = this.find(latin1(key));
    return entry === undefined ? undefined : Uint8Array.prototype.slice.call(entry, header + key.length);
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
          const entry = Buffer.allocUnsafe(header + key.length + value.length);
          entry[0] = key.length >>> 8;
          entry[1] = key.length;
          entry.set(key, header);
          entry.set(value, header + key.length);
          undo.push([text, this.find(text)]);
          tree.set(text, (this.found = entry));
        },
        remove: (key) => {
          const text = latin1(key);
          undo.push([text, this.find(text)]);
          tree.delete(text);
          this.found = undefined;
        },
      });
    } catch (error) {
      for (const [text, entry] of undo.reverse()) {
        if (entry === undefined) tree.delete(text);
        else tree.set(text, entry);
      }
      this.sought = '';
      throw error;
    } finally {
      this.version++;
    }
  }

  async close(): Promise<void> {
    this.tree.clear();
    this.sought = '';
    this.version++;
  }

  private find(text: string): Uint8Array | undefined {
    if (text !== this.sought) {
      this.found = this.tree.get(text);
      this.sought = text;
    }
    return this.found;
  }
}

const nothing = new Uint8Array(0);
/** Bytes of the key's length. */
const header = 2;

class MemoryPairs implements PairCursor {
  keyBytes: Uint8Array = nothing;
  keyStart = header;
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
    this.keyEnd = this.valueStart = header + ((entry[0] << 8) | entry[1]);
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
    this.stop = (this.reversed ? tree.nextLowerPair(this.start) : tree.getPairOrNextHigher(this.end))?.[1];
    if (this.reversed) this.entries = tree.entriesReversed(this.started ? this.pair[0] : this.end, this.pair, true);
    else this.entries = tree.entries(this.started ? `${this.pair[0]}\0` : this.start, this.pair);
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
