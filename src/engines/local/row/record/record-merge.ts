/**
 * Merges a new record into the stored one, from bytes to bytes. The result is what RowBuilder would
 * write.
 */
import { compareSlices, noBytes } from '../../../../base/index.js';
import { ByteReader, ByteWriter, readUint32BE } from '../../kv/bytes.js';
import type { GcPredicate } from '../../table/gc.js';
import type { TableState } from '../../table/table-state.js';
import { hasOverflow, maxInlineFamilyBytes } from './record-limits.js';

/**
 * The merged record; `fresh` when it is the record of the new row, `empty` when all cells are
 * collected, `too large` when RowBuilder must be used because the row has or needs overflow values.
 */
export type MergeResult = Uint8Array | 'fresh' | 'empty' | 'too large';

/** A record: `[start, end)` of a buffer. */
export class RecordSlice {
  bytes: Uint8Array = noBytes;
  start = 0;
  end = 0;

  set(bytes: Uint8Array, start: number, end: number): this {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    return this;
  }
}

/** Bytes reserved for the length of a body, a varint up to `maxInlineFamilyBytes`. */
const maxLengthBytes = 2;

/**
 * Merges the cells of both records; cells of `fresh` replace stored ones. Cells that the rules
 * collect at the time of `clock` (in microseconds) are omitted; if it is undefined, none are.
 * Collecting once, after merging, is enough: the rules never collect a cell and keep an older one
 * of its column.
 */
export function mergeRecords(
  table: TableState,
  stored: RecordSlice | undefined,
  fresh: RecordSlice,
  clock: (() => number) | undefined,
): MergeResult {
  if (stored !== undefined && stored.bytes[stored.start] === hasOverflow) return 'too large';
  if (
    stored !== undefined &&
    !table.canCollectNewest &&
    replacesWholeRecord(table, stored, fresh, clock !== undefined)
  )
    return 'fresh';
  const old = new SectionCursor(stored, table);
  const added = new SectionCursor(fresh, table);
  const now = clock?.() ?? 0;
  const writer = new ByteWriter(old.bytes + added.bytes + maxLengthBytes * table.families.size);
  writer.byte(0);
  for (const { id, isCollectable } of table.families.values()) {
    if (old.id < 0 && added.id < 0) break;
    if (old.id !== id && added.id !== id) continue;
    const start = writer.position;
    writer.varint(id * 2);
    const body = (writer.position += maxLengthBytes);
    const merger = new CellMerger(clock && isCollectable, now, writer);
    if (old.id !== id) copyCells(added, merger);
    else if (added.id !== id) copyCells(old, merger);
    else mergeCells(old, added, merger);
    const length = writer.position - body;
    if (length > maxInlineFamilyBytes) return 'too large';
    if (length > 0) writeBodyLength(writer, body, length);
    else writer.position = start;
    if (old.id === id) old.next();
    if (added.id === id) added.next();
  }
  if (writer.position === 1) return 'empty';
  return writer.bytes.subarray(0, writer.position);
}

/**
 * True when each record is one cell, both of the same column, and the new cell replaces the stored
 * one. This is the case for most rows that are saved again.
 */
function replacesWholeRecord(
  table: TableState,
  stored: RecordSlice,
  fresh: RecordSlice,
  collecting: boolean,
): boolean {
  const { bytes: a, start: aAt, end: aEnd } = stored;
  const { bytes: b, start: bAt, end: bEnd } = fresh;
  // After the flags, the family's tag in one byte and the length of the body in one or two bytes.
  const tag = a[aAt + 1];
  if (tag !== b[bAt + 1] || tag >= 0x80) return false;
  if (!isLastBody(a, aAt + 2, aEnd) || !isLastBody(b, bAt + 2, bEnd)) return false;
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
  return newer && collecting && table.byId[tag >>> 1]?.keepsOnlyNewest === true;
}

/** True when the body with its length at `at` ends at `end`. */
function isLastBody(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] < 0x80) return at + 1 + bytes[at] === end;
  return bytes[at + 1] < 0x80 && at + 2 + (bytes[at] & 0x7f) + bytes[at + 1] * 128 === end;
}

/** Iterates over the sections of a record, skipping sections of dropped families. */
class SectionCursor {
  /** Family ID of the current section; -1 after the last. */
  id = -1;
  /** The body of the current section: `[start, end)` of the buffer. */
  start = 0;
  end = 0;
  readonly buffer: Uint8Array;
  readonly bytes: number;

  readonly #reader: ByteReader | undefined = undefined;
  readonly #table: TableState;

  /** Without a record there are no sections. */
  constructor(record: RecordSlice | undefined, table: TableState) {
    this.#table = table;
    if (record === undefined) {
      this.buffer = noBytes;
      this.bytes = 0;
      return;
    }
    this.buffer = record.bytes;
    this.bytes = record.end - record.start;
    this.#reader = new ByteReader(record.bytes, record.start + 1, record.end);
    this.next();
  }

  next(): void {
    const reader = this.#reader!;
    const { byId } = this.#table;
    this.id = -1;
    while (reader.position < reader.end && this.id < 0) {
      const id = reader.varint() >>> 1;
      this.end = reader.varint() + reader.position;
      this.start = reader.position;
      reader.position = this.end;
      if (byId[id] !== undefined) this.id = id;
    }
  }
}

/** The offsets of a cell in a run. Its timestamp is `high * 2^32 + low`. */
class CellSpan {
  start = 0;
  qualifierStart = 0;
  qualifierEnd = 0;
  high = 0;
  low = 0;
  end = 0;

  /** Reads the cell at `at`. */
  read(bytes: Uint8Array, at: number): void {
    this.start = at;
    let length = bytes[at++];
    for (let scale = 128; bytes[at - 1] >= 0x80; scale *= 128) length += (bytes[at++] - 1) * scale;
    this.qualifierStart = at;
    at = this.qualifierEnd = at + length;
    this.high = readUint32BE(bytes, at);
    this.low = readUint32BE(bytes, at + 4);
    at += 8;
    let tag = bytes[at++];
    for (let scale = 128; bytes[at - 1] >= 0x80; scale *= 128) tag += (bytes[at++] - 1) * scale;
    this.end = at + tag / 2;
  }
}

/** Reused for all cells, to save allocations: one for each side of a merge. */
const left = new CellSpan();
const right = new CellSpan();

function mergeCells(old: SectionCursor, added: SectionCursor, merger: CellMerger): void {
  const { buffer: a, end: aEnd } = old;
  const { buffer: b, end: bEnd } = added;
  let hasLeft = old.start < aEnd;
  if (hasLeft) left.read(a, old.start);
  for (let at = added.start; at < bEnd; at = right.end) {
    right.read(b, at);
    while (hasLeft) {
      const order = compareSpans(a, left, b, right);
      if (order > 0) break;
      if (order < 0) merger.write(a, left);
      hasLeft = left.end < aEnd;
      if (hasLeft) left.read(a, left.end);
    }
    merger.write(b, right);
  }
  while (hasLeft) {
    merger.write(a, left);
    hasLeft = left.end < aEnd;
    if (hasLeft) left.read(a, left.end);
  }
}

function copyCells({ buffer, start, end }: SectionCursor, merger: CellMerger): void {
  for (let at = start; at < end; at = left.end) {
    left.read(buffer, at);
    merger.write(buffer, left);
  }
}

/** Writes the cells of a family, without collected ones. */
class CellMerger {
  /** Qualifier of the last cell, unless `index` is -1. */
  #bytes: Uint8Array = noBytes;
  #start = 0;
  #end = 0;
  /** Number of newer cells in the column of the last cell; -1 before the first. */
  #index = -1;

  readonly #isCollectable: GcPredicate | undefined;
  readonly #now: number;
  readonly #writer: ByteWriter;

  /** Without a predicate no cell is omitted. */
  constructor(isCollectable: GcPredicate | undefined, now: number, writer: ByteWriter) {
    this.#isCollectable = isCollectable;
    this.#now = now;
    this.#writer = writer;
  }

  write(bytes: Uint8Array, cell: CellSpan): void {
    const isCollectable = this.#isCollectable;
    const writer = this.#writer;
    const { start, end, qualifierStart, qualifierEnd } = cell;
    if (isCollectable !== undefined) {
      const isSameColumn =
        this.#index >= 0 &&
        compareSlices(this.#bytes, this.#start, this.#end, bytes, qualifierStart, qualifierEnd) ===
          0;
      if (isSameColumn) this.#index++;
      else this.#index = 0;
      this.#bytes = bytes;
      this.#start = qualifierStart;
      this.#end = qualifierEnd;
      const micros = cell.high * 0x1_0000_0000 + cell.low;
      if (isCollectable(this.#index, this.#now - micros)) return;
    }
    const { bytes: out, position } = writer;
    if (end - start > 256) out.set(bytes.subarray(start, end), position);
    else for (let i = start; i < end; i++) out[position + i - start] = bytes[i];
    writer.position = position + end - start;
  }
}

/** Compares positions in a family: ascending qualifiers, then descending timestamps. */
function compareSpans(a: Uint8Array, x: CellSpan, b: Uint8Array, y: CellSpan): number {
  const order = compareSlices(
    a,
    x.qualifierStart,
    x.qualifierEnd,
    b,
    y.qualifierStart,
    y.qualifierEnd,
  );
  if (order !== 0) return order;
  if (y.high !== x.high) return y.high - x.high;
  return y.low - x.low;
}

/** Writes the length of a body before it, moving the body where the length takes only one byte. */
function writeBodyLength(writer: ByteWriter, body: number, length: number): void {
  const { bytes } = writer;
  if (length < 0x80) {
    bytes[body - maxLengthBytes] = length;
    bytes.copyWithin(body - 1, body, body + length);
    writer.position--;
  } else {
    bytes[body - maxLengthBytes] = (length & 0x7f) | 0x80;
    bytes[body - 1] = length >>> 7;
  }
}
