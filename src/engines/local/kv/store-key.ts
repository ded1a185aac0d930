/**
 * The keys of the store: which keyspace, which table, which row. FORMAT.md is the specification.
 */
import { nextPrefix, type KeyRange, equalBytes, noBytes } from '../../../bytes/index.js';
import { writeUint32 } from './record.js';

/** Bytes before the row key or the part number. */
export const prefixBytes = 4;
/**
 * Row keys longer than this share a bucket with all that start with the same bytes, because lmdb's
 * keys end at 4,026.
 */
export const maxOwnKeyBytes = 4000;
const partsBit = 0x8000_0000;

/** Key of one of the engine's own records. */
export function metaKey(name: string): Uint8Array {
  return withPrefix(0, Buffer.from(name, 'latin1'));
}

/**
 * The store keys `[start, end)` of the engine's own records whose names begin so; the prefix must
 * not be empty.
 */
export function metaSpan(prefix: string): { readonly start: Uint8Array; readonly end: Uint8Array } {
  const start = metaKey(prefix);
  return { start, end: nextPrefix(start)! };
}

/** Store key of a row, or of the bucket it lies in. */
export function rowStoreKey(table: number, key: Uint8Array): Uint8Array {
  if (!isLongKey(key)) return withPrefix(table, key);
  const out = new Uint8Array(prefixBytes + maxOwnKeyBytes + 1);
  writeUint32(out, 0, table);
  out.set(key.subarray(0, maxOwnKeyBytes), prefixBytes);
  return out;
}

/** True when the row lies in a bucket. */
export function isLongKey(key: Uint8Array): boolean {
  return key.length > maxOwnKeyBytes;
}

/** True for the length of a bucket's store key. */
export function isBucketLength(storeKeyBytes: number): boolean {
  return storeKeyBytes === prefixBytes + maxOwnKeyBytes + 1;
}

/** True for keys of rows and buckets: neither of parts nor of the engine's own records. */
export function isRowKey(storeKey: Uint8Array): boolean {
  return storeKey[0] < 0x80 && (storeKey[0] | storeKey[1] | storeKey[2] | storeKey[3]) !== 0;
}

/** The beginning of every row key of the same table: the least of them. */
export function tableOfKey(storeKey: Uint8Array): Uint8Array {
  return storeKey.subarray(0, prefixBytes);
}

/** Store key of a part. */
export function overflowKey(table: number, part: number): Uint8Array {
  const out = new Uint8Array(prefixBytes + 8);
  writeUint32(out, 0, (table | partsBit) >>> 0);
  writeUint32(out, 4, Math.floor(part / 0x1_0000_0000));
  writeUint32(out, 8, part % 0x1_0000_0000);
  return out;
}

/**
 * The store keys `[start, end)` that hold the rows of a range; a bucket at either end may also hold
 * others.
 */
export function rowSpan(
  table: number,
  range: KeyRange,
): { readonly start: Uint8Array; readonly end: Uint8Array } {
  const start = rowStoreKey(table, range.start);
  if (range.end === undefined) return { start, end: withPrefix(table + 1, noBytes) };
  const end = rowStoreKey(table, range.end);
  if (!isLongKey(range.end)) return { start, end };
  const past = new Uint8Array(end.length + 1);
  past.set(end);
  return { start, end: past };
}

/** The store keys `[start, end)` of all rows, or of all parts, of a table. */
export function tableSpan(
  table: number,
  space: 'rows' | 'parts',
): { readonly start: Uint8Array; readonly end: Uint8Array } {
  const id = space === 'rows' ? table : (table | partsBit) >>> 0;
  return { start: withPrefix(id, noBytes), end: withPrefix(id + 1, noBytes) };
}

/** True when both bucket suffixes belong to the same row. */
export function sameSuffix(key: Uint8Array, suffix: Uint8Array): boolean {
  return equalBytes(key.subarray(maxOwnKeyBytes), suffix);
}

function withPrefix(id: number, key: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(prefixBytes + key.length);
  writeUint32(out, 0, id);
  out.set(key, prefixBytes);
  return out;
}
