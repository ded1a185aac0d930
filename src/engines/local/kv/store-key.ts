/** The keys of the store: metadata records, rows, buckets and overflow values; see FORMAT.md. */
import { equalBytes, type KeyRange, nextPrefix, noBytes } from '../../../base/index.js';
import { writeNumber64, writeUint32 } from './bytes.js';

/** Bytes before the row key or the overflow ID: the table ID. */
export const prefixBytes = 4;
/**
 * Longer row keys share a bucket with all row keys that begin with the same bytes, because lmdb
 * limits keys to 4,026 bytes.
 */
export const maxOwnKeyBytes = 4000;
/** Set in the table ID of overflow values, so that they sort after all rows. */
const overflowBit = 0x8000_0000;

/** Store keys `[start, end)`. */
export interface StoreKeySpan {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/** Key of a metadata record. */
export function metaKey(name: string): Uint8Array {
  return withPrefix(0, Buffer.from(name, 'latin1'));
}

/** The metadata records with names that begin with a prefix, which must not be empty. */
export function metaSpan(prefix: string): StoreKeySpan {
  const start = metaKey(prefix);
  return { start, end: nextPrefix(start)! };
}

/** Store key of a row, or of the bucket that holds it. */
export function rowStoreKey(table: number, key: Uint8Array): Uint8Array {
  if (!isLongKey(key)) return withPrefix(table, key);
  const out = new Uint8Array(prefixBytes + maxOwnKeyBytes + 1);
  writeUint32(out, 0, table);
  out.set(key.subarray(0, maxOwnKeyBytes), prefixBytes);
  return out;
}

/** True when the row is stored in a bucket. */
export function isLongKey(key: Uint8Array): boolean {
  return key.length > maxOwnKeyBytes;
}

/** True for the length of a bucket's store key, which no other store key has. */
export function isBucketLength(storeKeyBytes: number): boolean {
  return storeKeyBytes === prefixBytes + maxOwnKeyBytes + 1;
}

/** True for keys of rows and buckets, false for overflow values and metadata records. */
export function isRowKey(storeKey: Uint8Array): boolean {
  return storeKey[0] < 0x80 && (storeKey[0] | storeKey[1] | storeKey[2] | storeKey[3]) !== 0;
}

/** True for keys of overflow values. */
export function isOverflowKey(storeKey: Uint8Array): boolean {
  return storeKey[0] >= 0x80;
}

/**
 * The table ID in front of a row's store key, which is also the lower bound of its table's keys.
 */
export function tableOfKey(storeKey: Uint8Array): Uint8Array {
  return storeKey.subarray(0, prefixBytes);
}

/** Store key of an overflow value. */
export function overflowKey(table: number, overflowId: number): Uint8Array {
  const out = new Uint8Array(prefixBytes + 8);
  writeUint32(out, 0, overflowTableId(table));
  writeNumber64(out, prefixBytes, overflowId);
  return out;
}

/** The rows of a range. A bucket at either end may also hold rows outside of it. */
export function rowSpan(table: number, range: KeyRange): StoreKeySpan {
  const start = rowStoreKey(table, range.start);
  if (range.end === undefined) return { start, end: withPrefix(table + 1, noBytes) };
  const end = rowStoreKey(table, range.end);
  if (!isLongKey(range.end)) return { start, end };
  const afterBucket = new Uint8Array(end.length + 1);
  afterBucket.set(end);
  return { start, end: afterBucket };
}

/** All rows of a table. */
export function tableRowSpan(table: number): StoreKeySpan {
  return prefixSpan(table);
}

/** All overflow values of a table. */
export function tableOverflowSpan(table: number): StoreKeySpan {
  return prefixSpan(overflowTableId(table));
}

/** True when the bucket suffix belongs to the row key. */
export function sameSuffix(key: Uint8Array, suffix: Uint8Array): boolean {
  return equalBytes(key.subarray(maxOwnKeyBytes), suffix);
}

function overflowTableId(table: number): number {
  return (table | overflowBit) >>> 0;
}

function prefixSpan(id: number): StoreKeySpan {
  return { start: withPrefix(id, noBytes), end: withPrefix(id + 1, noBytes) };
}

function withPrefix(id: number, key: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(prefixBytes + key.length);
  writeUint32(out, 0, id);
  out.set(key, prefixBytes);
  return out;
}
