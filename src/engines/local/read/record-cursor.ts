/**
 * Decodes the cells of one record in place, without allocating unless a filter needs objects.
 * PageCursor moves from record to record. The hot path is nextRow, beginRecord, advance. FORMAT.md
 * describes what it reads.
 */
import { compareSlices, copyBytes, noBytes } from '../../../base/index.js';
import { noLabels } from '../../../data/store/index.js';
import { findChunks, overflowBytes } from './chunk-index.js';
import { FilterCell, type OverflowValue } from './filter/filtered-cell.js';
import type { HeldValues } from './held-values.js';
import type { OrderedStore } from '../kv/ordered-store.js';
import { loadOverflow } from '../row/record/overflow-store.js';
import { type CellProjection, type FamilyRead, noFamily } from './projection.js';
import { hasQualifier } from './filter/qualifier-list.js';
import {
  maxBoundedCells,
  maxFilterMs,
  RowFiltering,
  RowTakesLong,
  type Interruption,
} from './filter/row-filtering.js';
import { hasOverflow, overflowIdBytes } from '../row/record/record-limits.js';
import { readNumber64, readUint64BE } from '../kv/bytes.js';

/**
 * The current row and its cells. A base class, not a field of PageCursor, so that both access the
 * fields of one object. Its members are protected, not #private: with private names, scans took 20
 * to 25 percent longer (Node 20).
 */
export abstract class RecordCursor {
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

  /** True while the key and the record are in the store's buffers. */
  protected shared = false;
  protected record: Uint8Array = noBytes;
  protected recordStart = 0;
  protected recordAt = 0;
  protected recordEnd = 0;
  /** The cells that are being read, in the record or in a chunk. */
  protected run: Uint8Array = noBytes;
  protected cellAt = 0;
  protected runEnd = 0;
  protected familyRead: FamilyRead = noFamily;
  /** Overflow IDs of the current family's chunks. */
  protected chunks: readonly number[] = [];
  protected chunkAt = 0;
  protected timestampAt = 0;
  /** The overflow value that holds the current cell's value; 0 when it is in the run. */
  protected overflowId = 0;
  /** Qualifier of the previous cell; its end is -1 at the beginning of a family. */
  protected lastBytes: Uint8Array = noBytes;
  protected lastStart = 0;
  protected lastEnd = -1;
  /** Number of newer cells in the column of the current cell. */
  protected versions = 0;
  /** True when a cell of the families that are read for their presence has been returned. */
  protected isPresent = false;
  /** True when nextRow has moved to the first cell, so that nextCell must not. */
  protected cellPending = false;
  protected filtered: readonly FilterCell[] = [];
  protected filteredAt = 0;
  /** Cells of the row that is being read to be filtered; set between two calls when that was
   * interrupted. */
  protected gathered: FilterCell[] | undefined = undefined;
  /** The row that is being filtered; set between two calls when the filter was interrupted. */
  protected filtering: RowFiltering | undefined = undefined;
  protected interruption: Interruption = 'bounded';
  /** True when the next row is not to be interrupted, because it was before, in vain. */
  protected rereading = false;
  /** Work of the filter on the rows of the page. */
  protected pageWork = 0;

  /** Microseconds since 1970, for garbage collection rules by age. */
  protected now = 0;
  protected readonly strip: boolean;

  /** `table` is the table's ID. */
  constructor(
    protected readonly store: OrderedStore,
    protected readonly table: number,
    protected readonly projection: CellProjection,
  ) {
    this.strip = projection.strip;
  }

  nextCell(): boolean {
    if (this.cellPending) {
      this.cellPending = false;
      return true;
    }
    if (this.projection.filter !== undefined) return this.nextFiltered();
    if (!this.advance()) return false;
    if (this.overflowId !== 0) this.loadValue();
    return true;
  }

  timestamp(): bigint {
    return readUint64BE(this.qualifierBytes, this.timestampAt);
  }

  /** Size of the current row in the store, except for large values in chunks. */
  storedBytes(): number {
    const { record, recordEnd } = this;
    const recordStart = this.recordStart;
    const bytes = this.keyEnd - this.keyStart + recordEnd - recordStart;
    if ((record[recordStart] & hasOverflow) === 0) return bytes;
    return bytes + overflowBytes(record, recordStart + 1, recordEnd);
  }

  /** True when the record, which is not begun yet, refers to overflow values. */
  protected get refersToOverflow(): boolean {
    return (this.record[this.recordAt] & hasOverflow) !== 0;
  }

  /** Begins the record and moves to its first cell; false when no cell is selected. */
  protected beginRecord(): boolean {
    if (this.shared && (this.refersToOverflow || this.projection.filter !== undefined))
      this.copyRow();
    this.startCells();
    if (this.projection.filter !== undefined) return this.beginFiltered();
    this.cellPending = this.advance();
    if (this.cellPending && this.overflowId !== 0) this.loadValue();
    if (this.projection.firstCellOnly) this.skipRest();
    return this.cellPending;
  }

  protected startCells(): void {
    this.recordStart = this.recordAt++;
    this.cellAt = this.runEnd = 0;
    this.chunkAt = this.chunks.length;
    this.isPresent = false;
  }

  /** Loads the chunks and values that the record refers to and the projection selects. */
  protected loadOverflowValues(held: HeldValues): void {
    this.startCells();
    while (!held.isFull && this.advance()) {
      if (this.overflowId !== 0) this.loadValue();
      if (this.projection.firstCellOnly) return;
    }
  }

  /** Skips the cells after the current one. */
  protected skipRest(): void {
    this.recordAt = this.recordEnd;
    this.cellAt = this.runEnd;
    this.chunkAt = this.chunks.length;
  }

  /** Copies the row out of the store's buffers, before more is read from the store. */
  protected copyRow(): void {
    this.keyBytes = copyBytes(this.keyBytes, this.keyStart, this.keyEnd);
    this.keyEnd -= this.keyStart;
    this.keyStart = 0;
    this.record = copyBytes(this.record, this.recordAt, this.recordEnd);
    this.recordEnd -= this.recordAt;
    this.recordAt = 0;
    this.shared = false;
  }

  /** Moves to the next selected cell of the record. A large value is not loaded. */
  protected advance(): boolean {
    for (;;) {
      if (this.cellAt >= this.runEnd && !this.nextRun()) return false;
      const bytes = this.run;
      let at = this.cellAt;
      let length = bytes[at++];
      for (let shift = 7, byte = length; byte >= 0x80; shift += 7) {
        byte = bytes[at++];
        length = (length & ((1 << shift) - 1)) | ((byte & 0x7f) << shift);
      }
      this.qualifierBytes = bytes;
      this.qualifierStart = at;
      this.qualifierEnd = at += length;
      this.timestampAt = at;
      at += 8;
      let tag = bytes[at++];
      for (let shift = 7, byte = tag; byte >= 0x80; shift += 7) {
        byte = bytes[at++];
        tag = (tag & ((1 << shift) - 1)) | ((byte & 0x7f) << shift);
      }
      this.valueStart = at;
      this.valueEnd = at + (tag >>> 1);
      if ((tag & 1) === 0) {
        this.overflowId = 0;
        this.cellAt = this.valueEnd;
      } else {
        this.overflowId = readNumber64(bytes, at);
        this.cellAt = at + overflowIdBytes;
      }
      if (this.familyRead.plain) {
        this.valueBytes = bytes;
        return true;
      }
      if (!this.selectsCell(this.familyRead)) continue;
      if (this.familyRead.presence) this.endPresence();
      else if (this.strip) this.emptyValue();
      else this.valueBytes = bytes;
      return true;
    }
  }

  /** Strips the cell, and skips the rest of its family. */
  protected endPresence(): void {
    this.isPresent = true;
    this.emptyValue();
    this.cellAt = this.runEnd;
    this.chunkAt = this.chunks.length;
  }

  protected emptyValue(): void {
    this.valueBytes = noBytes;
    this.valueStart = this.valueEnd = this.overflowId = 0;
  }

  /**
   * Tests the current cell by its qualifier, its age and the number of newer cells in its column.
   */
  protected selectsCell({ qualifiers, isHidden }: FamilyRead): boolean {
    const { qualifierBytes, qualifierStart, qualifierEnd } = this;
    if (
      qualifiers !== undefined &&
      !hasQualifier(qualifiers, qualifierBytes, qualifierStart, qualifierEnd)
    )
      return false;
    const { maxPerColumn } = this.projection;
    if (isHidden === undefined && maxPerColumn === Infinity) return true;
    const isSameColumn =
      this.lastEnd >= 0 &&
      compareSlices(
        this.lastBytes,
        this.lastStart,
        this.lastEnd,
        qualifierBytes,
        qualifierStart,
        qualifierEnd,
      ) === 0;
    if (isSameColumn) this.versions++;
    else this.versions = 0;
    this.lastBytes = qualifierBytes;
    this.lastStart = qualifierStart;
    this.lastEnd = qualifierEnd;
    // Rules hide the oldest cells of a column, so hidden cells do not affect the count.
    if (this.versions >= maxPerColumn) return false;
    if (isHidden === undefined) return true;
    const micros = readNumber64(qualifierBytes, this.timestampAt);
    return !isHidden(this.versions, this.now - micros);
  }

  /** Moves to the next run: the next chunk of the family, or the next family that is read. */
  protected nextRun(): boolean {
    for (;;) {
      if (this.chunkAt < this.chunks.length) {
        this.run = loadOverflow(this.store, this.table, this.chunks[this.chunkAt++]);
        this.cellAt = 0;
        this.runEnd = this.run.length;
        return true;
      }
      if (this.recordAt >= this.recordEnd) return false;
      const tag = this.recordVarint();
      const length = this.recordVarint();
      const start = this.recordAt;
      this.recordAt = start + length;
      const slot = this.projection.families[tag >>> 1];
      if (slot === undefined || (slot.presence && this.isPresent)) continue;
      this.familyRead = slot;
      this.family = slot.name;
      this.lastEnd = -1;
      if ((tag & 1) === 0) {
        this.run = this.record;
        this.cellAt = start;
        this.runEnd = this.recordAt;
        return true;
      }
      this.chunks = findChunks(this.record, start, this.recordAt, slot.qualifiers);
      this.chunkAt = 0;
    }
  }

  protected recordVarint(): number {
    const { record } = this;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = record[this.recordAt++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  protected loadValue(): void {
    this.valueBytes = loadOverflow(this.store, this.table, this.overflowId);
    this.valueStart = 0;
    this.valueEnd = this.valueBytes.length;
  }

  protected beginFiltered(): boolean {
    const { keyBytes, keyStart, keyEnd } = this;
    const { rowKey } = this.projection;
    if (rowKey !== undefined) {
      const before = rowKey.dfa?.work ?? 0;
      const matches = rowKey.matches(keyBytes, keyStart, keyEnd);
      this.pageWork += (rowKey.dfa?.work ?? 0) - before;
      if (!matches) return false;
    }
    this.gathered = [];
    return this.continueFilter();
  }

  /** Continues to filter the row; false when it is interrupted, or no cell matches. */
  protected continueFilter(): boolean {
    if (this.gathered !== undefined && !this.gather(this.gathered)) return false;
    const filtering = this.filtering!;
    const filtered = filtering.continue(this.rereading ? 'never' : this.interruption);
    this.rereading = false;
    this.pageWork += filtering.takeWork();
    if (filtered === undefined) return false;
    this.filtering = undefined;
    this.filtered = filtered;
    this.filteredAt = 0;
    return filtered.length > 0;
  }

  /** Reads the cells to be filtered; false when that is interrupted. */
  protected gather(cells: FilterCell[]): boolean {
    const interruption = this.rereading ? 'never' : this.interruption;
    let started = 0;
    while (this.advance()) {
      cells.push(this.filterCell(cells.length));
      if (this.projection.firstCellOnly) this.skipRest();
      if ((cells.length & 4095) !== 0 || interruption === 'never') continue;
      if (interruption === 'bounded') {
        if (cells.length > maxBoundedCells) throw new RowTakesLong();
      } else if (started === 0) started = performance.now();
      else if (performance.now() - started > maxFilterMs) return false;
    }
    this.gathered = undefined;
    const { keyBytes, keyStart, keyEnd } = this;
    const work = cells.length;
    const row = { keyBytes, keyStart, keyEnd, cells, sinkCells: [], work };
    this.filtering = new RowFiltering(this.projection.filter!, row);
    return true;
  }

  protected filterCell(index: number): FilterCell {
    const { store, table } = this;
    const overflowId = this.overflowId;
    let overflow: OverflowValue | undefined;
    if (overflowId !== 0) overflow = { store, table, overflowId };
    return new FilterCell(
      index,
      this.family,
      this.run,
      this.qualifierStart,
      this.qualifierEnd,
      this.timestampAt,
      this.valueStart,
      this.valueEnd - this.valueStart,
      overflow,
      noLabels,
    );
  }

  protected nextFiltered(): boolean {
    if (this.filteredAt >= this.filtered.length) return false;
    const cell = this.filtered[this.filteredAt++];
    this.family = cell.family;
    this.qualifierBytes = cell.bytes;
    this.qualifierStart = cell.qualifierStart;
    this.qualifierEnd = cell.qualifierEnd;
    this.timestampAt = cell.timestampStart;
    this.labels = cell.labels;
    const { bytes, start, end } = cell.value();
    this.valueBytes = bytes;
    this.valueStart = start;
    this.valueEnd = end;
    return true;
  }
}
