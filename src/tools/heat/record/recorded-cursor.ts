/** A page of rows that reports the rows and bytes that the caller reads. */
import { noLabels, type RowCursor } from '../../../data/store/index.js';

/** Notified of the rows of a page. */
export interface PageReader {
  /** The cursor is at a row. */
  beginRow(page: RowCursor): void;
  /** The caller has read a cell of so many bytes. */
  addCell(bytes: number): void;
  /** The caller leaves the row, if it is at one. */
  endRow(): void;
}

/**
 * Has the fields of the page. Methods of the page itself are not overridden: engines reuse the page
 * object, and V8 reads an object more slowly once its properties were deleted.
 */
export class RecordedCursor implements RowCursor {
  readonly #page: RowCursor;
  readonly #reader: PageReader;
  keyBytes: Uint8Array;
  keyStart = 0;
  keyEnd = 0;
  family = '';
  qualifierBytes: Uint8Array;
  qualifierStart = 0;
  qualifierEnd = 0;
  valueBytes: Uint8Array;
  valueStart = 0;
  valueEnd = 0;
  labels: readonly string[] = noLabels;
  readonly skipTo?: (key: Uint8Array | undefined) => void;
  readonly scannedKey?: () => Uint8Array | undefined;

  constructor(page: RowCursor, reader: PageReader) {
    this.#page = page;
    this.#reader = reader;
    this.keyBytes = page.keyBytes;
    this.qualifierBytes = page.qualifierBytes;
    this.valueBytes = page.valueBytes;
    if (page.skipTo !== undefined)
      this.skipTo = (key) => {
        reader.endRow();
        page.skipTo!(key);
      };
    if (page.scannedKey !== undefined) this.scannedKey = () => page.scannedKey!();
  }

  nextRow(): boolean {
    this.#reader.endRow();
    if (!this.#page.nextRow()) return false;
    this.#copyKey();
    this.#reader.beginRow(this.#page);
    return true;
  }

  nextCell(): boolean {
    const page = this.#page;
    if (!page.nextCell()) return false;
    this.#copyKey();
    this.family = page.family;
    this.qualifierBytes = page.qualifierBytes;
    this.qualifierStart = page.qualifierStart;
    this.qualifierEnd = page.qualifierEnd;
    this.valueBytes = page.valueBytes;
    this.valueStart = page.valueStart;
    this.valueEnd = page.valueEnd;
    this.labels = page.labels;
    this.#reader.addCell(page.qualifierEnd - page.qualifierStart + page.valueEnd - page.valueStart);
    return true;
  }

  timestamp(): bigint {
    return this.#page.timestamp();
  }

  #copyKey(): void {
    this.keyBytes = this.#page.keyBytes;
    this.keyStart = this.#page.keyStart;
    this.keyEnd = this.#page.keyEnd;
  }
}
