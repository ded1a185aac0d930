/**
 * The cells of a row that is encoded as a record: checked, sorted by column and written without
 * creating objects.
 */
import { compareSlices, maxQualifierBytes, noBytes } from '../../../base/index.js';
import type { Granularity, Micros, Mutation, PackedRow } from '../../../data/store/index.js';
import { isCommitTime } from '../arguments.js';
import { type ByteWriter, varintBytes, writeUint32 } from '../kv/bytes.js';
import type { FamilyState, TableState } from '../table/table-state.js';
import { maxInlineFamilyBytes, maxInlineValueBytes } from './record/record-limits.js';

/** Both halves of a timestamp that is set when the row is committed. */
export const commitTimeHalf = 0xffff_ffff;
/** From some number of cells on, sorting them costs more than applying mutations. */
const maxCells = 256;
/** The timestamp, up to eight bytes of varints, and up to seven of the section's header. */
const maxOverhead = 8 + 8 + 7;

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

/** A cell: its qualifier and value are parts of buffers. */
class CellToSet {
  /** Undefined while the cell is not used. */
  family: FamilyState | undefined = undefined;
  qualifierBytes: Uint8Array = noBytes;
  qualifierStart = 0;
  qualifierEnd = 0;
  valueBytes: Uint8Array = noBytes;
  valueStart = 0;
  valueEnd = 0;
  /** Halves of the timestamp. */
  high = 0;
  low = 0;

  /** Bytes in a run. */
  get bytes(): number {
    const qualifier = this.qualifierEnd - this.qualifierStart;
    const value = this.valueEnd - this.valueStart;
    return varintBytes(qualifier) + qualifier + 8 + varintBytes(value * 2) + value;
  }

  write(writer: ByteWriter): void {
    const { qualifierStart, qualifierEnd, valueStart, valueEnd } = this;
    writer.varint(qualifierEnd - qualifierStart);
    writer.putSlice(this.qualifierBytes, qualifierStart, qualifierEnd);
    writeUint32(writer.bytes, writer.position, this.high);
    writeUint32(writer.bytes, writer.position + 4, this.low);
    writer.position += 8;
    writer.varint((valueEnd - valueStart) * 2);
    writer.putSlice(this.valueBytes, valueStart, valueEnd);
  }

  /**
   * Sets the timestamp; false if it is not valid in the table, or not a safe integer. `truncate`
   * rounds it down to the granularity of the table.
   */
  setTimestamp(timestamp: Micros, isMillis: boolean, truncate: boolean): boolean {
    let micros = typeof timestamp === 'bigint' ? Number(timestamp) : timestamp;
    if (!Number.isSafeInteger(micros) || micros < 0) return false;
    if (isMillis) {
      // Exact for safe integers, and faster than the remainder of a large number.
      const whole = Math.floor(micros / 1000) * 1000;
      if (whole !== micros && !truncate) return false;
      micros = whole;
    }
    this.high = Math.floor(micros / 0x1_0000_0000);
    this.low = micros - this.high * 0x1_0000_0000;
    return true;
  }
}

/** The cells of one row at a time. */
export class CellsToSet {
  /** True if a cell takes the time of the commit. */
  needCommitTime = false;
  /** Upper bound of the size of the record. */
  maxRecordBytes = 1;
  /** The first `count` are in use. */
  readonly #cells: CellToSet[] = [];
  #count = 0;
  /** The cells in the order of their columns. */
  #sorted: readonly CellToSet[] = this.#cells;

  /** Removes all cells, so that their buffers are not kept. */
  clear(): void {
    for (let i = 0; i < this.#count; i++) {
      const cell = this.#cells[i];
      cell.qualifierBytes = cell.valueBytes = noBytes;
      cell.family = undefined;
    }
    this.#count = 0;
    this.#sorted = this.#cells;
    this.needCommitTime = false;
    this.maxRecordBytes = 1;
  }

  /**
   * Adds the cells of a row. False when the row cannot be encoded as a record: a mutation is not
   * valid or sets no cell, or the cells are too many or too large.
   */
  addMutations(mutations: readonly Mutation[], table: TableState): boolean {
    for (let i = 0; i < mutations.length; i++) {
      const mutation = mutations[i];
      if (mutation.kind !== 'setCell' || !this.#addCell(mutation, table)) return false;
    }
    return this.#count > 0;
  }

  /**
   * Adds the cells that mutations leave of a row that does not exist. False where `addMutations`
   * returns it, and for deletions of single cells that the mutations have set before.
   */
  addToNewRow(mutations: readonly Mutation[], table: TableState): boolean {
    for (const mutation of mutations) {
      if (mutation.kind === 'setCell') {
        if (!this.#addCell(mutation, table)) return false;
      } else if (mutation.kind === 'deleteFromRow') this.clear();
      else {
        const family = table.families.get(mutation.family);
        if (family === undefined || !this.#isDeletionOfNone(mutation, family, table)) return false;
      }
    }
    return this.#count > 0;
  }

  #isDeletionOfNone(mutation: Mutation, family: FamilyState, { granularity }: TableState): boolean {
    const cells = this.#cells.slice(0, this.#count).filter((cell) => cell.family === family);
    if (mutation.kind === 'deleteFromFamily') return cells.length === 0;
    if (mutation.kind !== 'deleteFromColumn') return false;
    const { qualifier, start = 0, end } = mutation;
    if (!(qualifier instanceof Uint8Array) || qualifier.length > maxQualifierBytes) return false;
    if (!isTime(start, granularity)) return false;
    if (end !== undefined && !(isTime(end, granularity) && start < end)) return false;
    return cells.every(
      ({ qualifierBytes: bytes, qualifierStart: from, qualifierEnd: to }) =>
        compareSlices(bytes, from, to, qualifier, 0, qualifier.length) !== 0,
    );
  }

  /** Like `addMutations`, for a row of packed cells. */
  addPacked({ cells, firstCell, endCell }: PackedRow, table: TableState): boolean {
    const { bytes, families } = cells;
    for (let i = firstCell; i < endCell; i++) {
      const family = families[cells.family(i)];
      const cell = this.#add(table, family, cells.timestamp(i), cells.isTruncated(i));
      if (cell === undefined) return false;
      cell.qualifierBytes = cell.valueBytes = bytes;
      cell.qualifierStart = cells.qualifierStart(i);
      cell.qualifierEnd = cells.qualifierEnd(i);
      cell.valueStart = cells.valueStart(i);
      cell.valueEnd = cells.valueEnd(i);
      const qualifierBytes = cell.qualifierEnd - cell.qualifierStart;
      if (!this.#addSize(qualifierBytes, cell.valueEnd - cell.valueStart)) return false;
    }
    return this.#count > 0;
  }

  /** Sorts the cells by column; false when two are in the same one. */
  sort(): boolean {
    const cells = this.#cells;
    let sorted = true;
    for (let i = 1; i < this.#count; i++) {
      const order = compareColumns(cells[i - 1], cells[i]);
      if (order === 0) return false;
      if (order > 0) sorted = false;
    }
    if (sorted) return true;
    const copy = cells.slice(0, this.#count).sort(compareColumns);
    this.#sorted = copy;
    return copy.every((cell, i) => i === 0 || compareColumns(copy[i - 1], cell) !== 0);
  }

  /** Writes the record. */
  write(writer: ByteWriter): void {
    writer.byte(0);
    for (let from = 0; from < this.#count;) from = this.#writeFamily(writer, from);
  }

  #addCell(mutation: SetCell, table: TableState): boolean {
    const { family, qualifier, timestamp, value, truncate } = mutation;
    if (!(qualifier instanceof Uint8Array) || !(value instanceof Uint8Array)) return false;
    const cell = this.#add(table, family, timestamp, truncate === true);
    if (cell === undefined) return false;
    cell.qualifierBytes = qualifier;
    cell.qualifierStart = 0;
    cell.qualifierEnd = qualifier.length;
    cell.valueBytes = value;
    cell.valueStart = 0;
    cell.valueEnd = value.length;
    return this.#addSize(qualifier.length, value.length);
  }

  /** A new cell; undefined when its family or timestamp is not valid, or there are too many. */
  #add(
    table: TableState,
    family: string,
    timestamp: Micros,
    truncate: boolean,
  ): CellToSet | undefined {
    const state = table.families.get(family);
    if (state === undefined || state.schema.aggregate !== undefined) return undefined;
    if (this.#count === maxCells) return undefined;
    const cell = (this.#cells[this.#count++] ??= new CellToSet());
    cell.family = state;
    if (!isCommitTime(timestamp)) {
      const isMillis = table.granularity === 'millis';
      return cell.setTimestamp(timestamp, isMillis, truncate) ? cell : undefined;
    }
    cell.high = cell.low = commitTimeHalf;
    this.needCommitTime = true;
    return cell;
  }

  /** False when the cell, or the row, is too large. */
  #addSize(qualifierBytes: number, valueBytes: number): boolean {
    if (qualifierBytes > maxQualifierBytes || valueBytes > maxInlineValueBytes) return false;
    this.maxRecordBytes += qualifierBytes + valueBytes + maxOverhead;
    return this.maxRecordBytes <= maxInlineFamilyBytes;
  }

  /** Writes the section of the family of cell `from`, and returns the index of the next cell. */
  #writeFamily(writer: ByteWriter, from: number): number {
    const cells = this.#sorted;
    const family = cells[from].family!;
    let to = from;
    let bytes = 0;
    for (; to < this.#count && cells[to].family === family; to++) bytes += cells[to].bytes;
    writer.varint(family.id * 2);
    writer.varint(bytes);
    for (let i = from; i < to; i++) cells[i].write(writer);
    return to;
  }
}

function compareColumns(a: CellToSet, b: CellToSet): number {
  if (a.family !== b.family) return a.family!.position - b.family!.position;
  return compareSlices(
    a.qualifierBytes,
    a.qualifierStart,
    a.qualifierEnd,
    b.qualifierBytes,
    b.qualifierStart,
    b.qualifierEnd,
  );
}

/** Whether a time is one that tables of the granularity have. */
function isTime(micros: Micros, granularity: Granularity): boolean {
  if (typeof micros !== 'number' && typeof micros !== 'bigint') return false;
  const time = Number(micros);
  return Number.isSafeInteger(time) && time >= 0 && (granularity !== 'millis' || time % 1000 === 0);
}
