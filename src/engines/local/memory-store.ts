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

  /** A store of its own with the same pairs. The trees share their nodes until one of them changes, so this costs the same for any size. */
  clone(): MemoryStore {
    return new MemoryStore(this.tree.clone());
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
/** Most entries a walk reads ahead, and bytes it fetches of each: together they are to fit into the nearest cache. */
const mostAhead = 64;
const mostTouched = 512;
const cacheLine = 64;

class MemoryPairs implements PairCursor {
  keyBytes: Uint8Array = nothing;
  keyStart = header;
  keyEnd = 0;
  valueBytes: Uint8Array = nothing;
  valueStart = 0;
  valueEnd = 0;
  owner: PairOwner | undefined = undefined;
  /** Undefined once it has come to the end. */
  private entries: Iterator<[string, Uint8Array]> | undefined;
  private readonly pair: [string, Uint8Array] = ['', nothing];
  /** Entries read ahead of the walk, and the next of them; their keys are in them. */
  private readonly ahead: Uint8Array[] = [];
  private aheadAt = 0;
  /** How many to read ahead next: few at first, for walks that end early. */
  private aheadNext = 1;
  /** The entry the walk stands on. */
  private current: Uint8Array | undefined = undefined;
  /** The first entry past the walk: an identity is cheaper to see than the order of two strings. */
  private stop: Uint8Array | undefined = undefined;
  private version = -1;
  private done: boolean;
  /** Keeps the looking at entries from being optimised away. */
  private touched = 0;

  constructor(private readonly store: MemoryStore, private readonly start: string, private readonly end: string, private readonly reversed: boolean) {
    this.done = start >= end;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.version !== this.store.version) this.seek();
    if (this.aheadAt === this.ahead.length && !this.readAhead()) {
      this.close();
      return false;
    }
    const entry = this.ahead[this.aheadAt++];
    this.current = entry;
    this.keyBytes = this.valueBytes = entry;
    this.keyEnd = this.valueStart = header + keyLength(entry);
    this.valueEnd = entry.length;
    return true;
  }

  close(): void {
    this.done = true;
    this.entries = undefined;
    this.ahead.length = 0;
  }

  /** Starts the walk, or takes it up behind the current pair after a commit changed the tree. */
  private seek(): void {
    const { tree } = this.store;
    const { current } = this;
    const last = current === undefined ? undefined : latin1(current.subarray(header, header + keyLength(current)));
    this.version = this.store.version;
    this.ahead.length = this.aheadAt = 0;
    this.stop = (this.reversed ? tree.nextLowerPair(this.start) : tree.getPairOrNextHigher(this.end))?.[1];
    if (this.reversed) this.entries = tree.entriesReversed(last ?? this.end, this.pair, true);
    else this.entries = tree.entries(last === undefined ? this.start : `${last}\0`, this.pair);
  }

  /**
   * Takes the next entries and looks at a byte of each of their cache lines. Rows lie in memory as they arrived, so a walk in key order waits for
   * memory at each of them; looked at together, they are fetched together.
   */
  private readAhead(): boolean {
    const { ahead, pair } = this;
    ahead.length = this.aheadAt = 0;
    while (ahead.length < this.aheadNext && this.entries !== undefined) {
      if (this.entries.next().done === true || pair[1] === this.stop) this.entries = undefined;
      else ahead.push(pair[1]);
    }
    for (const entry of ahead) for (let at = 0; at < entry.length && at < mostTouched; at += cacheLine) this.touched |= entry[at];
    this.aheadNext = Math.min(mostAhead, this.aheadNext * 4);
    return ahead.length > 0;
  }
}

function keyLength(entry: Uint8Array): number {
  return (entry[0] << 8) | entry[1];
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
