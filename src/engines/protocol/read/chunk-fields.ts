/**
 * The fields of one CellChunk (google/bigtable/v2/bigtable.proto) as offsets into its message. One
 * object is reused for every chunk.
 */
import type { FaultTexts } from '../../../base/index.js';
import {
  cursor,
  malformedError,
  readBool,
  readEnd,
  readInt64,
  readTag,
  readUint32,
  skip,
} from '../../../data/cell/index.js';

/** Field tags: number and wire type. */
const tags = {
  rowKey: 0x0a,
  familyName: 0x12,
  qualifier: 0x1a,
  timestamp: 0x20,
  label: 0x2a,
  value: 0x32,
  valueSize: 0x38,
  resetRow: 0x40,
  commitRow: 0x48,
} as const;
/** Field 1 of the wrappers StringValue and BytesValue. */
const wrapperValueTag = 0x0a;

/** A start is -1 where the field is absent; ends are exclusive. */
export class ChunkFields {
  keyStart = -1;
  keyEnd = 0;
  familyStart = -1;
  familyEnd = 0;
  qualifierStart = -1;
  qualifierEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  /** Microseconds: the low and high half of an int64. */
  timestampLow = 0;
  timestampHigh = 0;
  labels: string[] | undefined;
  valueSize = 0;
  reset = false;
  commit = false;

  /** Reads the chunk at `[at, end)` of a message. Throws CodecError if it is malformed. */
  read(b: Uint8Array, at: number, end: number): void {
    this.keyStart = this.familyStart = this.qualifierStart = -1;
    this.valueStart = this.valueEnd = this.timestampLow = this.timestampHigh = this.valueSize = 0;
    this.labels = undefined;
    this.reset = this.commit = false;
    while (at < end) {
      switch (b[at]) {
        case tags.value:
          this.valueEnd = lengthEnd(b, at + 1, end);
          this.valueStart = cursor.at;
          at = this.valueEnd;
          break;
        case tags.timestamp:
          at = this.#readTimestamp(b, at + 1, end);
          break;
        case tags.qualifier:
          at = lengthEnd(b, at + 1, end);
          this.qualifierEnd = unwrap(b, cursor.at, at);
          this.qualifierStart = cursor.at;
          break;
        case tags.rowKey:
          this.keyEnd = lengthEnd(b, at + 1, end);
          at = this.keyEnd;
          this.keyStart = cursor.at;
          // An empty key counts as absent.
          if (cursor.at === at) this.keyStart = -1;
          break;
        case tags.familyName:
          at = lengthEnd(b, at + 1, end);
          this.familyEnd = unwrap(b, cursor.at, at);
          this.familyStart = cursor.at;
          break;
        default:
          at = this.#readRare(b, at, end);
      }
    }
  }

  #readRare(b: Uint8Array, at: number, end: number): number {
    const tag = readTag(b, at, end);
    at = cursor.at;
    switch (tag) {
      // commit_row and reset_row are a oneof: the last one wins.
      case tags.commitRow:
        this.commit = readBool(b, at, end);
        this.reset = false;
        return cursor.at;
      case tags.resetRow:
        this.reset = readBool(b, at, end);
        this.commit = false;
        return cursor.at;
      case tags.valueSize:
        this.valueSize = readUint32(b, at, end);
        return cursor.at;
      case tags.label: {
        const last = readEnd(b, at, end);
        (this.labels ??= []).push(
          Buffer.from(b.buffer, b.byteOffset + cursor.at, last - cursor.at).toString('utf8'),
        );
        return last;
      }
      default:
        return skip(b, at, end, tag, 1);
    }
  }

  /** Current times in microseconds are varints of eight bytes, which are decoded inline. */
  #readTimestamp(b: Uint8Array, at: number, end: number): number {
    if (at + 8 <= end) {
      const b3 = b[at + 3],
        b7 = b[at + 7];
      if (
        (b[at] & b[at + 1] & b[at + 2] & b3 & b[at + 4] & b[at + 5] & b[at + 6]) > 0x7f &&
        b7 < 0x80
      ) {
        const upper =
          (b[at + 4] & 0x7f) | ((b[at + 5] & 0x7f) << 7) | ((b[at + 6] & 0x7f) << 14) | (b7 << 21);
        this.timestampLow =
          (b[at] & 0x7f) |
          ((b[at + 1] & 0x7f) << 7) |
          ((b[at + 2] & 0x7f) << 14) |
          ((b3 & 0x7f) << 21) |
          (upper << 28);
        this.timestampHigh = upper >>> 4;
        return at + 8;
      }
    }
    const micros = readInt64(b, at, end);
    this.timestampLow = Number(BigInt.asIntN(32, micros));
    this.timestampHigh = Number(micros >> 32n);
    return cursor.at;
  }
}

/** readEnd, with lengths of one byte decoded inline. */
function lengthEnd(b: Uint8Array, at: number, end: number): number {
  const length = b[at];
  if (length > 0x7f || at >= end) return readEnd(b, at, end);
  cursor.at = at + 1;
  const last = at + 1 + length;
  if (last > end) throw malformedError(faults.lengthPastEnd);
  return last;
}

/**
 * Returns the end of a wrapper's value and sets `cursor.at` to its start. Without field 1 the value
 * is empty.
 */
function unwrap(b: Uint8Array, at: number, end: number): number {
  if (at + 1 < end && b[at] === wrapperValueTag && b[at + 1] === end - at - 2) {
    cursor.at = at + 2;
    return end;
  }
  let start = at,
    last = at;
  while (at < end) {
    const tag = readTag(b, at, end);
    if (tag !== wrapperValueTag) {
      at = skip(b, cursor.at, end, tag, 1);
      continue;
    }
    at = last = readEnd(b, cursor.at, end);
    start = cursor.at;
  }
  cursor.at = start;
  return last;
}

const faults = {
  lengthPastEnd: { problem: 'a length goes past the end of the bytes' },
} satisfies FaultTexts;
