/**
 * One family of a row in hand. Small families are one run of cells in the record; large ones are
 * chunks, of which only those that an operation touches are loaded, so that the cost of a change
 * does not grow with the family.
 */
import { equalBytes, noBytes } from '../../../bytes/index.js';
import {
  cellBytes,
  comparePositions,
  lowerBound,
  readCells,
  writeCell,
  type CellPosition,
  type CellEntry,
} from './cell-entry.js';
import type { Collects } from '../table/gc.js';
import type { OverflowStore } from './overflow-store.js';
import {
  ByteReader,
  ByteWriter,
  chunkBytes,
  maxInlineFamilyBytes,
  maxInlineValueBytes,
  overflowIdBytes,
  minChunkedFamilyBytes,
  varintBytes,
} from '../kv/record.js';

/** Before every real cell of a column. */
const newest = 2n ** 63n;
/** Behind every real cell of a column. */
const oldest = -1n;

interface Chunk {
  /** First cell; cells of earlier chunks come before it. */
  first: CellPosition;
  /** Bytes of the run; of a dirty chunk, what they were. */
  size: number;
  /** The part that holds the run; 0 when it lies in the record or nowhere yet. */
  part: number;
  cells: CellEntry[] | undefined;
  dirty: boolean;
}

/** The cells of one family, loaded as far as needed. */
export class FamilyBuilder {
  #chunks: Chunk[] = [];

  readonly #parts: OverflowStore;

  constructor(
    readonly id: number,
    parts: OverflowStore,
  ) {
    this.#parts = parts;
  }

  /** Reads the family's section of a record. */
  static read(id: number, chunked: boolean, body: Uint8Array, parts: OverflowStore): FamilyBuilder {
    const family = new FamilyBuilder(id, parts);
    const reader = new ByteReader(body, 0, body.length);
    if (!chunked) family.#addInline(readCells(reader), body.length);
    else
      while (reader.at < reader.end) {
        const qualifier = reader.take(reader.varint());
        const first = { qualifier, timestamp: reader.uint64() };
        const size = reader.varint();
        family.#chunks.push({
          first,
          size,
          part: reader.number64(),
          cells: undefined,
          dirty: false,
        });
      }
    return family;
  }

  /** True when the family has no cells. */
  get isEmpty(): boolean {
    return this.#chunks.every((chunk) => chunk.cells?.length === 0);
  }

  /** Puts a cell in its place; the one there before is replaced. */
  set(cell: CellEntry): void {
    const chunk = this.#only(this.#locate(cell), this.#locate(cell));
    const cells = chunk.cells!;
    const at = lowerBound(cells, cell);
    const found = at < cells.length && comparePositions(cells[at], cell) === 0;
    if (found) this.#parts.drop(cells[at]);
    cells.splice(at, found ? 1 : 0, cell);
    chunk.dirty = true;
  }

  /** The cell in exactly this place. */
  find(place: CellPosition): CellEntry | undefined {
    const cells = this.#only(this.#locate(place), this.#locate(place)).cells!;
    const at = lowerBound(cells, place);
    return at < cells.length && comparePositions(cells[at], place) === 0 ? cells[at] : undefined;
  }

  /** The newest cell of a column. */
  newest(qualifier: Uint8Array): CellEntry | undefined {
    const cells = this.#column(qualifier).cells!;
    const at = lowerBound(cells, { qualifier, timestamp: newest });
    return at < cells.length && equalBytes(cells[at].qualifier, qualifier) ? cells[at] : undefined;
  }

  /**
   * Deletes the column's cells with `start <= timestamp < end`; without an end there is no upper
   * bound.
   */
  deleteColumn(qualifier: Uint8Array, start: bigint, end: bigint | undefined): void {
    this.#keep(
      this.#column(qualifier),
      (cell) =>
        !equalBytes(cell.qualifier, qualifier) ||
        cell.timestamp < start ||
        (end !== undefined && cell.timestamp >= end),
    );
  }

  /** Deletes every cell. */
  clear(): void {
    for (const chunk of this.#chunks) {
      for (const cell of this.#load(chunk)) this.#parts.drop(cell);
      this.#parts.remove(chunk.part);
    }
    this.#chunks = [];
  }

  /** Deletes what the rule collects, in one column or in all; answers how many cells went. */
  prune(collects: Collects, now: number, qualifier?: Uint8Array): number {
    if (this.#chunks.length === 0) return 0;
    const chunk =
      qualifier === undefined ? this.#only(0, this.#chunks.length - 1) : this.#column(qualifier);
    let last: Uint8Array | undefined;
    let index = 0;
    return this.#keep(chunk, (cell) => {
      index = last !== undefined && equalBytes(last, cell.qualifier) ? index + 1 : 0;
      last = cell.qualifier;
      return !collects(index, now - Number(cell.timestamp));
    });
  }

  /** True when the family is small enough that pruning all of it costs nothing much. */
  get isInline(): boolean {
    return this.#chunks.length === 0 || (this.#chunks.length === 1 && this.#chunks[0].part === 0);
  }

  /**
   * Bytes of the family's cells; of chunks that are not loaded, with their large values only when
   * `exact`.
   */
  size(exact: boolean): number {
    let bytes = 0;
    for (const chunk of this.#chunks) {
      if (chunk.cells === undefined && !exact) bytes += chunk.size;
      else for (const cell of this.#load(chunk)) bytes += cell.qualifier.length + 8 + cell.length;
    }
    return bytes;
  }

  /**
   * Bytes of the runs as they would be stored: large values count as the numbers of their parts.
   */
  runBytes(): number {
    let bytes = 0;
    for (const { cells, dirty, size } of this.#chunks) bytes += dirty ? sizeOf(cells!) : size;
    return bytes;
  }

  /** True when a large value was written that has no part yet. */
  get hasNewLarge(): boolean {
    return this.#chunks.some(
      ({ cells, dirty }) =>
        dirty && cells!.some((cell) => cell.part === 0 && cell.length > maxInlineValueBytes),
    );
  }

  /** Brings the runs into their stored form, writing changed chunks and large values to parts. */
  settle(): {
    readonly chunked: boolean;
    readonly bytes: number;
    /** True when a value in the section lies in a part. */ readonly large: boolean;
  } {
    const wasInline = this.isInline;
    this.#chunks = this.#chunks.filter(
      (chunk) => chunk.cells?.length !== 0 || (this.#parts.remove(chunk.part), false),
    );
    let bytes = 0;
    for (const chunk of this.#chunks)
      bytes += chunk.dirty ? (chunk.size = sizeOf(chunk.cells!)) : chunk.size;
    if (bytes <= (wasInline ? maxInlineFamilyBytes : minChunkedFamilyBytes)) {
      const chunk = this.#only(0, this.#chunks.length - 1);
      this.#parts.remove(chunk.part);
      chunk.part = 0;
      for (const cell of chunk.cells!) this.#parts.keep(cell);
      return { chunked: false, bytes, large: chunk.cells!.some((cell) => cell.part !== 0) };
    }
    this.#cut();
    return {
      chunked: true,
      bytes: this.#chunks.reduce((sum, chunk) => sum + indexBytes(chunk), 0),
      large: false,
    };
  }

  /** Writes the family's section; settle() has been called. */
  write(writer: ByteWriter, chunked: boolean): void {
    for (const chunk of this.#chunks) {
      if (!chunked) for (const cell of chunk.cells!) writeCell(writer, cell);
      else {
        writer.varint(chunk.first.qualifier.length);
        writer.put(chunk.first.qualifier);
        writer.uint64(chunk.first.timestamp);
        writer.varint(chunk.size);
        writer.number64(chunk.part);
      }
    }
  }

  #addInline(cells: CellEntry[], size: number): void {
    if (cells.length > 0)
      this.#chunks.push({ first: cells[0], size, part: 0, cells, dirty: false });
  }

  /** Index of the chunk a place belongs to. */
  #locate(place: CellPosition): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(this.#chunks[middle].first, place) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #column(qualifier: Uint8Array): Chunk {
    return this.#only(
      this.#locate({ qualifier, timestamp: newest }),
      this.#locate({ qualifier, timestamp: oldest }),
    );
  }

  /** The chunks from one index to another (inclusive), loaded and made one. */
  #only(from: number, to: number): Chunk {
    if (this.#chunks.length === 0)
      this.#chunks.push({
        first: { qualifier: noBytes, timestamp: newest },
        size: 0,
        part: 0,
        cells: [],
        dirty: true,
      });
    const chunk = this.#chunks[from];
    this.#load(chunk);
    if (to <= from) return chunk;
    for (const other of this.#chunks.splice(from + 1, to - from)) {
      for (const cell of this.#load(other)) chunk.cells!.push(cell);
      this.#parts.remove(other.part);
    }
    chunk.dirty = true;
    return chunk;
  }

  #load(chunk: Chunk): CellEntry[] {
    if (chunk.cells === undefined) {
      const bytes = this.#parts.load(chunk.part);
      chunk.cells = readCells(new ByteReader(bytes, 0, bytes.length));
    }
    return chunk.cells;
  }

  #keep(chunk: Chunk, wanted: (cell: CellEntry) => boolean): number {
    const kept: CellEntry[] = [];
    for (const cell of chunk.cells!) {
      if (wanted(cell)) kept.push(cell);
      else this.#parts.drop(cell);
    }
    const gone = chunk.cells!.length - kept.length;
    if (gone > 0) chunk.dirty = true;
    chunk.cells = kept;
    return gone;
  }

  /** Cuts changed chunks to size and writes them; a small one first takes in its neighbour. */
  #cut(): void {
    // Chunks grow with the index, so that neither makes a single write expensive.
    const target = Math.max(chunkBytes, this.#chunks.length * 64);
    for (let at = 0; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at];
      if (!chunk.dirty && chunk.part !== 0) continue;
      if (chunk.size < target / 4 && this.#chunks.length > 1) {
        at = Math.min(at, this.#chunks.length - 2);
        const merged = this.#only(at, at + 1);
        merged.size = sizeOf(merged.cells!);
      }
      const pieces = cutCells(this.#chunks[at], target);
      for (const piece of pieces) this.#store(piece);
      this.#chunks.splice(at, 1, ...pieces);
      at += pieces.length - 1;
    }
  }

  #store(chunk: Chunk): void {
    const cells = chunk.cells!;
    for (const cell of cells) this.#parts.keep(cell);
    const writer = new ByteWriter(chunk.size);
    for (const cell of cells) writeCell(writer, cell);
    chunk.first = cells[0];
    chunk.part = this.#parts.write(chunk.part, writer.bytes);
    chunk.dirty = false;
  }
}

function cutCells(chunk: Chunk, target: number): Chunk[] {
  if (chunk.size <= 2 * target) return [chunk];
  const pieces: Chunk[] = [];
  let piece: Chunk | undefined;
  for (const cell of chunk.cells!) {
    if (piece === undefined || piece.size >= target) {
      piece = {
        first: cell,
        size: 0,
        part: pieces.length === 0 ? chunk.part : 0,
        cells: [],
        dirty: true,
      };
      pieces.push(piece);
    }
    piece.cells!.push(cell);
    piece.size += cellBytes(cell);
  }
  return pieces;
}

function sizeOf(cells: readonly CellEntry[]): number {
  let bytes = 0;
  for (const cell of cells) bytes += cellBytes(cell);
  return bytes;
}

function indexBytes({ first, size }: Chunk): number {
  return (
    varintBytes(first.qualifier.length) +
    first.qualifier.length +
    8 +
    varintBytes(size) +
    overflowIdBytes
  );
}
