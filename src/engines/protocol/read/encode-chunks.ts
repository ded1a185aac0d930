/**
 * Rows -> ReadRowsResponse messages (google/bigtable/v2/bigtable.proto). Bytes are copied from the
 * cursor directly into the message, without an object per row, cell or chunk. As in production,
 * many rows share a message, and a chunk omits the key, family and qualifier if they are unchanged.
 */
import { varintLength } from '../../../data/cell/index.js';
import { compareSlices } from '../../../base/index.js';
import type { RowCursor } from '../../../data/store/index.js';

/** A message is closed at the end of a row once it has this many bytes. */
const fullMessageBytes = 64 * 1024;
/** The maximum part of a value per chunk. */
const maxPieceBytes = 1024 * 1024;
/**
 * A message is closed inside a row only where it would become larger than this. Google's Go client
 * rejects messages that end inside a row, and for emulators it and the Python client accept 4 MiB.
 */
const maxMessageBytes = 4 * 1024 * 1024;
/** From this many bytes on `set` is faster than a loop, although it needs a view. */
const minSetBytes = 96;
const initialBufferBytes = 2048;
/** Upper bound for the tags and lengths of one chunk, in bytes. */
const chunkOverhead = 64;

/** Tags of CellChunk's fields, and of `chunks` in ReadRowsResponse. */
const tag = {
  chunks: 0x0a,
  rowKey: 0x0a,
  familyName: 0x12,
  qualifier: 0x1a,
  timestamp: 0x20,
  label: 0x2a,
  value: 0x32,
  valueSize: 0x38,
  commitRow: 0x48,
} as const;
/** Field 1 of the wrappers StringValue and BytesValue. */
const wrapperValueTag = 0x0a;

/** Encodes rows, and closes messages as they fill. */
export class ChunkEncoder {
  /** Closed messages in order; the sender empties the list. */
  readonly messages: Buffer[] = [];
  /** Bytes of all closed messages so far. */
  closedBytes = 0;
  /** Rows and cells so far. */
  rows = 0;
  cells = 0;

  // Small, because most reads return one row: allocating 128 KiB would cost more than the read.
  #bytes: Buffer = Buffer.allocUnsafe(initialBufferBytes);
  #at = 0;
  /** Start of the last chunk's body, and the size of the length prefix before it. */
  #bodyStart = 0;
  #lengthBytes = 0;
  /** The last qualifier in `#bytes`; -1 if the next chunk must have a qualifier. */
  #qualifierStart = -1;
  #qualifierEnd = -1;
  #family = '';
  /** The encoded family_name field of each family so far, by name. */
  readonly #familyFields = new Map<string, Buffer>();

  /** Bytes of the message that is not closed yet. */
  get openBytes(): number {
    return this.#at;
  }

  /** Encodes the cursor's current row with all its cells; nothing if it has none. */
  addRow(cursor: RowCursor): void {
    if (!cursor.nextCell()) return;
    this.#qualifierStart = -1;
    this.#family = '';
    this.rows++;
    this.#addCell(cursor, true);
    while (cursor.nextCell()) this.#addCell(cursor, false);
    this.#commit();
    if (this.#at >= fullMessageBytes) this.close();
  }

  /** Closes the current message, unless it is empty. */
  close(): void {
    if (this.#at === 0) return;
    // A copy, because the buffer is reused for the next message.
    this.messages.push(Buffer.from(this.#bytes.subarray(0, this.#at)));
    this.closedBytes += this.#at;
    this.#at = 0;
    this.#qualifierStart = -1;
    if (this.#bytes.length > 4 * maxPieceBytes)
      this.#bytes = Buffer.allocUnsafe(initialBufferBytes);
  }

  #addCell(cursor: RowCursor, first: boolean): void {
    const { family, qualifierBytes, qualifierStart, qualifierEnd, valueStart, valueEnd, labels } =
      cursor;
    const total = valueEnd - valueStart;
    const piece = Math.min(total, maxPieceBytes);
    this.cells++;
    const micros = cursor.timestamp();
    const sameFamily = family === this.#family;
    const sameQualifier =
      sameFamily &&
      this.#qualifierStart >= 0 &&
      compareSlices(
        this.#bytes,
        this.#qualifierStart,
        this.#qualifierEnd,
        qualifierBytes,
        qualifierStart,
        qualifierEnd,
      ) === 0;
    const qualifierLength = qualifierEnd - qualifierStart;
    let familyField: Buffer | undefined;

    let body = 0;
    if (first) {
      const keyLength = cursor.keyEnd - cursor.keyStart;
      body += 1 + varintLength(keyLength) + keyLength;
    }
    if (!sameFamily) {
      familyField = this.#familyField(family);
      body += familyField.length;
    }
    let wrapped = 0;
    if (qualifierLength > 0) wrapped = 1 + varintLength(qualifierLength) + qualifierLength;
    if (!sameQualifier) body += 1 + varintLength(wrapped) + wrapped;
    const timeLength = timestampLength(micros);
    if (micros !== 0n) body += 1 + timeLength;
    for (const label of labels) body += 1 + varintLength(label.length) + label.length;
    if (piece > 0) body += 1 + varintLength(piece) + piece;
    if (piece < total) body += 1 + varintLength(total);

    this.#begin(body);
    if (first) this.#field(tag.rowKey, cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    if (familyField !== undefined) {
      this.#copy(familyField, 0, familyField.length);
      this.#family = family;
    }
    if (!sameQualifier) {
      this.#bytes[this.#at++] = tag.qualifier;
      this.#varint(wrapped);
      if (wrapped > 0) this.#field(wrapperValueTag, qualifierBytes, qualifierStart, qualifierEnd);
      this.#qualifierEnd = this.#at;
      this.#qualifierStart = this.#at - qualifierLength;
    }
    if (micros !== 0n) this.#timestamp(micros);
    for (const label of labels) this.#label(label);
    if (piece > 0) this.#field(tag.value, cursor.valueBytes, valueStart, valueStart + piece);
    if (piece < total) {
      this.#bytes[this.#at++] = tag.valueSize;
      this.#varint(total);
      this.#addPieces(cursor, valueStart + piece);
    }
  }

  /** The rest of a value that is split over chunks: all but the last have value_size. */
  #addPieces(cursor: RowCursor, from: number): void {
    const total = cursor.valueEnd - cursor.valueStart;
    for (let start = from; start < cursor.valueEnd; start += maxPieceBytes) {
      const end = Math.min(start + maxPieceBytes, cursor.valueEnd);
      const isLast = end === cursor.valueEnd;
      let body = 1 + varintLength(end - start) + end - start;
      if (!isLast) body += 1 + varintLength(total);
      this.#begin(body);
      this.#field(tag.value, cursor.valueBytes, start, end);
      if (isLast) continue;
      this.#bytes[this.#at++] = tag.valueSize;
      this.#varint(total);
    }
  }

  #begin(body: number): void {
    if (this.#at + body + chunkOverhead > maxMessageBytes) this.close();
    this.#reserve(body + chunkOverhead);
    this.#bytes[this.#at++] = tag.chunks;
    this.#lengthBytes = varintLength(body);
    this.#varint(body);
    this.#bodyStart = this.#at;
  }

  /**
   * Adds commit_row to the last chunk. The end of a row is known only after its last cell was
   * written.
   */
  #commit(): void {
    const body = this.#at - this.#bodyStart + 2;
    const grows = varintLength(body) - this.#lengthBytes;
    if (grows > 0) this.#bytes.copyWithin(this.#bodyStart + grows, this.#bodyStart, this.#at);
    const end = this.#at + grows;
    this.#at = this.#bodyStart - this.#lengthBytes;
    this.#varint(body);
    this.#at = end;
    this.#bytes[this.#at++] = tag.commitRow;
    this.#bytes[this.#at++] = 1;
  }

  #familyField(family: string): Buffer {
    const known = this.#familyFields.get(family);
    if (known !== undefined) return known;
    const name = Buffer.from(family, 'utf8');
    // Both lengths are one byte: family names have at most 64 characters.
    const field = Buffer.concat([
      Buffer.of(tag.familyName, name.length + 2, wrapperValueTag, name.length),
      name,
    ]);
    this.#familyFields.set(family, field);
    return field;
  }

  #field(fieldTag: number, bytes: Uint8Array, start: number, end: number): void {
    this.#bytes[this.#at++] = fieldTag;
    this.#varint(end - start);
    this.#copy(bytes, start, end);
  }

  /** Labels are ASCII: [a-z0-9-], at most 15 (data.proto, apply_label_transformer). */
  #label(label: string): void {
    this.#bytes[this.#at++] = tag.label;
    this.#varint(label.length);
    this.#at += this.#bytes.write(label, this.#at, 'latin1');
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    if (end - start >= minSetBytes) {
      bytes.set(from.subarray(start, end), at);
      this.#at = at + end - start;
      return;
    }
    for (let i = start; i < end; i++) bytes[at++] = from[i];
    this.#at = at;
  }

  #timestamp(micros: bigint): void {
    this.#bytes[this.#at++] = tag.timestamp;
    if (micros > 0n && micros <= BigInt(Number.MAX_SAFE_INTEGER)) {
      let value = Number(micros);
      while (value >= 0x80) {
        this.#bytes[this.#at++] = (value % 0x80) | 0x80;
        value = Math.floor(value / 0x80);
      }
      this.#bytes[this.#at++] = value;
      return;
    }
    let value = BigInt.asUintN(64, micros);
    for (; value >= 0x80n; value >>= 7n) this.#bytes[this.#at++] = Number(value & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(value);
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (value >= 0x80) {
      bytes[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
    this.#at = at;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Bytes of a timestamp as a varint. */
function timestampLength(micros: bigint): number {
  if (micros < 0n) return 10;
  const value = Number(micros);
  // Current times in microseconds take 51 bits.
  if (value >= 2 ** 49 && value < 2 ** 53) return 8;
  let length = 1;
  if (value < 2 ** 49) for (let limit = 2 ** 7; value >= limit; limit *= 2 ** 7) length++;
  else for (let rest = micros >> 7n; rest > 0n; rest >>= 7n) length++;
  return length;
}
