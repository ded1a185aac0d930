/**
 * The records of the log: see FORMAT.md. A record holds the pairs of a commit, or some of them. It
 * is written such that an incomplete record can be distinguished from a damaged one: what was not
 * written is zero, by sectors or from some byte on, and the last byte of a record is not zero.
 */
import { randomBytes } from 'node:crypto';
import { pairChecksum, storedChecksum, writeChecksum } from '../checksum.js';
import { readNumber64, readUint32BE, writeNumber64, writeUint32BE } from '../bytes.js';
import { pieceHeaderBytes, type Piece } from '../buffer/pair-arena.js';

/** Bytes of the header of a segment. */
export const segmentHeaderBytes = 64;
/** Bytes of the header of a record. */
export const recordHeaderBytes = pieceHeaderBytes;
const magic = Buffer.from('rowsmith');
const logVersion = 1;
const saltStart = 32;
const saltBytes = 8;
/** Last byte of a record. */
const trailer = 0xa5;
/** Power loss leaves each sector as it was or as it was written. */
export const sectorBytes = 512;
/** Bit of the fragment index in the last record of a commit. */
const lastFragment = 0x8000;

/** The header of a segment. */
export interface SegmentHeader {
  readonly number: number;
  /** Number of the first commit in the segment. */
  readonly firstCommit: number;
  /** Random bytes with which checksums begin, so that records of other files are not valid. */
  readonly salt: Uint8Array;
}

/** A new header. */
export function segmentHeader(number: number, firstCommit: number): SegmentHeader {
  return { number, firstCommit, salt: new Uint8Array(randomBytes(saltBytes)) };
}

/** The bytes of a header. */
export function encodeSegmentHeader({ number, firstCommit, salt }: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(segmentHeaderBytes);
  bytes.set(magic);
  writeUint32BE(bytes, 8, logVersion);
  writeNumber64(bytes, 16, number);
  writeNumber64(bytes, 24, firstCommit);
  bytes.set(salt, saltStart);
  const end = segmentHeaderBytes - 4;
  writeChecksum(bytes, end, pairChecksum(salt, 0, saltBytes, bytes, 0, end));
  return bytes;
}

/** Reads the header of a segment; undefined if it is not valid. */
export function decodeSegmentHeader(file: Uint8Array): SegmentHeader | undefined {
  if (file.length < segmentHeaderBytes) return undefined;
  const bytes = new Uint8Array(file.subarray(0, segmentHeaderBytes));
  const salt = bytes.slice(saltStart, saltStart + saltBytes);
  const sum = pairChecksum(salt, 0, saltBytes, bytes, 0, segmentHeaderBytes - 4);
  if (sum !== storedChecksum(bytes, segmentHeaderBytes)) return undefined;
  if (!magic.equals(bytes.subarray(0, magic.length)) || readUint32BE(bytes, 8) !== logVersion)
    return undefined;
  return { number: readNumber64(bytes, 16), firstCommit: readNumber64(bytes, 24), salt };
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

/** The header of a record. */
export interface RecordHeader {
  readonly commit: number;
  readonly fragment: number;
  readonly isLast: boolean;
  /** The pairs: `[start, end)` of the file. */
  readonly start: number;
  readonly end: number;
  /** Start of the next record. */
  readonly next: number;
  /** Sectors of the pairs that are written but zero. */
  readonly zeroSectors: number;
}

/** Reads the header of the record at a position; undefined if it is not valid. */
export function decodeRecordHeader(
  file: Uint8Array,
  position: number,
  salt: Uint8Array,
): RecordHeader | undefined {
  const headerEnd = position + recordHeaderBytes;
  if (headerEnd > file.length) return undefined;
  const sum = pairChecksum(salt, 0, saltBytes, file, position, headerEnd - 4);
  if (sum !== storedChecksum(file, headerEnd)) return undefined;
  const fragment = (file[position + 4] << 8) | file[position + 5];
  const end = headerEnd + readUint32BE(file, position);
  return {
    commit:
      readUint32BE(file, position + 6) * 0x1_0000 +
      ((file[position + 10] << 8) | file[position + 11]),
    fragment: fragment & (lastFragment - 1),
    isLast: fragment >= lastFragment,
    start: headerEnd,
    end,
    // At least one byte is left for the end mark.
    next: end + 8 - (end % 8),
    zeroSectors: readUint32BE(file, position + 12),
  };
}

/** True when the pairs of a record are as they were written. */
export function isIntact(
  file: Uint8Array,
  { start, end }: RecordHeader,
  salt: Uint8Array,
): boolean {
  if (end > file.length) return false;
  return (
    pairChecksum(salt, 0, saltBytes, file, start, end) ===
    storedChecksum(file, start - recordHeaderBytes + 20)
  );
}

/** True when the pairs of a record were not written completely, rather than damaged. */
export function isIncomplete(
  file: Uint8Array,
  { start, end, zeroSectors: zero }: RecordHeader,
): boolean {
  return end >= file.length || file[end] === 0 || zeroSectors(file, start, end, start) > zero;
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
