/**
 * The cells of a row that is being changed, and their stored form. A run is a sequence of stored
 * cells: an inline family, or a chunk.
 */
import { compareBytes } from '../../../../base/index.js';
import { type ByteReader, type ByteWriter, varintBytes } from '../../kv/bytes.js';
import { maxInlineValueBytes, overflowIdBytes } from './record-limits.js';

/** A cell of a row that is being changed. */
export interface CellEntry {
  readonly qualifier: Uint8Array;
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  /** Undefined for an overflow value that is not loaded. */
  value: Uint8Array | undefined;
  /** Bytes of the value, whether loaded or not. */
  length: number;
  /** The overflow value that holds the cell's value; 0 for none, or none yet. */
  overflowId: number;
}

/** A position in a family: cells are sorted by ascending qualifier, then descending timestamp. */
export interface CellPosition {
  readonly qualifier: Uint8Array;
  readonly timestamp: bigint;
}

/** Compares two positions: negative, zero or positive. */
export function comparePositions(a: CellPosition, b: CellPosition): number {
  const order = compareBytes(a.qualifier, b.qualifier);
  if (order !== 0) return order;
  if (a.timestamp === b.timestamp) return 0;
  return a.timestamp > b.timestamp ? -1 : 1;
}

/** Index of the first of the sorted positions that is not before `position`. */
export function lowerBound(positions: readonly CellPosition[], position: CellPosition): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(positions[middle], position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Size of the cell in a run. */
export function cellBytes({ qualifier, length }: CellEntry): number {
  const header = varintBytes(qualifier.length) + qualifier.length + 8 + varintBytes(length * 2);
  return header + (length > maxInlineValueBytes ? overflowIdBytes : length);
}

/** Reads all cells of a run. They are views of its bytes. */
export function readCells(reader: ByteReader): CellEntry[] {
  const cells: CellEntry[] = [];
  while (reader.position < reader.end) {
    const qualifier = reader.take(reader.varint());
    const timestamp = reader.uint64();
    const tag = reader.varint();
    const length = Math.floor(tag / 2);
    if (tag % 2 === 1)
      cells.push({ qualifier, timestamp, value: undefined, length, overflowId: reader.number64() });
    else cells.push({ qualifier, timestamp, value: reader.take(length), length, overflowId: 0 });
  }
  return cells;
}

/** Writes a cell. A large value must have been stored as an overflow value before. */
export function writeCell(writer: ByteWriter, cell: CellEntry): void {
  writer.varint(cell.qualifier.length);
  writer.put(cell.qualifier);
  writer.uint64(cell.timestamp);
  if (cell.length > maxInlineValueBytes) {
    writer.varint(cell.length * 2 + 1);
    writer.number64(cell.overflowId);
  } else {
    writer.varint(cell.length * 2);
    writer.put(cell.value!);
  }
}
