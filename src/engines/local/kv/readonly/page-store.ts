/** The ordered store over an lmdb file that is only read. */
import { copyBytes, nextKey, type FaultTexts } from '../../../../base/index.js';
import type { OrderedStore, PairCursor } from '../ordered-store.js';
import { RangeCursor } from '../range-cursor.js';
import type { LmdbReader } from './lmdb-reader.js';
import { readOnlyError } from './read-only-error.js';
import {
  childIndex,
  childPage,
  compareNode,
  keyEnd,
  keyStart,
  pageLowerBound,
  type TreePage,
  pageValue,
} from './tree-page.js';

/** The pairs of a file's newest state. */
export class PageStore implements OrderedStore {
  /** Changes with the state of the file. Cursors then seek again. */
  version = 0;
  readonly #reader: LmdbReader;

  constructor(reader: LmdbReader) {
    this.#reader = reader;
  }

  /** Moves to the newest state of the file; false when that is the current one. */
  renew(): boolean {
    if (!this.#reader.renew()) return false;
    this.version++;
    return true;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const cursor = this.lookup(key);
    if (!cursor.next()) return undefined;
    return copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
  }

  lookup(key: Uint8Array): PairCursor {
    return this.scan(key, nextKey(key), false);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new TreeCursor(this, this.#reader, start, end, reversed);
  }

  commit(): void {
    throw readOnlyError();
  }

  async close(): Promise<void> {
    this.#reader.close();
  }
}

/** Iterates over the pairs of a range. Their bytes are never overwritten. */
class TreeCursor extends RangeCursor {
  /** From the root to a leaf, and the index of the child or pair in each. */
  readonly #path: { readonly page: TreePage; index: number }[] = [];
  #version = -1;

  readonly #store: PageStore;
  readonly #reader: LmdbReader;

  constructor(
    store: PageStore,
    reader: LmdbReader,
    start: Uint8Array,
    end: Uint8Array,
    reversed: boolean,
  ) {
    super(start, end, reversed);
    this.#store = store;
    this.#reader = reader;
  }

  next(): boolean {
    if (this.done) return false;
    if (this.#version === this.#store.version) this.#step();
    else this.#seek();
    if (!this.#settle()) {
      this.release();
      return false;
    }
    const { page, index } = this.#path[this.#path.length - 1];
    const { bytes, nodes } = page;
    const node = nodes[index];
    const isOutside = this.reversed
      ? compareNode(bytes, node, this.start) < 0
      : compareNode(bytes, node, this.end) >= 0;
    if (isOutside) {
      this.release();
      return false;
    }
    const value = pageValue(page, index);
    this.valueBytes = bytes;
    if (value.kind === 'inline') {
      this.valueStart = value.start;
      this.valueEnd = value.end;
    } else {
      this.valueBytes = this.#reader.overflowValue(value.page, value.bytes);
      this.valueStart = 0;
      this.valueEnd = value.bytes;
    }
    this.keyBytes = bytes;
    this.keyStart = keyStart(node);
    this.keyEnd = keyEnd(bytes, node);
    this.positioned = true;
    return true;
  }

  release(): void {
    this.done = true;
    this.#path.length = 0;
  }

  #step(): void {
    this.#path[this.#path.length - 1].index += this.reversed ? -1 : 1;
  }

  /** Moves to the first pair or, when the file has changed, to the one after the current pair. */
  #seek(): void {
    this.#version = this.#store.version;
    this.skipCurrent();
    this.#path.length = 0;
    const key = this.reversed ? this.end : this.start;
    let page = this.#reader.root;
    while (page !== undefined) {
      if (page.isLeaf) {
        this.#path.push({ page, index: pageLowerBound(page, key) - (this.reversed ? 1 : 0) });
        return;
      }
      const index = childIndex(page, key);
      this.#path.push({ page, index });
      page = this.#child(page, index);
    }
  }

  /** Moves on to the next leaf if the index is outside of the current one; false at the end. */
  #settle(): boolean {
    const path = this.#path;
    while (path.length > 0) {
      const { page, index } = path[path.length - 1];
      const isInside = index >= 0 && index < page.nodes.length;
      if (isInside && page.isLeaf) return true;
      if (!isInside) {
        path.pop();
        if (path.length > 0) this.#step();
        continue;
      }
      const child = this.#child(page, index);
      path.push({ page: child, index: this.reversed ? child.nodes.length - 1 : 0 });
    }
    return false;
  }

  /** The child of a branch page: its keys must be in its bounds. */
  #child(parent: TreePage, index: number): TreePage {
    const reader = this.#reader;
    const number = childPage(parent, index);
    const page = reader.page(number);
    if (page.isLeaf !== this.#path.length + 1 >= reader.depth)
      throw reader.corruptError(faults.wrongLevel(number));
    const { nodes } = page;
    // lmdb ignores the first key of a branch page.
    const first = page.isLeaf ? 0 : 1;
    const keys = parent.nodes;
    const isBelow =
      index > 0 && first < nodes.length && compareKeys(page, first, parent, index) < 0;
    const isAbove =
      index + 1 < keys.length && compareKeys(page, nodes.length - 1, parent, index + 1) >= 0;
    if (isBelow || (isAbove && nodes.length > first))
      throw reader.corruptError(faults.keysOutOfBounds(number));
    return page;
  }
}

function compareKeys(a: TreePage, i: number, b: TreePage, j: number): number {
  const [node, other] = [a.nodes[i], b.nodes[j]];
  return a.bytes.compare(
    b.bytes,
    keyStart(other),
    keyEnd(b.bytes, other),
    keyStart(node),
    keyEnd(a.bytes, node),
  );
}

const faults = {
  wrongLevel: (number: number) => ({ problem: `page ${number} is at the wrong level` }),
  keysOutOfBounds: (number: number) => ({ problem: `page ${number} has keys outside its bounds` }),
} satisfies FaultTexts;
