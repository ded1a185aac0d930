/**
 * How an engine hands over rows without an object for each cell: one cursor that walks bytes where
 * they lie.
 */
import { copyBytes } from '../bytes/index.js';
import type { Cell, Row } from './row.js';

/**
 * A page of rows. Walk it with `while (cursor.nextRow()) while (cursor.nextCell()) ...`; cells that
 * are not asked for are skipped. Everything the cursor points at is valid until the next call of
 * nextRow or nextCell, and nothing of it once control goes back to the event loop: read a page to
 * its end before awaiting, and copy what is to be kept. Do not write through it.
 */
export interface RowCursor {
  /** Moves to the next row of the page. */
  nextRow(): boolean;
  /** Buffer that holds the current row key in `[keyStart, keyEnd)`. */
  keyBytes: Uint8Array;
  keyStart: number;
  keyEnd: number;
  /** Moves to the next cell of the current row, in the order Row states. */
  nextCell(): boolean;
  /**
   * Family name of the current cell; the same string object for every cell of the family, so
   * compare with ===.
   */
  family: string;
  /** Buffer that holds the qualifier in `[qualifierStart, qualifierEnd)`. */
  qualifierBytes: Uint8Array;
  qualifierStart: number;
  qualifierEnd: number;
  /**
   * Buffer that holds the value in `[valueStart, valueEnd)`; an empty range where the read strips
   * values.
   */
  valueBytes: Uint8Array;
  valueStart: number;
  valueEnd: number;
  /**
   * Labels that the read's filter put beside the current cell: one shared empty array when none.
   */
  labels: readonly string[];
  /** Timestamp of the current cell in microseconds; computed when asked. */
  timestamp(): bigint;
}

/** What a cell without labels has; one array, so compare `labels.length` or identity. */
export const noLabels: readonly string[] = Object.freeze([]);

/** The pages of one read, in row order. */
export interface RowStream {
  /**
   * The next page, or undefined at the end. Rejects with the signal's reason when the read is
   * aborted.
   */
  next(): Promise<RowCursor | undefined>;
  /**
   * Ends the read early and lets go of what it holds. Calling it twice, or after the end, does
   * nothing.
   */
  close(): Promise<void>;
}

/** Reads a stream to its end into Row objects: for tests, tools and small answers. */
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

/** Copies the cursor's current row, reading its cells to the end. */
export function copyRow(cursor: RowCursor): Row {
  const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
  const cells: Cell[] = [];
  while (cursor.nextCell()) {
    cells.push({
      family: cursor.family,
      qualifier: copyBytes(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd),
      timestamp: cursor.timestamp(),
      value: copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
      ...(cursor.labels.length > 0 ? { labels: cursor.labels } : {}),
    });
  }
  return { key, cells };
}
