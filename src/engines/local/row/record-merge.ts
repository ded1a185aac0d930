/**
 * A ready row's record put together with the one that is stored, from bytes to bytes: what a draft
 * of the row would write (row-draft.ts).
 */
import { compareSlices, noBytes } from '../../../bytes/index.js';
import type { Collects } from '../table/gc.js';
import {
  type ByteReader,
  ByteWriter,
  hasOverflow,
  maxInlineFamilyBytes,
  readUint32,
} from '../kv/record.js';
import type { TableState } from '../table/table-state.js';

/**
 * What became of a row: the record to store, none where every cell is collected, or nothing that
 * can be done here.
 */
export type Merge = Uint8Array | 'empty' | 'too large';

/** Bytes of the length of a section while its body is written: enough for `largestInlineFamily`. */
const lengthRoom = 2;

/**
 * The cells of both records, those of `fresh` in place of stored ones; what the rules collect at
 * `now` (microseconds; undefined: nothing) is left out. The rules never take a cell and leave an
 * older one of its column, so that once is as good as before and after.
 */
export function mergeRecords(
  table: TableState,
  stored: ByteReader | undefined,
  fresh: ByteReader,
  now: number | undefined,
): Merge {
  if (stored !== undefined && stored.bytes[stored.at] === hasOverflow) return 'too large';
  if (
    stored !== undefined &&
    !table.collectsNewest &&
    replacesOnly(table, stored, fresh, now !== undefined)
  )
    return fresh.bytes;
  const old = new Sections(stored, table);
  const added = new Sections(fresh, table);
  const writer = new ByteWriter(old.bytes + added.bytes + lengthRoom * table.families.size);
  writer.byte(0);
  for (const { id, collects } of table.families.values()) {
    if (old.id < 0 && added.id < 0) break;
    if (old.id !== id && added.id !== id) continue;
    const start = writer.at;
    writer.varint(id * 2);
    const body = (writer.at += lengthRoom);
    mergeCells(
      old.id === id ? old : none,
      added.id === id ? added : none,
      now === undefined ? undefined : collects,
      now ?? 0,
      writer,
    );
    const length = writer.at - body;
    if (length > maxInlineFamilyBytes) return 'too large';
    if (length === 0) writer.at = start;
    else closeBody(writer, body, length);
    if (old.id === id) old.next();
    if (added.id === id) added.next();
  }
  return writer.at === 1 ? 'empty' : writer.bytes.subarray(0, writer.at);
}

/**
 * True when both records are one cell of the same column, and the fresh one takes the place of the
 * other: most rows that are saved again.
 */
function replacesOnly(
  table: TableState,
  stored: ByteReader,
  fresh: ByteReader,
  collecting: boolean,
): boolean {
  const { bytes: a, at: aAt, end: aEnd } = stored;
  const { bytes: b, at: bAt, end: bEnd } = fresh;
  // Small family numbers are one byte, and then come the lengths of the bodies, of one or two.
  const id = a[aAt + 1];
  if (id !== b[bAt + 1] || id >= 0x80 || !isBody(a, aAt + 2, aEnd) || !isBody(b, bAt + 2, bEnd))
    return false;
  left.read(a, aAt + 3 + (a[aAt + 2] >>> 7));
  right.read(b, bAt + 3 + (b[bAt + 2] >>> 7));
  if (left.end !== aEnd || right.end !== bEnd) return false;
  if (
    compareSlices(
      a,
      left.qualifierStart,
      left.qualifierEnd,
      b,
      right.qualifierStart,
      right.qualifierEnd,
    ) !== 0
  )
    return false;
  if (left.high === right.high && left.low === right.low) return true;
  const newer = right.high > left.high || (right.high === left.high && right.low > left.low);
  return newer && collecting && table.byId[id >>> 1]?.keepsOne === true;
}

/** True when the length at `at` is that of all the bytes behind it. */
function isBody(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes[at] < 0x80
    ? at + 1 + bytes[at] === end
    : bytes[at + 1] < 0x80 && at + 2 + (bytes[at] & 0x7f) + bytes[at + 1] * 128 === end;
}

/** Walks the sections of a record; those of dropped families are passed over. */
class Sections {
  /** Number of the family; negative behind the last section. */
  id = -1;
  at = 0;
  end = 0;
  /** The buffer of the record. */
  readonly buffer: Uint8Array;
  /** Bytes of the record. */
  readonly bytes: number;

  readonly #reader: ByteReader | undefined;
  readonly #table: TableState | undefined;

  constructor(reader: ByteReader | undefined, table: TableState | undefined) {
    this.#reader = reader;
    this.#table = table;
    this.buffer = reader === undefined ? noBytes : reader.bytes;
    this.bytes = reader === undefined ? 0 : reader.end - reader.at;
    if (reader === undefined) return;
    reader.at++;
    this.next();
  }

  next(): void {
    const reader = this.#reader!;
    const { byId } = this.#table!;
    this.id = -1;
    while (reader.at < reader.end && this.id < 0) {
      const id = reader.varint() >>> 1;
      this.end = reader.varint() + reader.at;
      this.at = reader.at;
      reader.at = this.end;
      if (byId[id] !== undefined) this.id = id;
    }
  }
}

/** A cell of a run: where it and its parts lie. */
class CellSpan {
  start = 0;
  qualifierStart = 0;
  qualifierEnd = 0;
  high = 0;
  low = 0;
  end = 0;

  /** Takes the cell at `at`. */
  read(bytes: Uint8Array, at: number): void {
    this.start = at;
    let length = bytes[at++];
    for (let scale = 128; bytes[at - 1] >= 0x80; scale *= 128) length += (bytes[at++] - 1) * scale;
    this.qualifierStart = at;
    at = this.qualifierEnd = at + length;
    this.high = readUint32(bytes, at);
    this.low = readUint32(bytes, at + 4);
    at += 8;
    let tag = bytes[at++];
    for (let scale = 128; bytes[at - 1] >= 0x80; scale *= 128) tag += (bytes[at++] - 1) * scale;
    this.end = at + tag / 2;
  }
}

/** One for each side: nothing keeps them. */
const left = new CellSpan();
const right = new CellSpan();
const none = new Sections(undefined, undefined);

function mergeCells(
  old: Sections,
  added: Sections,
  collects: Collects | undefined,
  now: number,
  writer: ByteWriter,
): void {
  const { buffer: a, end: aEnd } = old;
  const { buffer: b, end: bEnd } = added;
  const column = new Column(collects, now, writer);
  let more = old.at < aEnd;
  if (more) left.read(a, old.at);
  for (let at = added.at; at < bEnd; at = right.end) {
    right.read(b, at);
    while (more) {
      const order = comparePlaces(a, left, b, right);
      if (order > 0) break;
      if (order < 0) column.write(a, left);
      more = left.end < aEnd;
      if (more) left.read(a, left.end);
    }
    column.write(b, right);
  }
  while (more) {
    column.write(a, left);
    more = left.end < aEnd;
    if (more) left.read(a, left.end);
  }
}

/** Writes the cells of a family and leaves out what is collected. */
class Column {
  #bytes: Uint8Array = noBytes;
  #start = 0;
  #end = 0;
  #index = -1;

  readonly #collects: Collects | undefined;
  readonly #now: number;
  readonly #writer: ByteWriter;

  constructor(collects: Collects | undefined, now: number, writer: ByteWriter) {
    this.#collects = collects;
    this.#now = now;
    this.#writer = writer;
  }

  write(bytes: Uint8Array, cell: CellSpan): void {
    const collects = this.#collects;
    const writer = this.#writer;
    if (collects !== undefined) {
      const same =
        this.#index >= 0 &&
        compareSlices(
          this.#bytes,
          this.#start,
          this.#end,
          bytes,
          cell.qualifierStart,
          cell.qualifierEnd,
        ) === 0;
      this.#index = same ? this.#index + 1 : 0;
      this.#bytes = bytes;
      this.#start = cell.qualifierStart;
      this.#end = cell.qualifierEnd;
      if (collects(this.#index, this.#now - (cell.high * 0x1_0000_0000 + cell.low))) return;
    }
    const { bytes: out, at } = writer;
    const { start, end } = cell;
    if (end - start > 256) out.set(bytes.subarray(start, end), at);
    else for (let i = start; i < end; i++) out[at + i - start] = bytes[i];
    writer.at = at + end - start;
  }
}

/** Qualifiers ascending, then newest first. */
function comparePlaces(a: Uint8Array, x: CellSpan, b: Uint8Array, y: CellSpan): number {
  const order = compareSlices(
    a,
    x.qualifierStart,
    x.qualifierEnd,
    b,
    y.qualifierStart,
    y.qualifierEnd,
  );
  return order !== 0 ? order : y.high !== x.high ? y.high - x.high : y.low - x.low;
}

/** Puts the length of the body before it. */
function closeBody(writer: ByteWriter, body: number, length: number): void {
  const { bytes } = writer;
  if (length < 0x80) {
    bytes[body - lengthRoom] = length;
    bytes.copyWithin(body - 1, body, body + length);
    writer.at--;
  } else {
    bytes[body - lengthRoom] = (length & 0x7f) | 0x80;
    bytes[body - 1] = length >>> 7;
  }
}
