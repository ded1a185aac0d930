/** Reads of many rows or pairs of a table. */
import { type KeyRange, nextKey, rangeFrom, copyBytes, noBytes } from '../../../bytes/index.js';
import type { SampledKey } from '../../../store/index.js';
import type { OrderedStore } from '../kv/ordered-store.js';
import type { StoreKeySpan } from '../kv/store-key.js';
import { PageCursor } from '../read/page-cursor.js';
import { everyCell, type CellProjection } from '../read/projection.js';
import type { TableState } from '../table/table-state.js';

/** Bytes between two sampled keys. Doubled each time there are more than `maxSamples`. */
const sampleBytes = 1024 * 1024;
const maxSamples = 100;

/** Rows of a page of the scan for sampled keys. */
const samplePageRows = 4096;

/**
 * Returns the keys of the first rows in the range, at most `maxCount`, including rows whose cells
 * are all hidden.
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
  cursor.beginPage(maxCount, 0);
  while (cursor.nextRow()) keys.push(copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd));
  cursor.suspend();
  return keys;
}

/** The keys of the range after a key. */
export function rangeAfter(range: KeyRange, key: Uint8Array): KeyRange {
  return rangeFrom(nextKey(key), range.end);
}

/** Returns the first store keys of the span, at most `maxCount`. */
export function firstStoreKeys(
  store: OrderedStore,
  { start, end }: StoreKeySpan,
  maxCount: number,
): Uint8Array[] {
  const cursor = store.scan(start, end, false);
  const keys: Uint8Array[] = [];
  while (keys.length < maxCount && cursor.next())
    keys.push(copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd));
  cursor.release();
  return keys;
}

/**
 * Returns keys that split the table into ranges of similar size, at least a megabyte, and at most
 * about a hundred of them. `pause` is awaited after each page of rows.
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
  let samples: SampledKey[] = [];
  let interval = sampleBytes;
  let offsetBytes = 0;
  while (!cursor.exhausted) {
    cursor.beginPage(samplePageRows, now);
    while (cursor.nextRow()) {
      if (offsetBytes - (samples.at(-1)?.offsetBytes ?? 0) >= interval) {
        const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
        samples.push({ key, offsetBytes });
      }
      offsetBytes += cursor.storedBytes();
    }
    if (samples.length > maxSamples) {
      samples = samples.filter((_sample, index) => index % 2 === 1);
      interval *= 2;
    }
    cursor.suspend();
    await pause();
  }
  return [...samples, { key: noBytes, offsetBytes }];
}
