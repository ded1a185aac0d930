/** What a node serves and stores, as Google publishes it, and what requests cost of it. */

/** Kinds of storage of a cluster. */
export type StorageKind = 'ssd' | 'hdd';

/** A node that does only one of these things. */
export interface NodeProfile {
  /** Rows a second that are read by key. */
  readonly reads: number;
  /** Rows a second that are written. */
  readonly writes: number;
  /** Bytes a second of scans. */
  readonly scanned: number;
  /** Bytes that it may store. */
  readonly stored: number;
}

/**
 * As of November 2026, for rows of 1 KB. Rates: docs.cloud.google.com/bigtable/docs/performance;
 * storage: docs.cloud.google.com/bigtable/quotas, where 1 TB is 2^40 bytes.
 */
export const nodeProfiles: Readonly<Record<StorageKind, NodeProfile>> = {
  ssd: { reads: 17_000, writes: 14_000, scanned: 220e6, stored: 5 * 1024 ** 4 },
  hdd: { reads: 500, writes: 10_000, scanned: 180e6, stored: 16 * 1024 ** 4 },
};

/**
 * Shares of what a node serves from which a row, a range or a tablet is worth a warning, and is an
 * error. As of November 2026 docs.cloud.google.com/bigtable/docs/performance recommends to keep
 * nodes below 60 % for low latency: from the error on, load that doubles is more than that.
 */
export const nodeShares = Object.freeze({ warning: 0.1, error: 0.3 });

/** Requests for single rows, on average: 0.5 writes are one in half of the cases. */
export interface RowAccess {
  readonly reads: number;
  readonly writes: number;
  /** Of all these writes. */
  readonly writtenBytes: number;
}

/** Bytes of the rows for which the rates hold. */
const profiledBytes = 1_024;

/** The time of one node that a write takes, in seconds. Small rows cost as much as 1 KB. */
export function secondsOfWrite({ writes }: NodeProfile, bytes: number): number {
  return Math.max(1, bytes / profiledBytes) / writes;
}

/** The same of a read: a first row for each request, and the further bytes as a scan. */
export function secondsOfRead(
  { reads, scanned }: NodeProfile,
  requests: number,
  bytes: number,
): number {
  return requests / reads + Math.max(0, bytes - requests * profiledBytes) / scanned;
}

/** The same of several requests for rows. */
export function secondsOfAccess(
  profile: NodeProfile,
  { reads, writes, writtenBytes }: RowAccess,
): number {
  const written = writes === 0 ? 0 : writes * secondsOfWrite(profile, writtenBytes / writes);
  return secondsOfRead(profile, reads, 0) + written;
}
