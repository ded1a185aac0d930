/**
 * The cursor of a read: walks the store's pairs while the page is walked, and gives each record to
 * RecordCursor, which it extends: no object per row. FORMAT.md is the specification of what it
 * reads.
 */
import {
  isPoint,
  nextKey,
  rangeFrom,
  rangeHolds,
  type KeyRange,
  noBytes,
  copyBytes,
} from '../../../bytes/index.js';
import { type RowCursor } from '../../../store/index.js';
import { readBucket, type BucketEntry } from '../row/bucket.js';
import type { OrderedStore, PairCursor } from '../kv/ordered-store.js';
import type { CellProjection } from './projection.js';
import { RecordCursor } from './record-cursor.js';
import {
  isBucketLength,
  maxOwnKeyBytes,
  prefixBytes,
  rowSpan,
  rowStoreKey,
} from '../kv/store-key.js';

/** What a cursor walks. */
export interface Walk {
  readonly store: OrderedStore;
  /** The table's number. */
  readonly table: number;
  readonly ranges: readonly KeyRange[];
  readonly reversed: boolean;
  readonly projection: CellProjection;
}

/**
 * Pairs looked at in one page, however few of them give a row, so that the event loop gets its
 * turn.
 */
const mostPairs = 4096;

/** A page of rows, filled again for each page of the read. */
export class PageCursor extends RecordCursor implements RowCursor {
  /** True when no range has anything left. */
  exhausted = false;

  #pairs: PairCursor | undefined = undefined;
  #rangeIndex = 0;
  /** What is left of the current range. */
  #range: KeyRange | undefined = undefined;
  /** True when the key fields hold the last row looked at in the current range. */
  #positioned = false;
  #bucket: readonly BucketEntry[] = [];
  #bucketAt = 0;
  #bucketHead: Uint8Array = noBytes;
  #rowsLeft = 0;
  #pairsLeft = 0;

  readonly #ranges: readonly KeyRange[];
  readonly #reversed: boolean;

  constructor({ store, table, ranges, reversed, projection }: Walk) {
    super(store, table, projection);
    this.#ranges = ranges;
    this.#reversed = reversed;
  }

  /** Makes room for the next rows; `now` in microseconds. */
  beginPage(rows: number, now: number): void {
    this.#rowsLeft = rows;
    this.#pairsLeft = mostPairs;
    this.now = now;
  }

  /** Rows of the page that have not been walked. */
  get remaining(): number {
    return this.#rowsLeft;
  }

  nextRow(): boolean {
    while (this.#rowsLeft > 0 && this.#pairsLeft > 0) {
      if (this.#bucketAt < this.#bucket.length) this.#enterBucketRow();
      else {
        if (this.#pairs === undefined && !this.#openRange()) return false;
        const pairs = this.#pairs!;
        if (!pairs.next()) {
          this.#leaveRange();
          continue;
        }
        this.#pairsLeft--;
        if (isBucketLength(pairs.keyEnd - pairs.keyStart)) {
          this.#openBucket(pairs);
          continue;
        }
        this.keyBytes = pairs.keyBytes;
        this.keyStart = pairs.keyStart + prefixBytes;
        this.keyEnd = pairs.keyEnd;
        this.#positioned = true;
        this.shared = true;
        this.record = pairs.valueBytes;
        this.recordAt = pairs.valueStart;
        this.recordEnd = pairs.valueEnd;
      }
      if (!this.enter()) continue;
      this.#rowsLeft--;
      return true;
    }
    return false;
  }

  /**
   * Lets go of the store before the event loop turns; the walk is taken up behind the last row
   * looked at.
   */
  release(): void {
    if (this.#pairs === undefined && this.#bucket.length === 0) return;
    if (this.#positioned) {
      const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
      const { start, end } = this.#range!;
      this.#range = this.#reversed ? { start, end: key } : rangeFrom(nextKey(key), end);
    }
    this.#positioned = false;
    this.#pairs?.close();
    this.#pairs = undefined;
    this.#bucket = [];
    this.#bucketAt = 0;
  }

  #openRange(): boolean {
    const { store, table } = this;
    const ranges = this.#ranges;
    const reversed = this.#reversed;
    if (this.#range === undefined) {
      if (this.#rangeIndex >= ranges.length) {
        this.exhausted = true;
        return false;
      }
      this.#range = ranges[reversed ? ranges.length - 1 - this.#rangeIndex : this.#rangeIndex];
    }
    if (isPoint(this.#range)) this.#pairs = store.lookup(rowStoreKey(table, this.#range.start));
    else {
      const { start, end } = rowSpan(table, this.#range);
      this.#pairs = store.scan(start, end, reversed);
    }
    this.#pairs.owner = this;
    return true;
  }

  #leaveRange(): void {
    this.#pairs?.close();
    this.#pairs = undefined;
    this.#range = undefined;
    this.#positioned = false;
    this.#rangeIndex++;
  }

  #openBucket(pairs: PairCursor): void {
    this.#bucketHead = copyBytes(pairs.keyBytes, pairs.keyStart + prefixBytes, pairs.keyEnd - 1);
    const entries = readBucket(copyBytes(pairs.valueBytes, pairs.valueStart, pairs.valueEnd));
    const range = this.#range!;
    const inside = entries.filter(({ suffix }) =>
      rangeHolds(range, longKey(this.#bucketHead, suffix)),
    );
    this.#bucket = this.#reversed ? inside.reverse() : inside;
    this.#bucketAt = 0;
  }

  #enterBucketRow(): void {
    const { suffix, record } = this.#bucket[this.#bucketAt++];
    this.#pairsLeft--;
    this.keyBytes = longKey(this.#bucketHead, suffix);
    this.keyStart = 0;
    this.keyEnd = this.keyBytes.length;
    this.#positioned = true;
    this.shared = false;
    this.record = record;
    this.recordAt = 0;
    this.recordEnd = record.length;
  }
}

function longKey(head: Uint8Array, suffix: Uint8Array): Uint8Array {
  const key = new Uint8Array(maxOwnKeyBytes + suffix.length);
  key.set(head);
  key.set(suffix, maxOwnKeyBytes);
  return key;
}
