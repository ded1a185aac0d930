/**
 * Rows -> ReadRowsResponse messages (google/bigtable/v2/bigtable.proto), from the cursor's bytes
 * straight into the wire's: no object for a row, a cell or a chunk. As production does, many rows
 * share a message, and a chunk leaves out the key, family and qualifier that have not changed since
 * the last one.
 */
import { compareSlices } from '../../bytes/index.js';
import type { RowCursor } from '../../store/index.js';

/** Bytes past which a message is closed at the end of a row. */
const fullMessage = 64 * 1024;
/** Bytes past which a message is closed inside a row, and the longest piece of a value. */
const longestPiece = 1024 * 1024;
/** Bytes from which a copy by the machine is faster than one by a loop (it costs a view). */
const longCopy = 96;
/** Bytes that a writer begins with; they grow by doubling. */
const firstBuffer = 2048;
/** Room for the tags and lengths of one chunk, without its bytes. */
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

/** Collects rows and closes messages as they fill. */
export class ChunkEncoder {
  /** Messages that are full, in order; whoever sends them empties the list. */
  readonly messages: Buffer[] = [];
  /** Bytes written since the writer was made. */
  written = 0;

  // Small: most reads are of one row, and 128 KiB for each would cost more than the read.
  #bytes: Buffer = Buffer.allocUnsafe(firstBuffer);
  #at = 0;
  /** Where the body of the last chunk begins, and how many bytes its length takes before it. */
  #bodyStart = 0;
  #lengthBytes = 0;
  /** The last qualifier in `bytes`; -1 when the next chunk must name its own. */
  #qualifierStart = -1;
  #qualifierEnd = -1;
  #family = '';
  /** The field family_name for each family there was, by name. */
  readonly #familyFields = new Map<string, Buffer>();

  /** Bytes of the message that is not closed yet. */
  get open(): number {
    return this.#at;
  }

  /** Writes the cursor's row, reading its cells to the end. A row without cells is none. */
  addRow(cursor: RowCursor): void {
    if (!cursor.nextCell()) return;
    this.#qualifierStart = -1;
    this.#family = '';
    this.#addCell(cursor, true);
    while (cursor.nextCell()) {
      if (this.#at > longestPiece) this.close();
      this.#addCell(cursor, false);
    }
    this.#commit();
    if (this.#at >= fullMessage) this.close();
  }

  /** Closes the message that is being written, unless it is empty. */
  close(): void {
    if (this.#at === 0) return;
    // A copy: the next message is written over these bytes.
    this.messages.push(Buffer.from(this.#bytes.subarray(0, this.#at)));
    this.written += this.#at;
    this.#at = 0;
    this.#qualifierStart = -1;
    if (this.#bytes.length > 4 * longestPiece) this.#bytes = Buffer.allocUnsafe(firstBuffer);
  }

  #addCell(cursor: RowCursor, first: boolean): void {
    const { family, qualifierBytes, qualifierStart, qualifierEnd, valueStart, valueEnd, labels } =
      cursor;
    const total = valueEnd - valueStart;
    const piece = Math.min(total, longestPiece);
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
    const familyField = sameFamily ? undefined : this.#familyField(family);
    const keyLength = first ? cursor.keyEnd - cursor.keyStart : 0;
    const qualifierLength = qualifierEnd - qualifierStart;

    let body = 0;
    if (first) body += 1 + varintLength(keyLength) + keyLength;
    if (familyField !== undefined) body += familyField.length;
    const wrapped = qualifierLength === 0 ? 0 : 1 + varintLength(qualifierLength) + qualifierLength;
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
      if (wrapped > 0) this.#field(0x0a, qualifierBytes, qualifierStart, qualifierEnd);
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

  /** The rest of a value that is sent in pieces: each but the last says the size of the whole. */
  #addPieces(cursor: RowCursor, from: number): void {
    const total = cursor.valueEnd - cursor.valueStart;
    for (let start = from; start < cursor.valueEnd; start += longestPiece) {
      if (this.#at > longestPiece) this.close();
      const end = Math.min(start + longestPiece, cursor.valueEnd);
      const last = end === cursor.valueEnd;
      this.#begin(
        1 + varintLength(end - start) + end - start + (last ? 0 : 1 + varintLength(total)),
      );
      this.#field(tag.value, cursor.valueBytes, start, end);
      if (last) continue;
      this.#bytes[this.#at++] = tag.valueSize;
      this.#varint(total);
    }
  }

  #begin(body: number): void {
    this.#room(body + chunkOverhead);
    this.#bytes[this.#at++] = tag.chunks;
    this.#lengthBytes = varintLength(body);
    this.#varint(body);
    this.#bodyStart = this.#at;
  }

  /**
   * Marks the last chunk as the end of its row. Only after a cell is it known that no other
   * follows.
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
      Buffer.of(tag.familyName, name.length + 2, 0x0a, name.length),
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
    if (end - start >= longCopy) {
      // Not from.subarray(): lmdb's shared buffer patches its own length.
      bytes.set(new Uint8Array(from.buffer, from.byteOffset + start, end - start), at);
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

  #room(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafeSlow(2 * (this.#at + length));
    this.#bytes.copy(longer, 0, 0, this.#at);
    this.#bytes = longer;
  }
}

/** Bytes of an unsigned number below 2^31 as varint. */
function varintLength(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

/** Bytes of a timestamp as varint. */
function timestampLength(micros: bigint): number {
  if (micros < 0n) return 10;
  const value = Number(micros);
  // Today's microseconds take 51 bits.
  if (value >= 2 ** 49 && value < 2 ** 53) return 8;
  let length = 1;
  if (value < 2 ** 49) for (let limit = 2 ** 7; value >= limit; limit *= 2 ** 7) length++;
  else for (let rest = micros >> 7n; rest > 0n; rest >>= 7n) length++;
  return length;
}
