/**
 * The cells of one record, decoded where it lies: no object per cell unless a filter asks for one.
 * PageCursor walks from record to record; the hot path is nextRow -> enter -> step. FORMAT.md is
 * the specification of what it reads.
 */
import { compareSlices, noBytes, copyBytes } from '../../../bytes/index.js';
import { noLabels } from '../../../store/index.js';
import { findChunks, partBytes } from './chunk-index.js';
import { FilterCell, inOrder } from './filtered-cell.js';
import type { OrderedStore, PairCursor, PairOwner } from '../kv/ordered-store.js';
import { loadOverflow } from '../row/overflow-store.js';
import type { FamilyRead, CellProjection } from './projection.js';
import { hasOverflow, readUint32 } from '../kv/record.js';

const noFamily: FamilyRead = { name: '', plain: true, qualifiers: undefined, collects: undefined };

/**
 * The current row and its cells; a base class and not a part of PageCursor, so that both work on
 * the fields of one object.
 */
export abstract class RecordCursor implements PairOwner {
  keyBytes: Uint8Array = noBytes;
  keyStart = 0;
  keyEnd = 0;
  family = '';
  qualifierBytes: Uint8Array = noBytes;
  qualifierStart = 0;
  qualifierEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  labels: readonly string[] = noLabels;

  /** True while the key and the record lie in the store's own buffers. */
  protected shared = false;
  protected record: Uint8Array = noBytes;
  #recordStart = 0;
  protected recordAt = 0;
  protected recordEnd = 0;
  /** The cells being read: the record itself, or a chunk. */
  #run: Uint8Array = noBytes;
  #cellAt = 0;
  #runEnd = 0;
  #slot: FamilyRead = noFamily;
  /** Parts of the chunks still to read in the current family. */
  #chunks: readonly number[] = [];
  #chunkAt = 0;
  #timestampAt = 0;
  #part = 0;
  #lastBytes: Uint8Array = noBytes;
  #lastStart = 0;
  #lastEnd = -1;
  #versions = 0;
  /** True when the current cell has been found already by nextRow. */
  #primed = false;
  #filtered: readonly FilterCell[] = [];
  #filteredAt = 0;

  /** Microseconds since 1970, for rules by age. */
  protected now = 0;
  readonly #strip: boolean;

  /** `table` is the table's number. */
  constructor(
    protected readonly store: OrderedStore,
    protected readonly table: number,
    protected readonly projection: CellProjection,
  ) {
    this.#strip = projection.strip;
  }

  nextCell(): boolean {
    if (this.#primed) {
      this.#primed = false;
      return true;
    }
    if (this.projection.filter !== undefined) return this.#nextFiltered();
    if (!this.#step()) return false;
    if (this.#part !== 0) this.#loadValue();
    return true;
  }

  timestamp(): bigint {
    return readTimestamp(this.qualifierBytes, this.#timestampAt);
  }

  /** Bytes that the current row takes in the store, large values inside chunks aside. */
  storedBytes(): number {
    const { record, recordEnd } = this;
    const recordStart = this.#recordStart;
    const parts =
      (record[recordStart] & hasOverflow) !== 0 ? partBytes(record, recordStart + 1, recordEnd) : 0;
    return this.keyEnd - this.keyStart + recordEnd - recordStart + parts;
  }

  pairMoved(pairs: PairCursor): void {
    if (!this.shared) return;
    this.keyBytes = pairs.keyBytes;
    this.record = this.#run = this.#lastBytes = this.qualifierBytes = pairs.valueBytes;
    if (!this.#strip) this.valueBytes = pairs.valueBytes;
  }

  /** Begins the record and finds its first cell; false when the read wants none of it. */
  protected enter(): boolean {
    const parts = (this.record[this.recordAt] & hasOverflow) !== 0;
    if (this.shared && (parts || this.projection.filter !== undefined)) this.#copyRow();
    this.#recordStart = this.recordAt++;
    this.#cellAt = this.#runEnd = 0;
    this.#chunkAt = this.#chunks.length;
    if (this.projection.filter !== undefined) return this.#enterFiltered();
    this.#primed = this.#step();
    if (this.#primed && this.#part !== 0) this.#loadValue();
    if (this.projection.single) this.#skipRest();
    return this.#primed;
  }

  /** Leaves nothing of the row behind the current cell. */
  #skipRest(): void {
    this.recordAt = this.recordEnd;
    this.#cellAt = this.#runEnd;
    this.#chunkAt = this.#chunks.length;
  }

  /** Takes the row out of the store's buffers, because reading it will read more from the store. */
  #copyRow(): void {
    this.keyBytes = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
    this.keyEnd -= this.keyStart;
    this.keyStart = 0;
    this.record = copyBytes(this.record, this.recordAt, this.recordEnd);
    this.recordEnd -= this.recordAt;
    this.recordAt = 0;
    this.shared = false;
  }

  /** Moves to the next wanted cell of the record; its value may still lie in a part. */
  #step(): boolean {
    for (;;) {
      if (this.#cellAt >= this.#runEnd && !this.#nextRun()) return false;
      const bytes = this.#run;
      let at = this.#cellAt;
      let length = bytes[at++];
      for (let shift = 7, byte = length; byte >= 0x80; shift += 7) {
        byte = bytes[at++];
        length = (length & ((1 << shift) - 1)) | ((byte & 0x7f) << shift);
      }
      this.qualifierBytes = bytes;
      this.qualifierStart = at;
      this.qualifierEnd = at += length;
      this.#timestampAt = at;
      at += 8;
      let tag = bytes[at++];
      for (let shift = 7, byte = tag; byte >= 0x80; shift += 7) {
        byte = bytes[at++];
        tag = (tag & ((1 << shift) - 1)) | ((byte & 0x7f) << shift);
      }
      const large = (tag & 1) === 1;
      this.valueStart = at;
      this.valueEnd = at + (tag >>> 1);
      this.#part = large ? readUint32(bytes, at) * 0x1_0000_0000 + readUint32(bytes, at + 4) : 0;
      this.#cellAt = large ? at + 8 : this.valueEnd;
      if (this.#slot.plain) {
        this.valueBytes = bytes;
        return true;
      }
      if (!this.#wants(this.#slot)) continue;
      if (this.#strip) this.#emptyValue();
      else this.valueBytes = bytes;
      return true;
    }
  }

  #emptyValue(): void {
    this.valueBytes = noBytes;
    this.valueStart = this.valueEnd = this.#part = 0;
  }

  /**
   * Whether the read wants the current cell, by its qualifier, its age and how many newer ones its
   * column has.
   */
  #wants({ qualifiers, collects }: FamilyRead): boolean {
    const { qualifierBytes, qualifierStart, qualifierEnd } = this;
    if (
      qualifiers !== undefined &&
      !isOneOf(qualifiers, qualifierBytes, qualifierStart, qualifierEnd)
    )
      return false;
    const { perColumn } = this.projection;
    if (collects === undefined && perColumn === Infinity) return true;
    const same =
      this.#lastEnd >= 0 &&
      compareSlices(
        this.#lastBytes,
        this.#lastStart,
        this.#lastEnd,
        qualifierBytes,
        qualifierStart,
        qualifierEnd,
      ) === 0;
    this.#versions = same ? this.#versions + 1 : 0;
    this.#lastBytes = qualifierBytes;
    this.#lastStart = qualifierStart;
    this.#lastEnd = qualifierEnd;
    // Rules collect a column's oldest cells, so the cells that are left are also its first.
    if (this.#versions >= perColumn) return false;
    if (collects === undefined) return true;
    const micros =
      readUint32(qualifierBytes, this.#timestampAt) * 0x1_0000_0000 +
      readUint32(qualifierBytes, this.#timestampAt + 4);
    return !collects(this.#versions, this.now - micros);
  }

  /**
   * Moves to the next run of cells: the next chunk of the family, or the next family that is
   * wanted.
   */
  #nextRun(): boolean {
    for (;;) {
      if (this.#chunkAt < this.#chunks.length) {
        this.#run = loadOverflow(this.store, this.table, this.#chunks[this.#chunkAt++]);
        this.#cellAt = 0;
        this.#runEnd = this.#run.length;
        return true;
      }
      if (this.recordAt >= this.recordEnd) return false;
      const tag = this.#recordVarint();
      const length = this.#recordVarint();
      const start = this.recordAt;
      this.recordAt = start + length;
      const slot = this.projection.families[tag >>> 1];
      if (slot === undefined) continue;
      this.#slot = slot;
      this.family = slot.name;
      this.#lastEnd = -1;
      if ((tag & 1) === 0) {
        this.#run = this.record;
        this.#cellAt = start;
        this.#runEnd = this.recordAt;
        return true;
      }
      this.#chunks = findChunks(this.record, start, this.recordAt, slot.qualifiers);
      this.#chunkAt = 0;
    }
  }

  #recordVarint(): number {
    const { record } = this;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = record[this.recordAt++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #loadValue(): void {
    this.valueBytes = loadOverflow(this.store, this.table, this.#part);
    this.valueStart = 0;
    this.valueEnd = this.valueBytes.length;
  }

  #enterFiltered(): boolean {
    const { keyBytes, keyStart, keyEnd } = this;
    const { filter, rowKey } = this.projection;
    if (rowKey !== undefined && !rowKey(keyBytes, keyStart, keyEnd)) return false;
    const cells: FilterCell[] = [];
    // What is left to filter begins with what the projection chose, which may be the first cell
    // alone.
    while (this.#step()) {
      cells.push(this.#filterCell(cells.length));
      if (this.projection.single) this.#skipRest();
    }
    const sunk: FilterCell[] = [];
    const left = filter!(cells, { keyBytes, keyStart, keyEnd, sunk });
    this.#filtered = sunk.length === 0 ? left : inOrder([...left, ...sunk]);
    this.#filteredAt = 0;
    return this.#filtered.length > 0;
  }

  #filterCell(place: number): FilterCell {
    const { family, qualifierStart, qualifierEnd, valueStart, valueEnd } = this;
    const run = this.#run;
    const timestampAt = this.#timestampAt;
    const part = this.#part;
    const { store, table } = this;
    const large = part === 0 ? undefined : { store, table, part };
    return new FilterCell(
      place,
      family,
      run,
      qualifierStart,
      qualifierEnd,
      timestampAt,
      valueStart,
      valueEnd - valueStart,
      large,
      noLabels,
    );
  }

  #nextFiltered(): boolean {
    if (this.#filteredAt >= this.#filtered.length) return false;
    const cell = this.#filtered[this.#filteredAt++];
    this.family = cell.family;
    this.qualifierBytes = cell.bytes;
    this.qualifierStart = cell.qualifierStart;
    this.qualifierEnd = cell.qualifierEnd;
    this.#timestampAt = cell.timestampStart;
    this.labels = cell.labels;
    const { bytes, start, end } = cell.value();
    this.valueBytes = bytes;
    this.valueStart = start;
    this.valueEnd = end;
    return true;
  }
}

function isOneOf(
  qualifiers: readonly Uint8Array[],
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  for (const qualifier of qualifiers) {
    if (
      qualifier.length === end - start &&
      compareSlices(qualifier, 0, qualifier.length, bytes, start, end) === 0
    )
      return true;
  }
  return false;
}

function readTimestamp(bytes: Uint8Array, at: number): bigint {
  return (BigInt(readUint32(bytes, at)) << 32n) | BigInt(readUint32(bytes, at + 4));
}
