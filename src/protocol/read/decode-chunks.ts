/**
 * ReadRowsResponse messages -> rows (google/bigtable/v2/bigtable.proto), the way back of
 * ChunkWriter: one walk over the message's bytes that notes where keys, qualifiers and values lie.
 * A row counts when it is committed. Bytes that no server may send are a typed error.
 */
import { compareSlices, copyBytes } from '../../bytes/index.js';
import { CellFault, cursor as wire, readEnd, readTag, skip } from '../../cell/index.js';
import { type RowCursor } from '../../store/index.js';
import { responseError } from '../response-error.js';
import { ChunkFields } from './chunk-fields.js';
import { FamilyNames } from './family-names.js';
import { cellInts, type RetainedRow, RowIndex, RowIndexCursor, rowInts } from './row-index.js';

/** Tags of ReadRowsResponse. */
const chunksTag = 0x0a;
const lastScannedTag = 0x12;

/** Takes messages in, gives pages of whole rows out. */
export class ChunkDecoder {
  /** Rows committed since the reader was made. */
  rowsRead = 0;
  /**
   * Grows with everything that a read need not ask for again: rows, and keys that the server
   * scanned without one.
   */
  advances = 0;
  readonly #chunk = new ChunkFields();
  readonly #index: RowIndex;
  readonly #cursor: RowIndexCursor;
  /** Whole rows of the index that were handed out. */
  #given = 0;
  /**
   * The row being read: whether there is one, the place of its key, its family and its qualifier so
   * far. Buffers are numbers of the index.
   */
  #inRow = false;
  #keyBuffer = -1;
  #keyStart = 0;
  #keyEnd = 0;
  #family = -1;
  /**
   * Whether a family of the row came behind one that is greater: their order is not promised
   * (data.proto, Row.families), ours is (store/row.ts).
   */
  #disordered = false;
  #qualifierBuffer = -1;
  #qualifierStart = 0;
  #qualifierEnd = 0;
  /** Pieces of a value that goes on; undefined between cells. */
  #pieces: Uint8Array[] | undefined;
  /** The key of the last row that was committed, or that the server scanned and left out. */
  #passedBytes: Uint8Array | undefined;
  #passedStart = 0;
  #passedEnd = 0;

  readonly #reversed: boolean;
  readonly #families: FamilyNames;

  /** `families` may be shared by the readers of one table. */
  constructor(reversed: boolean, families = new FamilyNames()) {
    this.#reversed = reversed;
    this.#families = families;
    this.#index = new RowIndex(families.names);
    this.#cursor = new RowIndexCursor(this.#index);
  }

  /** Whole rows that were not handed out. */
  get waiting(): number {
    return this.#index.rowCount - this.#given;
  }

  /** A copy of the key up to which everything was read; undefined when nothing was. */
  get passed(): Uint8Array | undefined {
    return this.#passedBytes === undefined
      ? undefined
      : copyBytes(this.#passedBytes, this.#passedStart, this.#passedEnd);
  }

  /**
   * The next whole rows, at most so many; undefined when none wait. Valid until the next page or
   * message.
   */
  page(most: number): RowCursor | undefined {
    const { waiting } = this;
    const given = this.#given;
    if (waiting === 0) return undefined;
    this.#given += Math.min(most, waiting);
    return this.#cursor.begin(given, this.#given);
  }

  /** The next whole row, to keep; undefined when none waits. */
  row(): RetainedRow | undefined {
    return this.waiting === 0 ? undefined : this.#index.keep(this.#given++);
  }

  /** Forgets the row that is not whole: the call broke off, and the next one sends it again. */
  breakOff(): void {
    this.#index.cellCount = this.#index.wholeCells;
    this.#inRow = false;
    this.#pieces = undefined;
  }

  /** The call ended well; refuses an end inside a row. */
  end(): void {
    if (this.#inRow) throw responseError('the answer ends inside a row');
  }

  /**
   * Takes a message; the pages before it end here. What it throws leaves the whole rows that came
   * before the fault.
   */
  add(message: Uint8Array): void {
    if (this.waiting === 0 && (this.#given > 0 || !this.#inRow)) this.#drop();
    const buffer = this.#index.buffers.push(message) - 1;
    try {
      this.#walk(message, buffer);
    } catch (fault) {
      throw fault instanceof CellFault ? responseError(fault.problem, fault) : fault;
    }
  }

  #walk(b: Uint8Array, buffer: number): void {
    const end = b.length;
    for (let at = 0; at < end;) {
      const tag = readTag(b, at, end);
      if (tag === chunksTag) {
        at = readEnd(b, wire.at, end);
        this.#chunk.read(b, wire.at, at);
        this.#take(b, buffer);
      } else if (tag === lastScannedTag) {
        at = readEnd(b, wire.at, end);
        // Inside a row it says nothing: the row is behind it.
        if (!this.#inRow && wire.at < at && this.#isBehind(b, wire.at, at))
          this.#pass(b, wire.at, at);
      } else at = skip(b, wire.at, end, tag, 1);
    }
  }

  /** Takes the chunk that was read. */
  #take(b: Uint8Array, buffer: number): void {
    const chunk = this.#chunk;
    if (chunk.reset) return this.#reset();
    if (this.#pieces !== undefined) this.#goOn();
    else {
      if (!this.#inRow) this.#beginRow(b, buffer);
      else if (chunk.keyStart >= 0) this.#checkKey(b);
      this.#beginCell(b, buffer);
    }
    if (chunk.valueSize > 0) {
      if (chunk.commit) throw responseError('a row is committed inside a value');
      (this.#pieces ??= []).push(b.subarray(chunk.valueStart, chunk.valueEnd));
      return;
    }
    if (this.#pieces !== undefined) this.#endValue(b);
    if (chunk.commit) this.#commit();
  }

  #beginRow(b: Uint8Array, buffer: number): void {
    const { keyStart, keyEnd, familyStart, qualifierStart } = this.#chunk;
    if (keyStart < 0) throw responseError('a row begins without its key');
    if (familyStart < 0 || qualifierStart < 0) throw responseError('a row begins without a column');
    if (!this.#isBehind(b, keyStart, keyEnd))
      throw responseError('rows are out of order, or come twice');
    this.#inRow = true;
    this.#family = -1;
    this.#disordered = false;
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
      throw responseError('a row begins before the last one is committed');
  }

  #beginCell(b: Uint8Array, buffer: number): void {
    const chunk = this.#chunk;
    const index = this.#index;
    if (chunk.familyStart >= 0) {
      if (chunk.qualifierStart < 0) throw responseError('a family is named without a qualifier');
      const family = this.#families.find(b, chunk.familyStart, chunk.familyEnd);
      if (
        family !== this.#family &&
        this.#family >= 0 &&
        this.#families.compare(family, this.#family) < 0
      )
        this.#disordered = true;
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
    cells[at + 9] = chunk.labels === undefined ? 0 : index.labels.push(chunk.labels) - 1;
  }

  /** A later piece of a value names nothing again. */
  #goOn(): void {
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
      throw responseError('a cell begins inside a value');
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
    const firstCell = index.wholeCells;
    if (at === index.rows.length) index.growRows();
    if (this.#disordered) index.orderFamilies(firstCell, (a, b) => this.#families.compare(a, b));
    const { rows } = index;
    rows[at] = this.#keyBuffer;
    rows[at + 1] = this.#keyStart;
    rows[at + 2] = this.#keyEnd;
    rows[at + 3] = firstCell;
    rows[at + 4] = index.cellCount;
    index.rowCount++;
    this.rowsRead++;
    this.#inRow = false;
    this.#pass(index.buffers[this.#keyBuffer], this.#keyStart, this.#keyEnd);
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
    if (!this.#inRow) throw responseError('a reset outside a row');
    const bare =
      keyStart < 0 &&
      familyStart < 0 &&
      qualifierStart < 0 &&
      timestampLow === 0 &&
      timestampHigh === 0 &&
      labels === undefined &&
      valueStart === valueEnd &&
      valueSize === 0;
    if (!bare) throw responseError('a reset with content');
    this.breakOff();
  }

  #isBehind(b: Uint8Array, start: number, end: number): boolean {
    if (this.#passedBytes === undefined) return true;
    const order = compareSlices(
      b,
      start,
      end,
      this.#passedBytes,
      this.#passedStart,
      this.#passedEnd,
    );
    return this.#reversed ? order < 0 : order > 0;
  }

  #pass(b: Uint8Array, start: number, end: number): void {
    this.advances++;
    this.#passedBytes = b;
    this.#passedStart = start;
    this.#passedEnd = end;
  }

  /** Makes room: every whole row was handed out. */
  #drop(): void {
    if (this.#index.buffers.length === 0) return;
    [this.#keyBuffer, this.#qualifierBuffer] = this.#index.dropRows(
      this.#inRow ? [this.#keyBuffer, this.#qualifierBuffer] : [-1, -1],
    );
    this.#given = 0;
  }
}
