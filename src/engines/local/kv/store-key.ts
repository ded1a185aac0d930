/** The keys of the store: metadata records, rows and overflow values; see FORMAT.md. */
import { type KeyRange, nextPrefix, noBytes } from '../../../base/index.js';
import { writeNumber64, writeUint32BE } from './bytes.js';

/** Bytes before the row key or the overflow ID: the table ID. */
export const prefixBytes = 4;
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

/** Store key of a row. */
export function rowStoreKey(table: number, key: Uint8Array): Uint8Array {
  return withPrefix(table, key);
}

/** True for keys of rows, false for overflow values and metadata records. */
export function isRowKey(storeKey: Uint8Array): boolean {
  return storeKey[0] < 0x80 && (storeKey[0] | storeKey[1] | storeKey[2] | storeKey[3]) !== 0;
}

/** True for keys of overflow values. */
export function isOverflowKey(storeKey: Uint8Array): boolean {
  return storeKey[0] >= 0x80;
}

/** Store key of an overflow value. */
export function overflowKey(table: number, overflowId: number): Uint8Array {
  const out = new Uint8Array(prefixBytes + 8);
  writeUint32BE(out, 0, overflowTableId(table));
  writeNumber64(out, prefixBytes, overflowId);
  return out;
}

/** The rows of a range. */
export function rowSpan(table: number, range: KeyRange): StoreKeySpan {
  const start = rowStoreKey(table, range.start);
  if (range.end === undefined) return { start, end: withPrefix(table + 1, noBytes) };
  return { start, end: rowStoreKey(table, range.end) };
}

/** All rows of a table. */
export function tableRowSpan(table: number): StoreKeySpan {
  return prefixSpan(table);
}

/** All overflow values of a table. */
export function tableOverflowSpan(table: number): StoreKeySpan {
  return prefixSpan(overflowTableId(table));
}

function overflowTableId(table: number): number {
  return (table | overflowBit) >>> 0;
}

function prefixSpan(id: number): StoreKeySpan {
  return { start: withPrefix(id, noBytes), end: withPrefix(id + 1, noBytes) };
}

function withPrefix(id: number, key: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(prefixBytes + key.length);
  writeUint32BE(out, 0, id);
  out.set(key, prefixBytes);
  return out;
}
