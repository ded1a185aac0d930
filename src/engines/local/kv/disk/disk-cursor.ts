/**
 * The cursor over an lmdb file. lmdb copies each pair that it reads into two buffers, which all its
 * databases in the process share. `bufferHolder` is the cursor with its current pair in these
 * buffers; its pair is copied out before anything else is read.
 */
import { compareBytes, copyBytes, noBytes } from '../../../../base/index.js';
import type { PairCursor } from '../ordered-store.js';
import { CurrentPair } from '../range-cursor.js';
import type { ScanPart } from './lazy-check.js';
import { storageError } from './storage-error.js';

/** The keys of a scan, in the form of lmdb's RangeOptions. */
export interface KeyBounds {
  start: Uint8Array;
  exclusiveStart: boolean;
  end: Uint8Array;
  inclusiveEnd?: boolean;
  reverse?: boolean;
}

/** The first key of an iterator. */
interface ScanStart {
  readonly key: Uint8Array;
  readonly isIncluded: boolean;
}

/** The operations of the store that its cursors use. */
export interface CursorStore {
  /** Reads a value into lmdb's shared buffer, of which it takes `lastValueSize` bytes. */
  readShared(key: Uint8Array): Uint8Array | undefined;
  readonly lastValueSize: number;
  /**
   * The part of a scan that may be read, from `bound` in its direction. It has been verified; the
   * rest is verified when the scan reaches it. Throws CORRUPT_DATA.
   */
  scanPart(bound: Uint8Array, reversed: boolean): ScanPart;
  /** Opens an lmdb iterator, and with it a read transaction, for a cursor. */
  openRange(cursor: DiskCursor, bounds: KeyBounds): Iterator<unknown>;
  /** The cursor's read transaction has ended. */
  onCursorReleased(cursor: DiskCursor): void;
}

/** The last pair read, as set by the codecs below. Module state, because lmdb's buffers are too. */
let keyBytes: Uint8Array = noBytes;
let keyEnd = 0;
let valueBytes: Uint8Array = keyBytes;
let valueEnd = 0;
/** The cursor with its current pair in lmdb's shared buffers. */
let bufferHolder: DiskCursor | undefined;

/** Codec of keys that keeps the encoded bytes. */
export const keyEncoder = {
  writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
    target.set(key, start);
    return start + key.length;
  },
  readKey(target: Uint8Array, _start: number, end: number): number {
    keyBytes = target;
    keyEnd = end;
    return 0;
  },
};
/**
 * Offset at which getRange puts the key into its buffer (lmdb read.js: readKey(keyBytes, 32, ...)).
 */
const keyOffset = 32;

/** Codec of values that keeps the encoded bytes. */
export const encoder = {
  encode: (value: Uint8Array): Uint8Array => value,
  decode(bytes: Uint8Array, size: number): number {
    valueBytes = bytes;
    valueEnd = size;
    return 0;
  },
};

/** Iterates over the pairs of an lmdb file. */
export class DiskCursor extends CurrentPair implements PairCursor {
  /** Index among the cursors of the store that have a read transaction; -1 without one. */
  openIndex = -1;
  #iterator: Iterator<unknown> | undefined = undefined;
  #positioned = false;
  #done = false;
  /** Where to go on if not after the current pair. */
  #resume: ScanStart | undefined = undefined;
  /** Where the iterator ends if not at the end of the scan. */
  #cut: Uint8Array | undefined = undefined;

  readonly #store: CursorStore;
  readonly #start: Uint8Array;
  readonly #end: Uint8Array | undefined;
  readonly #reversed: boolean;

  /** Without an end, a cursor over the one pair at `start`. */
  constructor(
    store: CursorStore,
    start: Uint8Array,
    end: Uint8Array | undefined,
    reversed: boolean,
  ) {
    super();
    this.#store = store;
    this.#start = start;
    this.#end = end;
    this.#reversed = reversed;
  }

  next(): boolean {
    if (this.#done) return false;
    if (this.#end === undefined) return this.#readPoint();
    if (bufferHolder !== this) releaseBuffers();
    try {
      if (!this.#advance()) {
        this.release();
        return false;
      }
    } catch (error) {
      this.release();
      throw storageError(error);
    }
    this.#positioned = true;
    this.keyBytes = keyBytes;
    this.keyStart = keyOffset;
    this.keyEnd = keyEnd;
    this.valueBytes = valueBytes;
    this.valueEnd = valueEnd;
    return true;
  }

  release(): void {
    this.#done = true;
    if (bufferHolder === this) bufferHolder = undefined;
    this.#iterator?.return?.();
    this.#iterator = undefined;
    this.#store.onCursorReleased(this);
  }

  /** Ends the read transaction. A later `next` seeks to the pair after the current one. */
  suspend(): void {
    if (bufferHolder === this) releaseBuffers();
    this.#iterator?.return?.();
    this.#iterator = undefined;
    this.#store.onCursorReleased(this);
  }

  /** Copies the current pair out of lmdb's buffers, keeping the offsets. */
  copyPair(): void {
    this.keyBytes = copyBytes(this.keyBytes, 0, this.keyEnd);
    this.valueBytes = copyBytes(this.valueBytes, 0, this.valueEnd);
    this.listener?.onPairMoved(this);
  }

  /** Reads the next pair into the shared buffers; false at the end. */
  #advance(): boolean {
    for (;;) {
      this.#iterator ??= this.#seek();
      holdBuffers(this);
      if (this.#iterator.next().done !== true) return true;
      if (this.#cut === undefined) return false;
      bufferHolder = undefined;
      this.suspend();
      this.#resume = { key: this.#cut, isIncluded: !this.#reversed };
    }
  }

  /** Positions before the first pair or, after `suspend`, after the current one. */
  #seek(): Iterator<unknown> {
    const from = this.#from();
    const store = this.#store;
    const cut = (this.#cut = store.scanPart(from.key, this.#reversed).cut);
    const exclusiveStart = !from.isIncluded;
    if (!this.#reversed) {
      const isCut = cut !== undefined && compareBytes(cut, this.#end!) < 0;
      if (!isCut) this.#cut = undefined;
      return store.openRange(this, {
        start: from.key,
        exclusiveStart,
        end: isCut ? cut : this.#end!,
      });
    }
    const isCut = cut !== undefined && compareBytes(cut, this.#start) > 0;
    if (!isCut) this.#cut = undefined;
    return store.openRange(this, {
      start: from.key,
      exclusiveStart,
      end: isCut ? cut : this.#start,
      inclusiveEnd: true,
      reverse: true,
    });
  }

  /** Where the iterator begins. */
  #from(): ScanStart {
    const resume = this.#resume;
    this.#resume = undefined;
    if (resume !== undefined) return resume;
    if (this.#positioned) {
      const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
      return { key, isIncluded: false };
    }
    if (this.#reversed) return { key: this.#end!, isIncluded: false };
    return { key: this.#start, isIncluded: true };
  }

  #readPoint(): boolean {
    this.#done = true;
    releaseBuffers();
    const bytes = this.#store.readShared(this.#start);
    if (bytes === undefined) return false;
    holdBuffers(this);
    this.keyBytes = this.#start;
    this.keyEnd = this.#start.length;
    this.valueBytes = bytes;
    this.valueEnd = this.#store.lastValueSize;
    return true;
  }
}

function holdBuffers(cursor: DiskCursor): void {
  bufferHolder = cursor;
}

/** Copies the pair in the shared buffers out of them, before anything else is read. */
export function releaseBuffers(): void {
  const holder = bufferHolder;
  bufferHolder = undefined;
  holder?.copyPair();
}
