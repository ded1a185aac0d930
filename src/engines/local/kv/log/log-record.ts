/**
 * The records of the log: see FORMAT.md. A record holds the pairs of a commit, or some of them. It
 * is written such that an incomplete record can be distinguished from a damaged one: what was not
 * written is zero, by sectors or from some byte on, and the last byte of a record is not zero.
 */
import { pairChecksum, storedChecksum, writeChecksum } from '../checksum.js';
import { readUint32BE, writeUint32BE } from '../bytes.js';
import {
  decodeFileHeader,
  encodeFileHeader,
  fileHeaderBytes,
  logKind,
  saltBytes,
} from '../directory/file-header.js';
import type { FileId } from '../directory/file-names.js';
import { pieceHeaderBytes, type Piece } from '../buffer/pair-arena.js';

export const segmentHeaderBytes = fileHeaderBytes;
export const recordHeaderBytes = pieceHeaderBytes;
const trailer = 0xa5;
/** Power loss leaves each sector as it was or as it was written. */
export const sectorBytes = 512;
/** Bit of the fragment index in the last record of a commit. */
const lastFragment = 0x8000;

export interface SegmentId extends FileId {
  /** Random bytes with which checksums begin, so that records of other files are not valid. */
  readonly salt: Uint8Array;
  /** Number of the first commit in the segment. */
  readonly firstCommit: number;
}

export interface SegmentHeader extends SegmentId {
  readonly database: Uint8Array;
  /** The salt of the segment before; zeros in the first segment of a database. */
  readonly previousSalt: Uint8Array;
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  return encodeFileHeader({ ...header, kind: logKind });
}

/** Reads the header of a segment; undefined if it is not valid. */
export function decodeSegmentHeader(file: Uint8Array): SegmentHeader | undefined {
  const header = decodeFileHeader(file);
  return header?.kind === logKind ? header : undefined;
}

/**
 * Writes the header and the end of a record around the pairs in a chunk, and returns the end of the
 * record in the chunk. `position` is its position in the file.
 */
export function completeRecord(
  { chunk, start, end }: Piece,
  commit: number,
  fragment: number,
  isLast: boolean,
  salt: Uint8Array,
  position: number,
): number {
  const header = start - recordHeaderBytes;
  const recordEnd = (end + 8) & ~7;
  chunk.fill(0, end, recordEnd);
  chunk[end] = trailer;
  writeUint32BE(chunk, header, end - start);
  chunk[header + 4] = fragment >>> 8;
  if (isLast) chunk[header + 4] |= lastFragment >>> 8;
  chunk[header + 5] = fragment;
  writeUint32BE(chunk, header + 6, Math.floor(commit / 0x1_0000));
  chunk[header + 10] = commit >>> 8;
  chunk[header + 11] = commit;
  writeChecksum(chunk, header + 16, pairChecksum(salt, 0, saltBytes, chunk, start, end));
  writeUint32BE(chunk, header + 12, zeroSectors(chunk, start, end, position + recordHeaderBytes));
  writeChecksum(chunk, header + 20, pairChecksum(salt, 0, saltBytes, chunk, header, header + 20));
  return recordEnd;
}

export interface RecordHeader {
  readonly commit: number;
  readonly fragment: number;
  readonly isLast: boolean;
  readonly start: number;
  readonly end: number;
  /** Start of the next record. */
  readonly next: number;
  /** Sectors of the pairs that are written but zero. */
  readonly zeroSectors: number;
}

/** A part of a file in memory; it begins with a sector. */
export interface FilePart {
  readonly bytes: Uint8Array;
  /** Position of the part in the file. */
  readonly from: number;
}

/** Reads the header of the record at a position; undefined if it is not valid. */
export function decodeRecordHeader(
  { bytes, from }: FilePart,
  position: number,
  salt: Uint8Array,
): RecordHeader | undefined {
  const at = position - from;
  const headerEnd = at + recordHeaderBytes;
  if (headerEnd > bytes.length) return undefined;
  const sum = pairChecksum(salt, 0, saltBytes, bytes, at, headerEnd - 4);
  if (sum !== storedChecksum(bytes, headerEnd)) return undefined;
  const fragment = (bytes[at + 4] << 8) | bytes[at + 5];
  const start = position + recordHeaderBytes;
  const end = start + readUint32BE(bytes, at);
  return {
    commit: readUint32BE(bytes, at + 6) * 0x1_0000 + ((bytes[at + 10] << 8) | bytes[at + 11]),
    fragment: fragment & (lastFragment - 1),
    isLast: fragment >= lastFragment,
    start,
    end,
    // At least one byte is left for the end mark.
    next: end + 8 - (end % 8),
    zeroSectors: readUint32BE(bytes, at + 12),
  };
}

/** True when the pairs of a record are as they were written. The part holds its header as well. */
export function isIntact(
  { bytes, from }: FilePart,
  { start, end }: RecordHeader,
  salt: Uint8Array,
): boolean {
  if (end - from > bytes.length) return false;
  return (
    pairChecksum(salt, 0, saltBytes, bytes, start - from, end - from) ===
    storedChecksum(bytes, start - from - recordHeaderBytes + 20)
  );
}

/**
 * True when the pairs of a record were not written completely, rather than damaged. The part ends
 * with the record, or before it if the file does.
 */
export function isIncomplete(
  { bytes, from }: FilePart,
  { start, end, zeroSectors: zero }: RecordHeader,
): boolean {
  const endAt = end - from;
  return (
    endAt >= bytes.length ||
    bytes[endAt] === 0 ||
    zeroSectors(bytes, start - from, endAt, start) > zero
  );
}

/**
 * Number of sectors of the file that are zero where they overlap with bytes `[start, end)`, which
 * are at `position` in the file.
 */
function zeroSectors(bytes: Uint8Array, start: number, end: number, position: number): number {
  let count = 0;
  for (let at = start; at < end;) {
    const sectorEnd = Math.min(end, at + sectorBytes - ((position + at - start) % sectorBytes));
    let i = at;
    while (i < sectorEnd && bytes[i] === 0) i++;
    if (i === sectorEnd) count++;
    at = sectorEnd;
  }
  return count;
}
