/**
 * Work over many rows or pairs of a table in steps, each its own commit, with a turn of the event
 * loop in between.
 */
import { type KeyRange, nextKey, rangeFrom, copyBytes, noBytes } from '../../../bytes/index.js';
import { type SampledKey } from '../../../store/index.js';
import type { OrderedStore } from '../kv/ordered-store.js';
import { PageCursor } from '../read/page-cursor.js';
import { everyCell, type CellProjection } from '../read/projection.js';
import { tableSpan } from '../kv/store-key.js';
import type { TableState } from '../table/table-state.js';

/** Bytes between two sampled keys, until there are too many of them. */
const sampleBytes = 1024 * 1024;
const mostSamples = 100;

/** The first keys of the range, at most `count`, whatever their rows hold. */
export function firstKeys(
  store: OrderedStore,
  table: TableState,
  range: KeyRange,
  count: number,
): Uint8Array[] {
  const cursor = new PageCursor({
    store,
    table: table.id,
    ranges: [range],
    reversed: false,
    projection: everyCell(table),
  });
  const keys: Uint8Array[] = [];
  cursor.beginPage(count, 0);
  while (cursor.nextRow()) keys.push(copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd));
  cursor.release();
  return keys;
}

/** What is left of a range behind a key. */
export function rangeAfter(range: KeyRange, key: Uint8Array): KeyRange {
  return rangeFrom(nextKey(key), range.end);
}

/** The first store keys of the table's rows or parts, at most `count`. */
export function firstPairs(
  store: OrderedStore,
  table: number,
  space: 'rows' | 'parts',
  count: number,
): Uint8Array[] {
  const { start, end } = tableSpan(table, space);
  const pairs = store.scan(start, end, false);
  const keys: Uint8Array[] = [];
  while (keys.length < count && pairs.next())
    keys.push(copyBytes(pairs.keyBytes, pairs.keyStart, pairs.keyEnd));
  pairs.close();
  return keys;
}

/**
 * Keys that cut the table into parts of similar size, about every megabyte and at most about a
 * hundred.
 */
export async function sampleKeys(
  store: OrderedStore,
  table: TableState,
  projection: CellProjection,
  now: number,
  turn: () => Promise<void>,
): Promise<SampledKey[]> {
  const cursor = new PageCursor({
    store,
    table: table.id,
    ranges: [{ start: noBytes }],
    reversed: false,
    projection,
  });
  let samples: SampledKey[] = [];
  let every = sampleBytes;
  let total = 0;
  while (!cursor.exhausted) {
    cursor.beginPage(4096, now);
    while (cursor.nextRow()) {
      if (total - (samples.at(-1)?.offsetBytes ?? 0) >= every)
        samples.push({
          key: copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd),
          offsetBytes: total,
        });
      total += cursor.storedBytes();
    }
    if (samples.length > mostSamples) {
      samples = samples.filter((_sample, at) => at % 2 === 1);
      every *= 2;
    }
    cursor.release();
    await turn();
  }
  return [...samples, { key: noBytes, offsetBytes: total }];
}
