/**
 * Buckets: rows with keys too long for the store that begin with the same bytes share a pair,
 * sorted by the rest of their keys; see FORMAT.md.
 */
import { compareBytes } from '../../../../base/index.js';
import { readUint32, writeUint32 } from '../../kv/bytes.js';

/** A row of a bucket. */
export interface BucketEntry {
  /** The row key after its first 4,000 bytes; at least one byte. */
  readonly suffix: Uint8Array;
  readonly record: Uint8Array;
}

/** Bytes before each suffix: the lengths of the suffix and the record. */
const headerBytes = 8;

/** Reads the rows of a bucket, in key order. They are views of its bytes. */
export function readBucket(bytes: Uint8Array): BucketEntry[] {
  const entries: BucketEntry[] = [];
  for (let start = 0; start < bytes.length;) {
    const suffixEnd = start + headerBytes + readUint32(bytes, start);
    const recordEnd = suffixEnd + readUint32(bytes, start + 4);
    entries.push({
      suffix: bytes.subarray(start + headerBytes, suffixEnd),
      record: bytes.subarray(suffixEnd, recordEnd),
    });
    start = recordEnd;
  }
  return entries;
}

/**
 * Returns a bucket with one row added, replaced or, without a record, removed. The result is empty
 * when no row is left.
 */
export function changeBucket(
  bytes: Uint8Array,
  suffix: Uint8Array,
  record: Uint8Array | undefined,
): Uint8Array {
  const entries = readBucket(bytes).filter((entry) => compareBytes(entry.suffix, suffix) !== 0);
  if (record !== undefined) entries.push({ suffix, record });
  entries.sort((a, b) => compareBytes(a.suffix, b.suffix));
  const out = new Uint8Array(entries.reduce((sum, entry) => sum + entryBytes(entry), 0));
  let start = 0;
  for (const entry of entries) {
    writeUint32(out, start, entry.suffix.length);
    writeUint32(out, start + 4, entry.record.length);
    out.set(entry.suffix, start + headerBytes);
    out.set(entry.record, start + headerBytes + entry.suffix.length);
    start += entryBytes(entry);
  }
  return out;
}

function entryBytes({ suffix, record }: BucketEntry): number {
  return headerBytes + suffix.length + record.length;
}
