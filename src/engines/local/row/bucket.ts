/**
 * Rows whose keys are too long for the store share one pair, sorted by what follows the shared
 * bytes: FORMAT.md, Buckets.
 */
import { compareBytes } from '../../../bytes/index.js';
import { readUint32, writeUint32 } from '../kv/record.js';

/** One row of a bucket. */
export interface BucketEntry {
  /** What follows the first 4,000 bytes of the row key; at least one byte. */
  readonly suffix: Uint8Array;
  readonly record: Uint8Array;
}

/** Bytes before each suffix: its length and the record's. */
const header = 8;

/** The rows of a bucket, in key order; views of the bytes. */
export function readBucket(bytes: Uint8Array): BucketEntry[] {
  const entries: BucketEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const suffixEnd = at + header + readUint32(bytes, at);
    const recordEnd = suffixEnd + readUint32(bytes, at + 4);
    entries.push({
      suffix: bytes.subarray(at + header, suffixEnd),
      record: bytes.subarray(suffixEnd, recordEnd),
    });
    at = recordEnd;
  }
  return entries;
}

/**
 * The bytes of a bucket with one row put, replaced or (without a record) removed; empty when no row
 * is left.
 */
export function changeBucket(
  bytes: Uint8Array,
  suffix: Uint8Array,
  record: Uint8Array | undefined,
): Uint8Array {
  const entries = readBucket(bytes).filter((entry) => compareBytes(entry.suffix, suffix) !== 0);
  if (record !== undefined) entries.push({ suffix, record });
  entries.sort((a, b) => compareBytes(a.suffix, b.suffix));
  const out = new Uint8Array(
    entries.reduce((sum, entry) => sum + header + entry.suffix.length + entry.record.length, 0),
  );
  let at = 0;
  for (const entry of entries) {
    writeUint32(out, at, entry.suffix.length);
    writeUint32(out, at + 4, entry.record.length);
    out.set(entry.suffix, at + header);
    out.set(entry.record, at + header + entry.suffix.length);
    at += header + entry.suffix.length + entry.record.length;
  }
  return out;
}
