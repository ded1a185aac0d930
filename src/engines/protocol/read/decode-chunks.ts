/**
 * ReadRowsResponse messages -> rows (google/bigtable/v2/bigtable.proto), the inverse of
 * encode-chunks.ts. One pass over the message's bytes records the offsets of keys, qualifiers and
 * values. Rows are returned once they are committed; responses that violate the protocol throw
 * STORAGE_FAILED.
 */
import { compareSlices, copyBytes, type FaultTexts } from '../../../base/index.js';
import { CodecError, cursor as wire, readEnd, readTag, skip } from '../../../data/cell/index.js';
import { type RowCursor } from '../../../data/store/index.js';
import { responseError } from '../response-error.js';
import { ChunkFields } from './chunk-fields.js';
import { FamilyNames } from './family-names.js';
import { cellInts, type RetainedRow, RowIndex, RowIndexCursor, rowInts } from './row-index.js';

/** Tags of ReadRowsResponse. */
const chunksTag = 0x0a;
const lastScannedTag = 0x12;

/** Decodes messages into pages of complete rows. */
export class ChunkDecoder {
  /** Rows committed since the decoder was created. */
  rowsRead = 0;
  /**
   * Number of times the read made progress: grows with each committed row and with each
   * last_scanned_row_key.
   */
  advances = 0;
  readonly #chunk = new ChunkFields();
  readonly #index: RowIndex;
  readonly #cursor: RowIndexCursor;
  /** Complete rows of the index that were already returned. */
  #returned = 0;
  /**
   * The row being received: whether there is one, its key, and the current family and qualifier.
   * Buffers are numbers in the index.
   */
  #inRow = false;
  #keyBuffer = -1;
  #keyStart = 0;
  #keyEnd = 0;
  #family = -1;
  /** The families of the row so far, in their order. */
  readonly #rowFamilies: number[] = [];
  /** Whether a family has come again after another one: the families of our rows are contiguous. */
  #scattered = false;
  #qualifierBuffer = -1;
  #qualifierStart = 0;
  #qualifierEnd = 0;
  /** The chunks so far of a value that is split over several; undefined between values. */
  #pieces: Uint8Array[] | undefined;
  /** The last key that was committed, or scanned by the server without a match. */
  #lastKeyBytes: Uint8Array | undefined;
  #lastKeyStart = 0;
  #lastKeyEnd = 0;

  readonly #reversed: boolean;
  readonly #families: FamilyNames;

  /** `families` may be shared by the decoders of one table. */
  constructor(reversed: boolean, families = new FamilyNames()) {
    this.#reversed = reversed;
    this.#families = families;
    this.#index = new RowIndex(families.names);
    this.#cursor = new RowIndexCursor(this.#index);
  }

  /** Number of complete rows that were not returned yet. */
  get pendingRows(): number {
    return this.#index.rowCount - this.#returned;
  }

  /** A copy of the key up to which everything was read, inclusive; undefined at the start. */
  get lastKey(): Uint8Array | undefined {
    if (this.#lastKeyBytes === undefined) return undefined;
    return copyBytes(this.#lastKeyBytes, this.#lastKeyStart, this.#lastKeyEnd);
  }

  /**
   * The next complete rows, at most `maxRows`; undefined if there are none. Valid until the next
   * page or message.
   */
  page(maxRows: number): RowCursor | undefined {
    const { pendingRows } = this;
    const start = this.#returned;
    if (pendingRows === 0) return undefined;
    this.#returned += Math.min(maxRows, pendingRows);
    return this.#cursor.begin(start, this.#returned);
  }

  /** The next complete row, valid for as long as it is referenced; undefined if there is none. */
  row(): RetainedRow | undefined {
    if (this.pendingRows === 0) return undefined;
    return this.#index.retain(this.#returned++);
  }

  /** Discards the incomplete row: the call failed, and its retry sends the row again. */
  discardIncomplete(): void {
    this.#index.cellCount = this.#index.completeCells;
    this.#inRow = false;
    this.#pieces = undefined;
  }

  /** To be called when the stream ended with OK. Rejects an end inside a row. */
  end(): void {
    if (this.#inRow) throw responseError(faults.unfinishedRow);
  }

  /**
   * Decodes a message; earlier pages become invalid. If it throws, complete rows before the error
   * can still be read.
   */
  add(message: Uint8Array): void {
    if (this.pendingRows === 0 && (this.#returned > 0 || !this.#inRow)) this.#dropReturned();
    const buffer = this.#index.buffers.push(message) - 1;
    try {
      this.#decode(message, buffer);
    } catch (error) {
      if (error instanceof CodecError) throw responseError({ problem: error.problem }, error);
      throw error;
    }
  }

  #decode(b: Uint8Array, buffer: number): void {
    const end = b.length;
    for (let at = 0; at < end;) {
      const tag = readTag(b, at, end);
      if (tag === chunksTag) {
        at = readEnd(b, wire.at, end);
        this.#chunk.read(b, wire.at, at);
        this.#addChunk(b, buffer);
      } else if (tag === lastScannedTag) {
        at = readEnd(b, wire.at, end);
        // Inside a row it is ignored: that row comes after the scanned key.
        if (!this.#inRow && wire.at < at && this.#isAfterLastKey(b, wire.at, at))
          this.#advance(b, wire.at, at);
      } else at = skip(b, wire.at, end, tag, 1);
    }
  }

  /** Applies the chunk that was read into `#chunk`. */
  #addChunk(b: Uint8Array, buffer: number): void {
    const chunk = this.#chunk;
    if (chunk.reset) return this.#reset();
    if (this.#pieces !== undefined) this.#checkContinuation();
    else {
      if (!this.#inRow) this.#beginRow(b, buffer);
      else if (chunk.keyStart >= 0) this.#checkKey(b);
      this.#beginCell(b, buffer);
    }
    if (chunk.valueSize > 0) {
      if (chunk.commit) throw responseError(faults.commitInsideValue);
      (this.#pieces ??= []).push(b.subarray(chunk.valueStart, chunk.valueEnd));
      return;
    }
    if (this.#pieces !== undefined) this.#endValue(b);
    if (chunk.commit) this.#commit();
  }

  #beginRow(b: Uint8Array, buffer: number): void {
    const { keyStart, keyEnd, familyStart, qualifierStart } = this.#chunk;
    if (keyStart < 0) throw responseError(faults.rowWithoutKey);
    if (familyStart < 0 || qualifierStart < 0) throw responseError(faults.rowWithoutColumn);
    if (!this.#isAfterLastKey(b, keyStart, keyEnd))
      throw responseError(faults.keysOutOfOrder(this.#reversed ? 'decreasing' : 'increasing'));
    this.#inRow = true;
    this.#family = -1;
    this.#rowFamilies.length = 0;
    this.#scattered = false;
    this.#keyBuffer = buffer;
    this.#keyStart = keyStart;
    this.#keyEnd = keyEnd;
  }

  #checkKey(b: Uint8Array): void {
    const { keyStart, keyEnd } = this.#chunk;
    const index = this.#index;
    if (
      compareSlices(
        b,
        keyStart,
        keyEnd,
        index.buffers[this.#keyBuffer],
        this.#keyStart,
        this.#keyEnd,
      ) !== 0
    )
      throw responseError(faults.uncommittedRow);
  }

  #beginCell(b: Uint8Array, buffer: number): void {
    const chunk = this.#chunk;
    const index = this.#index;
    if (chunk.familyStart >= 0) {
      if (chunk.qualifierStart < 0) throw responseError(faults.familyWithoutQualifier);
      const family = this.#families.find(b, chunk.familyStart, chunk.familyEnd);
      if (family !== this.#family) {
        if (this.#rowFamilies.includes(family)) this.#scattered = true;
        else this.#rowFamilies.push(family);
      }
      this.#family = family;
    }
    if (chunk.qualifierStart >= 0) {
      this.#qualifierBuffer = buffer;
      this.#qualifierStart = chunk.qualifierStart;
      this.#qualifierEnd = chunk.qualifierEnd;
    }
    const at = index.cellCount++ * cellInts;
    if (at === index.cells.length) index.growCells();
    const { cells } = index;
    cells[at] = this.#family;
    cells[at + 1] = this.#qualifierBuffer;
    cells[at + 2] = this.#qualifierStart;
    cells[at + 3] = this.#qualifierEnd;
    cells[at + 4] = buffer;
    cells[at + 5] = chunk.valueStart;
    cells[at + 6] = chunk.valueEnd;
    cells[at + 7] = chunk.timestampLow;
    cells[at + 8] = chunk.timestampHigh;
    cells[at + 9] = 0;
    if (chunk.labels !== undefined) cells[at + 9] = index.labels.push(chunk.labels) - 1;
  }

  /** Checks that a chunk in the middle of a value has nothing but a value. */
  #checkContinuation(): void {
    const { keyStart, familyStart, qualifierStart, timestampLow, timestampHigh, labels } =
      this.#chunk;
    if (
      keyStart >= 0 ||
      familyStart >= 0 ||
      qualifierStart >= 0 ||
      timestampLow !== 0 ||
      timestampHigh !== 0 ||
      labels !== undefined
    )
      throw responseError(faults.cellInsideValue);
  }

  #endValue(b: Uint8Array): void {
    const index = this.#index;
    const chunk = this.#chunk;
    const value = Buffer.concat([...this.#pieces!, b.subarray(chunk.valueStart, chunk.valueEnd)]);
    const at = (index.cellCount - 1) * cellInts;
    index.cells[at + 4] = index.buffers.push(value) - 1;
    index.cells[at + 5] = 0;
    index.cells[at + 6] = value.length;
    this.#pieces = undefined;
  }

  #commit(): void {
    const index = this.#index;
    const at = index.rowCount * rowInts;
    const firstCell = index.completeCells;
    if (at === index.rows.length) index.growRows();
    if (this.#scattered) index.groupFamilies(firstCell, this.#rowFamilies);
    const { rows } = index;
    rows[at] = this.#keyBuffer;
    rows[at + 1] = this.#keyStart;
    rows[at + 2] = this.#keyEnd;
    rows[at + 3] = firstCell;
    rows[at + 4] = index.cellCount;
    index.rowCount++;
    this.rowsRead++;
    this.#inRow = false;
    this.#advance(index.buffers[this.#keyBuffer], this.#keyStart, this.#keyEnd);
  }

  #reset(): void {
    const {
      keyStart,
      familyStart,
      qualifierStart,
      timestampLow,
      timestampHigh,
      labels,
      valueStart,
      valueEnd,
      valueSize,
    } = this.#chunk;
    if (!this.#inRow) throw responseError(faults.resetOutsideRow);
    const isBare =
      keyStart < 0 &&
      familyStart < 0 &&
      qualifierStart < 0 &&
      timestampLow === 0 &&
      timestampHigh === 0 &&
      labels === undefined &&
      valueStart === valueEnd &&
      valueSize === 0;
    if (!isBare) throw responseError(faults.resetWithFields);
    this.discardIncomplete();
  }

  /** In the order of the read: reversed reads go downwards. */
  #isAfterLastKey(b: Uint8Array, start: number, end: number): boolean {
    if (this.#lastKeyBytes === undefined) return true;
    const order = compareSlices(
      b,
      start,
      end,
      this.#lastKeyBytes,
      this.#lastKeyStart,
      this.#lastKeyEnd,
    );
    if (this.#reversed) return order < 0;
    return order > 0;
  }

  #advance(b: Uint8Array, start: number, end: number): void {
    this.advances++;
    this.#lastKeyBytes = b;
    this.#lastKeyStart = start;
    this.#lastKeyEnd = end;
  }

  /** Frees the rows and buffers of the index; every complete row was returned. */
  #dropReturned(): void {
    if (this.#index.buffers.length === 0) return;
    if (!this.#inRow) this.#keyBuffer = this.#qualifierBuffer = -1;
    [this.#keyBuffer, this.#qualifierBuffer] = this.#index.dropRows([
      this.#keyBuffer,
      this.#qualifierBuffer,
    ]);
    this.#returned = 0;
  }
}

const faults = {
  unfinishedRow: { problem: 'the stream ends inside a row' },
  commitInsideValue: { problem: 'a row is committed inside a value' },
  rowWithoutKey: { problem: 'a row begins without a row key' },
  rowWithoutColumn: { problem: 'a row begins without a column' },
  keysOutOfOrder: (text: string) => ({
    problem: `row keys are out of order or repeated: they must be strictly ${text}`,
  }),
  uncommittedRow: { problem: 'a row begins before the previous one is committed' },
  familyWithoutQualifier: { problem: 'a chunk has a family but no qualifier' },
  cellInsideValue: { problem: 'a cell begins inside a value' },
  resetOutsideRow: { problem: 'a chunk has reset_row outside a row' },
  resetWithFields: { problem: 'a chunk has reset_row and other fields' },
} satisfies FaultTexts;
