/**
 * The cursor of a read. Iterates over the store's pairs as the page is read, and decodes each
 * record by RecordCursor, which it extends. Allocates nothing per row. FORMAT.md describes what it
 * reads.
 */
import {
  compareBytes,
  compareSlices,
  copyBytes,
  intersectRanges,
  isPoint,
  type KeyRange,
  nextKey,
  noBytes,
  rangeFrom,
  RowsmithError,
} from '../../../base/index.js';
import { type RowCursor } from '../../../data/store/index.js';
import type { OrderedStore, PairCursor } from '../kv/ordered-store.js';
import type { PairWatch } from '../kv/write-queue.js';
import { HeldValues } from './held-values.js';
import type { CellProjection } from './projection.js';
import { RecordCursor } from './record-cursor.js';
import { prefixBytes, rowSpan, rowStoreKey } from '../kv/store-key.js';

/** What a cursor reads. */
export interface PageSource {
  readonly store: OrderedStore;
  /** The table's ID. */
  readonly table: number;
  readonly ranges: readonly KeyRange[];
  readonly reversed: boolean;
  readonly projection: CellProjection;
  /** Watches the row of a store key. Required if pages may end within a row. */
  readonly watch?: (storeKey: Uint8Array) => PairWatch;
}

/**
 * A page ends after so many pairs, however few of them are returned, to yield to the event loop.
 */
const maxPagePairs = 4096;
/** The same after so many pairs that are removed, and not merged yet: about 10 ms. */
const maxSkips = 20_000;
/** A row that is written while its cells are read is read again so often, then at once. */
const maxRereads = 5;
/** A page also ends after so many units of a filter's work: 5 to 20 ms. */
const maxPageWork = 200_000;

/** The rows of a read, page by page. */
export class PageCursor extends RecordCursor implements RowCursor {
  /** True when there are no more rows. */
  exhausted = false;

  #cursor: PairCursor | undefined = undefined;
  #rangeIndex = 0;
  /** The rest of the current range. */
  #range: KeyRange | undefined = undefined;
  /** True when the key fields hold the last key that was visited in the current range. */
  #positioned = false;
  /** True when the current row was interrupted, is now filtered, and is the next to return. */
  #rowReady = false;
  #rowsLeft = 0;
  #pairsLeft = 0;
  /** Of the row that is being read; set when the read was interrupted. */
  #rowWatch: PairWatch | undefined = undefined;
  #rereads = 0;

  readonly #ranges: readonly KeyRange[];
  readonly #reversed: boolean;
  readonly #watch: PageSource['watch'];
  /** Only where another process writes to the store. */
  readonly #held: HeldValues | undefined;

  constructor({ store, table, ranges, reversed, projection, watch }: PageSource) {
    const held = store.isStale === undefined ? undefined : new HeldValues(store);
    super(held ?? store, table, projection);
    this.#held = held;
    this.#watch = watch;
    this.#ranges = reversed ? [...ranges].reverse() : ranges;
    this.#reversed = reversed;
  }

  /**
   * Begins a page of at most `rows` rows. `now` is in microseconds. With `interruptible`, the page
   * may end within a row: see `interrupted`.
   */
  beginPage(rows: number, now: number, interruptible = false): void {
    this.#rowsLeft = rows;
    this.#pairsLeft = maxPagePairs;
    this.pageWork = 0;
    this.interruption = interruptible ? 'allowed' : 'bounded';
    this.now = now;
  }

  /**
   * True when the page ended because filtering a row took too long. After `suspend`, call
   * `continueRow` in later turns of the event loop until it returns true, then begin a page.
   */
  get interrupted(): boolean {
    return this.filtering !== undefined || this.gathered !== undefined;
  }

  /** Reads or filters the interrupted row for some milliseconds; true when that is complete. */
  continueRow(): boolean {
    // Its other chunks may belong to the new row.
    if (this.#rowWatch?.changed === true) return this.#rereadRow();
    try {
      this.#rowReady = this.continueFilter();
    } catch (error) {
      if (!(error instanceof RowsmithError) || error.code !== 'CORRUPT_DATA') throw error;
      // A write may have removed large values of the row meanwhile.
      return this.#rereadRow();
    }
    if (this.gathered === undefined) this.#releaseWatch();
    if (!this.interrupted) this.#rereads = 0;
    return !this.interrupted;
  }

  /** Rows that the page may still return. */
  get remaining(): number {
    return this.#rowsLeft;
  }

  nextRow(): boolean {
    const held = this.#held;
    while (this.#rowsLeft > 0 && this.#pairsLeft > 0) {
      if (this.#cursor === undefined) {
        if (this.#rowReady) return this.#takeReadyRow();
        if (!this.#openRange()) return false;
      }
      const cursor = this.#cursor!;
      if (!cursor.next()) {
        if (cursor.skippedTo === undefined) this.#finishRange();
        else this.#pauseAfter(cursor.skippedTo);
        continue;
      }
      this.#pairsLeft--;
      this.keyBytes = cursor.keyBytes;
      this.keyStart = cursor.keyStart + prefixBytes;
      this.keyEnd = cursor.keyEnd;
      this.#positioned = true;
      this.shared = true;
      this.record = cursor.valueBytes;
      this.recordAt = cursor.valueStart;
      this.recordEnd = cursor.valueEnd;
      if (held !== undefined && this.refersToOverflow && !this.#holdRow(held)) {
        this.#rereadStale();
        continue;
      }
      const selected = this.beginRecord();
      if (this.pageWork > maxPageWork || this.interrupted) this.#pairsLeft = 0;
      if (this.gathered !== undefined) this.#watchRow();
      if (!selected) continue;
      this.#rowsLeft--;
      return true;
    }
    return false;
  }

  scannedKey(): Uint8Array | undefined {
    // The filter of an interrupted row has not decided yet.
    if (!this.#positioned || this.interrupted) return undefined;
    return copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
  }

  #takeReadyRow(): boolean {
    this.#rowReady = false;
    this.#rowsLeft--;
    return true;
  }

  #watchRow(): void {
    const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
    this.#rowWatch = this.#watch!(rowStoreKey(this.table, key));
  }

  #releaseWatch(): void {
    this.#rowWatch?.release();
    this.#rowWatch = undefined;
  }

  /** Releases all resources. The cursor cannot be used afterwards. */
  close(): void {
    this.suspend();
    this.#releaseWatch();
  }

  /** Moves back before the current row. If it is written all the time, it is not interrupted. */
  #rereadRow(): true {
    this.#moveBefore();
    this.filtering = this.gathered = undefined;
    this.#releaseWatch();
    this.rereading = ++this.#rereads >= maxRereads;
    return true;
  }

  /**
   * Loads the overflow values that the row refers to, so that they are of the same state as the
   * row; false if that has changed meanwhile.
   */
  #holdRow(held: HeldValues): boolean {
    held.clear();
    if (held.isStale()) return false;
    if (this.shared) this.copyRow();
    const { recordAt } = this;
    try {
      this.loadOverflowValues(held);
      return true;
    } catch (error) {
      const { code } = error as Partial<RowsmithError>;
      if (code === 'UNAVAILABLE' || (code === 'CORRUPT_DATA' && held.isStale())) return false;
      throw error;
    } finally {
      this.recordAt = recordAt;
    }
  }

  /** Moves back before the current row: another process may have changed its overflow values. */
  #rereadStale(): void {
    this.#moveBefore();
    this.#positioned = false;
    this.#cursor?.release();
    this.#cursor = undefined;
  }

  #moveBefore(): void {
    const { start, end } = this.#range!;
    const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
    if (this.#reversed) this.#range = { start, end: nextKey(key) };
    else this.#range = rangeFrom(key, end);
  }

  /**
   * Releases the store's cursor before the event loop turns. The next page continues after the last
   * key that was visited.
   */
  suspend(): void {
    if (this.#cursor === undefined) return;
    if (this.#positioned) {
      const key = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
      const { start, end } = this.#range!;
      if (this.#reversed) this.#range = { start, end: key };
      else this.#range = rangeFrom(nextKey(key), end);
    }
    this.#positioned = false;
    this.#cursor?.release();
    this.#cursor = undefined;
  }

  skipTo(key: Uint8Array | undefined): void {
    if (key !== undefined) {
      const order = compareSlices(key, 0, key.length, this.keyBytes, this.keyStart, this.keyEnd);
      // The rows before it have been returned already.
      if (this.#reversed ? order >= 0 : order <= 0) return;
    }
    if (key !== undefined && this.#seekInRange(key)) return;
    this.#cursor?.release();
    this.#cursor = undefined;
    this.#positioned = false;
    for (; this.#rangeIndex < this.#ranges.length; this.#rangeIndex++) {
      this.#range = this.#restAt(this.#range ?? this.#ranges[this.#rangeIndex], key);
      if (this.#range !== undefined) return;
    }
  }

  /** Skips rows with the open cursor, if the current range has keys after them. */
  #seekInRange(key: Uint8Array): boolean {
    const cursor = this.#cursor;
    if (cursor?.seek === undefined) return false;
    const { start, end } = this.#range!;
    if (this.#reversed) {
      if (compareBytes(key, start) <= 0) return false;
      this.#range = { start, end: key };
    } else {
      if (end !== undefined && compareBytes(key, end) >= 0) return false;
      this.#range = rangeFrom(key, end);
    }
    this.#positioned = false;
    cursor.seek(rowStoreKey(this.table, key));
    return true;
  }

  /** The part of a range that is left when rows are skipped. */
  #restAt(range: KeyRange, key: Uint8Array | undefined): KeyRange | undefined {
    if (key === undefined) return undefined;
    return intersectRanges(range, this.#reversed ? { start: noBytes, end: key } : { start: key });
  }

  #openRange(): boolean {
    const { store, table } = this;
    if (this.#range === undefined) {
      if (this.#rangeIndex >= this.#ranges.length) {
        this.exhausted = true;
        return false;
      }
      this.#range = this.#ranges[this.#rangeIndex];
    }
    if (isPoint(this.#range)) this.#cursor = store.lookup(rowStoreKey(table, this.#range.start));
    else {
      const { start, end } = rowSpan(table, this.#range);
      this.#cursor = store.scan(start, end, this.#reversed);
      this.#cursor.maxSkips = maxSkips;
    }
    return true;
  }

  /** Ends the page after many removed rows. */
  #pauseAfter(storeKey: Uint8Array): void {
    const key = storeKey.subarray(prefixBytes);
    const { start, end } = this.#range!;
    this.#range = this.#reversed ? { start, end: key } : rangeFrom(nextKey(key), end);
    this.#positioned = false;
    this.#cursor?.release();
    this.#cursor = undefined;
    this.#pairsLeft = 0;
  }

  #finishRange(): void {
    this.#cursor?.release();
    this.#cursor = undefined;
    this.#range = undefined;
    this.#positioned = false;
    this.#rangeIndex++;
  }
}
