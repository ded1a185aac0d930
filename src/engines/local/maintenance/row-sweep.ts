/** Reads of many rows or pairs of a table. */
import {
  compareBytes,
  compareSlices,
  copyBytes,
  equalBytes,
  type KeyRange,
  nextKey,
  noBytes,
  rangeFrom,
} from '../../../base/index.js';
import type { SampledKey } from '../../../data/store/index.js';
import type { OrderedStore } from '../kv/ordered-store.js';
import { prefixBytes, rowSpan, type StoreKeySpan } from '../kv/store-key.js';
import { PageCursor } from '../read/page-cursor.js';
import { everyCell, type CellProjection } from '../read/projection.js';
import { hasOverflow } from '../row/record/record-limits.js';
import type { TableState } from '../table/table-state.js';

/** Bytes between two sampled keys. Doubled each time there are more than `maxSamples`. */
const sampleBytes = 1024 * 1024;
const maxSamples = 100;

/** Rows of a page of the scan for sampled keys. */
const samplePageRows = 4096;

/**
 * Returns the keys of the first rows in the range, at most `maxCount`, including rows with only
 * hidden cells.
 */
export function firstRowKeys(
  store: OrderedStore,
  table: TableState,
  range: KeyRange,
  maxCount: number,
): Uint8Array[] {
  const cursor = new PageCursor({
    store,
    table: table.id,
    ranges: [range],
    reversed: false,
    projection: everyCell(table),
  });
  const keys: Uint8Array[] = [];
  while (keys.length < maxCount && !cursor.exhausted) {
    cursor.beginPage(maxCount - keys.length, 0);
    while (cursor.nextRow()) keys.push(copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd));
    cursor.suspend();
  }
  return keys;
}

/** The keys of the range after a key. */
export function rangeAfter(range: KeyRange, key: Uint8Array): KeyRange {
  return rangeFrom(nextKey(key), range.end);
}

/** True if there is a pair in the span. */
export function hasPairs(store: OrderedStore, { start, end }: StoreKeySpan): boolean {
  const cursor = store.scan(start, end, false);
  const isFound = cursor.next();
  cursor.release();
  return isFound;
}

/** Rows of the range that are looked at in one step. */
const maxVisited = 10_000;

/** Rows with overflow values, and the row that was not looked at; undefined at the end. */
export interface OverflowRows {
  readonly keys: readonly Uint8Array[];
  readonly next: Uint8Array | undefined;
}

/** Returns the keys of the first rows in the range that have overflow values. */
export function overflowRows(
  store: OrderedStore,
  table: number,
  range: KeyRange,
  maxCount: number,
): OverflowRows {
  const { start, end } = rowSpan(table, range);
  const cursor = store.scan(start, end, false);
  const keys: Uint8Array[] = [];
  for (let visited = 0; cursor.next(); visited++) {
    const key = copyBytes(cursor.keyBytes, cursor.keyStart + prefixBytes, cursor.keyEnd);
    if (keys.length === maxCount || visited === maxVisited) {
      cursor.release();
      return { keys, next: key };
    }
    if ((cursor.valueBytes[cursor.valueStart] & hasOverflow) !== 0) keys.push(key);
  }
  return { keys, next: undefined };
}

/**
 * Returns the keys at which the table was split when it was created, and keys that split it into
 * ranges of similar size, at least a megabyte, of these at most about a hundred. `pause` is awaited
 * after each page of rows.
 */
export async function sampleKeys(
  store: OrderedStore,
  table: TableState,
  projection: CellProjection,
  now: number,
  pause: () => Promise<void>,
): Promise<SampledKey[]> {
  const cursor = new PageCursor({
    store,
    table: table.id,
    ranges: [{ start: noBytes }],
    reversed: false,
    projection,
  });
  const splits = new SplitKeys(table.splitKeys);
  let samples: SampledKey[] = [];
  let interval = sampleBytes;
  let offsetBytes = 0;
  while (!cursor.exhausted) {
    cursor.beginPage(samplePageRows, now);
    while (cursor.nextRow()) {
      const { keyBytes, keyStart, keyEnd } = cursor;
      splits.passTo(keyBytes, keyStart, keyEnd, offsetBytes);
      const previous = Math.max(samples.at(-1)?.offsetBytes ?? 0, splits.offsetBytes);
      if (offsetBytes - previous >= interval)
        samples.push({ key: copyBytes(keyBytes, keyStart, keyEnd), offsetBytes });
      offsetBytes += cursor.storedBytes();
    }
    if (samples.length > maxSamples) {
      samples = samples.filter((_sample, index) => index % 2 === 1);
      interval *= 2;
    }
    cursor.suspend();
    await pause();
  }
  return [...splits.addTo(samples, offsetBytes), { key: noBytes, offsetBytes }];
}

/** The keys at which a table was split, and the bytes before each. */
class SplitKeys {
  /** Bytes before the last key that was passed. */
  offsetBytes = 0;
  readonly #keys: readonly Uint8Array[];
  readonly #passed: SampledKey[] = [];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
      .filter((key) => key.length > 0)
      .sort(compareBytes)
      .filter((key, at, sorted) => at === 0 || !equalBytes(key, sorted[at - 1]));
  }

  /** Passes the keys up to the key of a row; the rows before it have so many bytes. */
  passTo(bytes: Uint8Array, start: number, end: number, offsetBytes: number): void {
    while (this.#passed.length < this.#keys.length) {
      const key = this.#keys[this.#passed.length];
      if (compareSlices(key, 0, key.length, bytes, start, end) > 0) return;
      this.#pass(offsetBytes);
    }
  }

  /** These keys, and the samples between them. Keys after the last row have all bytes before. */
  addTo(samples: readonly SampledKey[], totalBytes: number): SampledKey[] {
    while (this.#passed.length < this.#keys.length) this.#pass(totalBytes);
    return [...this.#passed, ...samples].sort((a, b) => compareBytes(a.key, b.key));
  }

  #pass(offsetBytes: number): void {
    this.offsetBytes = offsetBytes;
    this.#passed.push({ key: this.#keys[this.#passed.length].slice(), offsetBytes });
  }
}
