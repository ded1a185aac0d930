/** Cursors over rows, which read cells from the engine's buffers without an object per cell. */
import { copyBytes } from '../../base/index.js';
import type { Cell, Row } from './row.js';

/**
 * A page of rows. Iterate with `while (cursor.nextRow()) while (cursor.nextCell()) ...`; `nextRow`
 * skips the remaining cells of a row. Buffers and offsets are valid until the next call of nextRow
 * or nextCell, and only until control returns to the event loop: read a page to its end before
 * awaiting, and copy what you keep. Do not modify the buffers.
 */
export interface RowCursor {
  /** Moves to the next row of the page. */
  nextRow(): boolean;
  /** Buffer with the current row key in `[keyStart, keyEnd)`. */
  keyBytes: Uint8Array;
  keyStart: number;
  keyEnd: number;
  /** Moves to the next cell of the current row, in the order described at Row. */
  nextCell(): boolean;
  /** Family name of the current cell. The same string instance per family, so `===` is fast. */
  family: string;
  /** Buffer with the qualifier in `[qualifierStart, qualifierEnd)`. */
  qualifierBytes: Uint8Array;
  qualifierStart: number;
  qualifierEnd: number;
  /** Buffer with the value in `[valueStart, valueEnd)`; empty if the read strips values. */
  valueBytes: Uint8Array;
  valueStart: number;
  valueEnd: number;
  /** Labels that the read's filter applied to the current cell; `noLabels` if there are none. */
  labels: readonly string[];
  /** Timestamp of the current cell in microseconds. */
  timestamp(): bigint;
  /**
   * Skips the rows before `key`, or in a reversed read the rows at and after it; undefined skips
   * all. The current row is no longer valid. Only on pages of engines with `skipsRows`, and only
   * after `nextRow` has returned true.
   */
  skipTo?(key: Uint8Array | undefined): void;
  /**
   * After `nextRow` has returned false, and before control returns to the event loop: a copy of the
   * last key that the read has visited. It need not visit any row up to that key again. Undefined
   * if that is not known; engines without the method never know it.
   */
  scannedKey?(): Uint8Array | undefined;
}

/** The labels of a cell without any. A shared array, so it can be compared by identity. */
export const noLabels: readonly string[] = Object.freeze([]);

/** The pages of one read, in row order. */
export interface RowStream {
  /**
   * The next page, or undefined at the end. Rejects with the signal's reason if the read is
   * aborted.
   */
  next(): Promise<RowCursor | undefined>;
  /** Ends the read and releases its resources. Does nothing if the read has already ended. */
  close(): Promise<void>;
}

/** Reads a stream to its end into Row objects; for tests, tools and small results. */
export async function collectRows(stream: RowStream): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) rows.push(copyRow(page));
    }
  } finally {
    await stream.close();
  }
  return rows;
}

/** Copies the cursor's current row, consuming its cells. */
export function copyRow(cursor: RowCursor): Row {
  const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
  const cells: Cell[] = [];
  while (cursor.nextCell()) {
    const cell = {
      family: cursor.family,
      qualifier: copyBytes(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd),
      timestamp: cursor.timestamp(),
      value: copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    };
    if (cursor.labels.length === 0) cells.push(cell);
    else cells.push({ ...cell, labels: cursor.labels });
  }
  return { key, cells };
}

/** A read that rejects its first `next`: errors in a plan are not thrown. */
export function failedRead(error: unknown): RowStream {
  return {
    next: async () => {
      throw error;
    },
    close: async () => undefined,
  };
}
