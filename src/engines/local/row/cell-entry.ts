/**
 * Cells in hand while a row is changed: compared, sized, read from and written to the bytes of a
 * run.
 */
import { compareBytes } from '../../../bytes/index.js';
import {
  maxInlineValueBytes,
  overflowIdBytes,
  varintBytes,
  type ByteReader,
  type ByteWriter,
} from '../kv/record.js';

/** One cell of a row in hand. */
export interface CellEntry {
  readonly qualifier: Uint8Array;
  /** Microseconds since 1970. */
  readonly timestamp: bigint;
  /** Undefined while the value stays in its part. */
  value: Uint8Array | undefined;
  /** Bytes of the value, wherever it lies. */
  length: number;
  /** The part that holds the value; 0 for none (yet). */
  part: number;
}

/** A place in a family's order: qualifiers ascending, then newest first. */
export interface CellPosition {
  readonly qualifier: Uint8Array;
  readonly timestamp: bigint;
}

/** Before or after in a family's order: negative, zero or positive. */
export function comparePositions(a: CellPosition, b: CellPosition): number {
  const order = compareBytes(a.qualifier, b.qualifier);
  if (order !== 0) return order;
  return a.timestamp === b.timestamp ? 0 : a.timestamp > b.timestamp ? -1 : 1;
}

/** Index of the first place that is not before `place`. */
export function lowerBound(places: readonly CellPosition[], place: CellPosition): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(places[middle], place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes the cell takes in a run. */
export function cellBytes(cell: CellEntry): number {
  const stored = cell.length > maxInlineValueBytes ? overflowIdBytes : cell.length;
  return (
    varintBytes(cell.qualifier.length) +
    cell.qualifier.length +
    8 +
    varintBytes(cell.length * 2) +
    stored
  );
}

/** Reads all cells of a run; they are views of its bytes. */
export function readCells(reader: ByteReader): CellEntry[] {
  const cells: CellEntry[] = [];
  while (reader.at < reader.end) {
    const qualifier = reader.take(reader.varint());
    const timestamp = reader.uint64();
    const tag = reader.varint();
    const length = Math.floor(tag / 2);
    if (tag % 2 === 1)
      cells.push({ qualifier, timestamp, value: undefined, length, part: reader.number64() });
    else cells.push({ qualifier, timestamp, value: reader.take(length), length, part: 0 });
  }
  return cells;
}

/** Writes one cell; a value that must lie in a part has one by now. */
export function writeCell(writer: ByteWriter, cell: CellEntry): void {
  writer.varint(cell.qualifier.length);
  writer.put(cell.qualifier);
  writer.uint64(cell.timestamp);
  if (cell.length > maxInlineValueBytes) {
    writer.varint(cell.length * 2 + 1);
    writer.number64(cell.part);
  } else {
    writer.varint(cell.length * 2);
    writer.put(cell.value!);
  }
}
