/**
 * Builds one family of a row. Small families are one run of cells in the record. Large ones are
 * split into chunks. An operation loads only the chunks that it touches, so the cost of a change
 * does not grow with the family.
 */
import { equalBytes, noBytes } from '../../../../base/index.js';
import { ByteReader, ByteWriter, varintBytes } from '../../kv/bytes.js';
import type { GcPredicate } from '../../table/gc.js';
import {
  cellBytes,
  comparePositions,
  cellLowerBound,
  readCells,
  writeCell,
  type CellEntry,
  type CellPosition,
} from './cell-entry.js';
import type { OverflowStore } from './overflow-store.js';
import {
  chunkBytes,
  maxInlineFamilyBytes,
  maxInlineValueBytes,
  minChunkedFamilyBytes,
  overflowIdBytes,
} from './record-limits.js';

/** Sorts before all cells of a column. */
const maxTimestamp = 2n ** 63n;
/** Sorts after all cells of a column. */
const minTimestamp = -1n;

interface Chunk {
  /** Position of the first cell. Cells of earlier chunks sort before it. */
  first: CellPosition;
  /** Bytes of the run; if the chunk is dirty, before it was changed. */
  size: number;
  /** The overflow value that holds the run; 0 when it is in the record, or not stored yet. */
  overflowId: number;
  /** Undefined while the chunk is not loaded. */
  cells: CellEntry[] | undefined;
  /** True when the cells have been changed since they were read. */
  dirty: boolean;
}

/** The form in which `finish` has prepared a family to be stored. */
export interface FinishedFamily {
  /** True when the body of the section is a chunk index, false when it is the cells. */
  readonly chunked: boolean;
  /** Bytes of the section's body. */
  readonly bytes: number;
  /** True when a cell in the section has an overflow value. */
  readonly hasOverflowValues: boolean;
}

export class FamilyBuilder {
  #chunks: Chunk[] = [];

  readonly #overflow: OverflowStore;

  constructor(
    readonly id: number,
    overflow: OverflowStore,
  ) {
    this.#overflow = overflow;
  }

  /** Reads the family's section of a record. */
  static read(
    id: number,
    chunked: boolean,
    body: Uint8Array,
    overflow: OverflowStore,
  ): FamilyBuilder {
    const family = new FamilyBuilder(id, overflow);
    if (chunked) family.#readChunkIndex(body);
    else family.#readInline(body);
    return family;
  }

  get isEmpty(): boolean {
    return this.#chunks.every((chunk) => chunk.cells?.length === 0);
  }

  /** Adds a cell, replacing one at the same position. */
  set(cell: CellEntry): void {
    const chunk = this.#chunkAt(cell);
    const cells = chunk.cells!;
    const index = cellLowerBound(cells, cell);
    chunk.dirty = true;
    if (index < cells.length && comparePositions(cells[index], cell) === 0) {
      this.#overflow.discardCell(cells[index]);
      cells[index] = cell;
    } else cells.splice(index, 0, cell);
  }

  /** Returns the cell at the position. */
  find(position: CellPosition): CellEntry | undefined {
    const cells = this.#chunkAt(position).cells!;
    const cell = cells[cellLowerBound(cells, position)];
    if (cell === undefined || comparePositions(cell, position) !== 0) return undefined;
    return cell;
  }

  /** Returns the newest cell of a column. */
  newest(qualifier: Uint8Array): CellEntry | undefined {
    const cells = this.#columnChunk(qualifier).cells!;
    const cell = cells[cellLowerBound(cells, { qualifier, timestamp: maxTimestamp })];
    if (cell === undefined || !equalBytes(cell.qualifier, qualifier)) return undefined;
    return cell;
  }

  /** Deletes the column's cells with `start <= timestamp < end`; an undefined end is no bound. */
  deleteColumn(qualifier: Uint8Array, start: bigint, end: bigint | undefined): void {
    const chunk = this.#columnChunk(qualifier);
    const cells = chunk.cells!;
    // Found by search, and not by a pass over the column: one request may have many deletions.
    const newest = end === undefined ? maxTimestamp : end - 1n;
    const from = cellLowerBound(cells, { qualifier, timestamp: newest });
    const to = cellLowerBound(cells, { qualifier, timestamp: start - 1n });
    if (from >= to) return;
    for (const cell of cells.splice(from, to - from)) this.#overflow.discardCell(cell);
    chunk.dirty = true;
  }

  clear(): void {
    for (const chunk of this.#chunks) {
      for (const cell of this.#loadCells(chunk)) this.#overflow.discardCell(cell);
      this.#overflow.remove(chunk.overflowId);
    }
    this.#chunks = [];
  }

  /**
   * Deletes the collectable cells of one column or, without a qualifier, of all columns, and
   * returns their number. `now` is in microseconds.
   */
  prune(isCollectable: GcPredicate, now: number, qualifier?: Uint8Array): number {
    if (this.#chunks.length === 0) return 0;
    let chunk: Chunk;
    if (qualifier === undefined) chunk = this.#mergeChunks(0, this.#chunks.length - 1);
    else chunk = this.#columnChunk(qualifier);
    let column: Uint8Array | undefined;
    let index = 0;
    const keep = (cell: CellEntry): boolean => {
      if (column !== undefined && equalBytes(column, cell.qualifier)) index++;
      else index = 0;
      column = cell.qualifier;
      return !isCollectable(index, now - Number(cell.timestamp));
    };
    return this.#keepCells(chunk, keep, qualifier);
  }

  /** True when the stored family is inline, and so small that pruning all of it is cheap. */
  get isInline(): boolean {
    const chunks = this.#chunks;
    return chunks.length === 0 || (chunks.length === 1 && chunks[0].overflowId === 0);
  }

  /**
   * Returns the total size of the family's cells. Unless `exact`, overflow values in chunks that
   * are not loaded are not counted.
   */
  size(exact: boolean): number {
    let bytes = 0;
    for (const chunk of this.#chunks) {
      if (chunk.cells === undefined && !exact) bytes += chunk.size;
      else
        for (const cell of this.#loadCells(chunk)) bytes += cell.qualifier.length + 8 + cell.length;
    }
    return bytes;
  }

  /** Returns the total size of the family's runs, in which an overflow value counts as its ID. */
  runBytes(): number {
    let bytes = 0;
    for (const { cells, dirty, size } of this.#chunks) bytes += dirty ? cellsBytes(cells!) : size;
    return bytes;
  }

  /** True when a large value has been set that is not stored as an overflow value yet. */
  get hasNewLargeValue(): boolean {
    return this.#chunks.some(
      ({ cells, dirty }) =>
        dirty && cells!.some((cell) => cell.overflowId === 0 && cell.length > maxInlineValueBytes),
    );
  }

  /**
   * Prepares the family to be stored: decides between inline and chunks, and writes changed chunks
   * and large values to the overflow store.
   */
  finish(): FinishedFamily {
    const wasInline = this.isInline;
    this.#removeEmptyChunks();
    let bytes = 0;
    for (const chunk of this.#chunks) {
      if (chunk.dirty) chunk.size = cellsBytes(chunk.cells!);
      bytes += chunk.size;
    }
    const maxInlineBytes = wasInline ? maxInlineFamilyBytes : minChunkedFamilyBytes;
    if (bytes <= maxInlineBytes) return this.#finishInline(bytes);
    this.#splitChunks();
    const indexBytes = this.#chunks.reduce((sum, chunk) => sum + indexEntryBytes(chunk), 0);
    return { chunked: true, bytes: indexBytes, hasOverflowValues: false };
  }

  /** Writes the body of the family's section, after `finish`. */
  write(writer: ByteWriter, chunked: boolean): void {
    for (const chunk of this.#chunks) {
      if (chunked) writeIndexEntry(writer, chunk);
      else for (const cell of chunk.cells!) writeCell(writer, cell);
    }
  }

  #readInline(body: Uint8Array): void {
    const cells = readCells(new ByteReader(body, 0, body.length));
    if (cells.length === 0) return;
    this.#chunks.push({ first: cells[0], size: body.length, overflowId: 0, cells, dirty: false });
  }

  #readChunkIndex(body: Uint8Array): void {
    const reader = new ByteReader(body, 0, body.length);
    while (reader.position < reader.end) {
      const qualifier = reader.take(reader.varint());
      const first = { qualifier, timestamp: reader.uint64() };
      const size = reader.varint();
      const overflowId = reader.number64();
      this.#chunks.push({ first, size, overflowId, cells: undefined, dirty: false });
    }
  }

  #finishInline(bytes: number): FinishedFamily {
    const chunk = this.#mergeChunks(0, this.#chunks.length - 1);
    const cells = chunk.cells!;
    this.#overflow.remove(chunk.overflowId);
    chunk.overflowId = 0;
    for (const cell of cells) this.#overflow.storeValue(cell);
    const hasOverflowValues = cells.some((cell) => cell.overflowId !== 0);
    return { chunked: false, bytes, hasOverflowValues };
  }

  #removeEmptyChunks(): void {
    const isEmpty = (chunk: Chunk): boolean => chunk.cells?.length === 0;
    if (!this.#chunks.some(isEmpty)) return;
    for (const chunk of this.#chunks) if (isEmpty(chunk)) this.#overflow.remove(chunk.overflowId);
    this.#chunks = this.#chunks.filter((chunk) => !isEmpty(chunk));
  }

  /** Index of the chunk that a position belongs to. */
  #chunkIndex(position: CellPosition): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(this.#chunks[middle].first, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** The chunk that a position belongs to, loaded. */
  #chunkAt(position: CellPosition): Chunk {
    const index = this.#chunkIndex(position);
    return this.#mergeChunks(index, index);
  }

  /** The chunks that may hold cells of a column, loaded and merged into one. */
  #columnChunk(qualifier: Uint8Array): Chunk {
    return this.#mergeChunks(
      this.#chunkIndex({ qualifier, timestamp: maxTimestamp }),
      this.#chunkIndex({ qualifier, timestamp: minTimestamp }),
    );
  }

  /** The chunks `from` to `to`, inclusive, loaded and merged into one. */
  #mergeChunks(from: number, to: number): Chunk {
    if (this.#chunks.length === 0)
      this.#chunks.push({
        first: { qualifier: noBytes, timestamp: maxTimestamp },
        size: 0,
        overflowId: 0,
        cells: [],
        dirty: true,
      });
    const chunk = this.#chunks[from];
    this.#loadCells(chunk);
    if (to <= from) return chunk;
    for (const other of this.#chunks.splice(from + 1, to - from)) {
      for (const cell of this.#loadCells(other)) chunk.cells!.push(cell);
      this.#overflow.remove(other.overflowId);
    }
    chunk.dirty = true;
    return chunk;
  }

  #loadCells(chunk: Chunk): CellEntry[] {
    if (chunk.cells === undefined) {
      const bytes = this.#overflow.load(chunk.overflowId);
      chunk.cells = readCells(new ByteReader(bytes, 0, bytes.length));
    }
    return chunk.cells;
  }

  /**
   * Deletes the cells for which `keep` is false, and returns their number. With a qualifier, only
   * the cells of its column are visited: a chunk may have 100,000 other cells.
   */
  #keepCells(chunk: Chunk, keep: (cell: CellEntry) => boolean, qualifier?: Uint8Array): number {
    const cells = chunk.cells!;
    let from = 0;
    let to = cells.length;
    if (qualifier !== undefined) {
      from = cellLowerBound(cells, { qualifier, timestamp: maxTimestamp });
      to = cellLowerBound(cells, { qualifier, timestamp: minTimestamp - 1n });
    }
    const kept: CellEntry[] = [];
    for (let i = from; i < to; i++) {
      if (keep(cells[i])) kept.push(cells[i]);
      else this.#overflow.discardCell(cells[i]);
    }
    const deleted = to - from - kept.length;
    if (deleted === 0) return 0;
    chunk.dirty = true;
    // An array of many cells cannot be passed as arguments.
    if (kept.length < 1000) cells.splice(from, to - from, ...kept);
    else chunk.cells = cells.slice(0, from).concat(kept, cells.slice(to));
    return deleted;
  }

  /**
   * Splits changed chunks to size and writes them. Small ones are first merged with a neighbour.
   */
  #splitChunks(): void {
    // Chunks grow with the index, so that a write of either stays cheap.
    const targetBytes = Math.max(chunkBytes, this.#chunks.length * 64);
    for (let index = 0; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index];
      if (!chunk.dirty && chunk.overflowId !== 0) continue;
      if (chunk.size < targetBytes / 4 && this.#chunks.length > 1) {
        index = Math.min(index, this.#chunks.length - 2);
        const merged = this.#mergeChunks(index, index + 1);
        merged.size = cellsBytes(merged.cells!);
      }
      const pieces = splitChunk(this.#chunks[index], targetBytes);
      for (const piece of pieces) this.#writeChunk(piece);
      this.#chunks.splice(index, 1, ...pieces);
      index += pieces.length - 1;
    }
  }

  #writeChunk(chunk: Chunk): void {
    const cells = chunk.cells!;
    for (const cell of cells) this.#overflow.storeValue(cell);
    const writer = new ByteWriter(chunk.size);
    for (const cell of cells) writeCell(writer, cell);
    chunk.first = cells[0];
    chunk.overflowId = this.#overflow.write(chunk.overflowId, writer.bytes);
    chunk.dirty = false;
  }
}

/** Splits a chunk into pieces of about `targetBytes`; the first of them keeps its overflow ID. */
function splitChunk(chunk: Chunk, targetBytes: number): Chunk[] {
  if (chunk.size <= 2 * targetBytes) return [chunk];
  const pieces: Chunk[] = [];
  let piece: Chunk | undefined;
  for (const cell of chunk.cells!) {
    if (piece === undefined || piece.size >= targetBytes) {
      piece = { first: cell, size: 0, overflowId: 0, cells: [], dirty: true };
      pieces.push(piece);
    }
    piece.cells!.push(cell);
    piece.size += cellBytes(cell);
  }
  pieces[0].overflowId = chunk.overflowId;
  return pieces;
}

function cellsBytes(cells: readonly CellEntry[]): number {
  let bytes = 0;
  for (const cell of cells) bytes += cellBytes(cell);
  return bytes;
}

function writeIndexEntry(writer: ByteWriter, { first, size, overflowId }: Chunk): void {
  writer.varint(first.qualifier.length);
  writer.put(first.qualifier);
  writer.uint64(first.timestamp);
  writer.varint(size);
  writer.number64(overflowId);
}

/** Size of a chunk's entry in the chunk index. */
function indexEntryBytes({ first, size }: Chunk): number {
  const { length } = first.qualifier;
  return varintBytes(length) + length + 8 + varintBytes(size) + overflowIdBytes;
}
