/**
 * Rows that are queued for a commit. A row that only sets cells, at most one in each column, is
 * encoded as a record when it is queued: its bytes are copied once, and are stored as they are
 * where no row exists. Other rows are queued as mutations.
 */
import { compareSlices, maxRowKeyBytes } from '../../../base/index.js';
import {
  checkMutationCount,
  checkRowShape,
  mutationCount,
  PackedRow,
  type Mutation,
  type RowMutation,
} from '../../../data/store/index.js';
import { checkedRow, mutationBytes } from '../arguments.js';
import { ByteReader, ByteWriter, readUint32BE, writeUint32BE } from '../kv/bytes.js';
import { prefixBytes, rowStoreKey } from '../kv/store-key.js';
import { readCells } from './record/cell-entry.js';
import { CellsToSet, commitTimeHalf } from './cells-to-set.js';
import type { TableState } from '../table/table-state.js';

/** A row, valid and copied, that is queued for a commit. */
export type PendingRow = PreparedRow | MutatedRow;

/** A row that is encoded as a record. */
export class PreparedRow {
  constructor(
    /** Index in the request. */
    readonly index: number,
    /** The schema that the row was encoded for; it is encoded again when the schema has changed. */
    readonly table: TableState,
    /** The buffer that holds the store key and the record, which several rows share. */
    readonly bytes: Uint8Array,
    readonly keyStart: number,
    /** Start of the record, and end of the store key. */
    readonly recordStart: number,
    readonly end: number,
    /** True when cells take the time of the commit. Until then their timestamps are all ones. */
    readonly needsCommitTime: boolean,
  ) {}

  get storeKey(): Uint8Array {
    return this.bytes.subarray(this.keyStart, this.recordStart);
  }

  /** The row as mutations. */
  mutations(): RowMutation {
    const { table, storeKey, bytes } = this;
    const mutations: Mutation[] = [];
    const reader = new ByteReader(bytes, this.recordStart + 1, this.end);
    while (reader.position < reader.end) {
      const family = table.byId[reader.varint() >>> 1]!.name;
      const end = reader.varint() + reader.position;
      const cells = readCells(new ByteReader(bytes, reader.position, end));
      for (const { qualifier, timestamp: bits, value } of cells) {
        const timestamp = BigInt.asIntN(64, bits);
        mutations.push({ kind: 'setCell', family, qualifier, timestamp, value: value! });
      }
      reader.position = end;
    }
    return { key: storeKey.subarray(prefixBytes), mutations };
  }

  /** Sets the timestamps of cells that take the time of the commit, in microseconds. */
  setCommitTime(micros: bigint): void {
    const { bytes } = this;
    const reader = new ByteReader(bytes, this.recordStart + 1, this.end);
    while (reader.position < reader.end) {
      reader.varint();
      const end = reader.varint() + reader.position;
      while (reader.position < end) {
        const qualifierBytes = reader.varint();
        reader.position += qualifierBytes;
        if (readUint32BE(bytes, reader.position) === commitTimeHalf) {
          writeUint32BE(bytes, reader.position, Number(micros >> 32n));
          writeUint32BE(bytes, reader.position + 4, Number(micros & 0xffff_ffffn));
        }
        reader.position += 8;
        const valueBytes = reader.varint() / 2;
        reader.position += valueBytes;
      }
    }
  }
}

/** A row that is queued as mutations. */
export class MutatedRow {
  /** The store key: all of the buffer. */
  readonly bytes: Uint8Array;
  readonly keyStart = 0;
  readonly recordStart: number;

  readonly #row: RowMutation;

  constructor(
    readonly index: number,
    table: TableState,
    row: RowMutation,
  ) {
    this.#row = row;
    this.bytes = rowStoreKey(table.id, row.key);
    this.recordStart = this.bytes.length;
  }

  mutations(): RowMutation {
    return this.#row;
  }
}

/** Bytes of a buffer that several rows of a request share. */
const sharedBufferBytes = 64 * 1024;

/** Creates the pending rows of one request. */
export class PendingRowFactory {
  /** Bytes of the rows so far, which count towards the size of the commit. */
  bytes = 0;
  #writer: ByteWriter;

  readonly #table: TableState;
  readonly #rowCount: number;

  /** `rowCount` is the number of rows in the request. */
  constructor(table: TableState, rowCount: number) {
    this.#table = table;
    this.#rowCount = rowCount;
    this.#writer = new ByteWriter(0);
  }

  /** Returns a copy of the row; throws when it is invalid. `index` is its index in the request. */
  create(index: number, row: RowMutation): PendingRow {
    checkRowShape(row);
    const prepared = this.#prepare(index, row);
    if (prepared !== undefined) return prepared;
    const checked = checkedRow(row, this.#table.granularity);
    this.bytes += mutationBytes(checked.mutations);
    return new MutatedRow(index, this.#table, checked);
  }

  /**
   * Returns what mutations leave of a row that does not exist, as a record. Undefined when this is
   * not possible, or the row is invalid.
   */
  createNew(index: number, row: RowMutation): PreparedRow | undefined {
    checkRowShape(row);
    checkMutationCount(mutationCount(row));
    return this.#prepare(index, row, true);
  }

  /** Encodes the row as a record. Undefined when this is not possible, or the row is invalid. */
  #prepare(index: number, row: RowMutation, isNew = false): PreparedRow | undefined {
    const cells = freeCells ?? new CellsToSet();
    // Not free while a row is read: its getters may write other rows.
    freeCells = undefined;
    try {
      return this.#encodeCells(index, row, cells, isNew);
    } finally {
      // Also when a getter of the caller has thrown: the next row must not get these cells.
      cells.clear();
      freeCells = cells;
    }
  }

  #encodeCells(
    index: number,
    row: RowMutation,
    cells: CellsToSet,
    isNew: boolean,
  ): PreparedRow | undefined {
    if (row instanceof PackedRow) {
      if (!cells.addPacked(row, this.#table)) return undefined;
      return this.#encode(index, row.cells.bytes, row.keyStart, row.keyEnd, cells);
    }
    const { key, mutations, token } = row;
    if (token !== undefined || !(key instanceof Uint8Array)) return undefined;
    const isAdded = isNew
      ? cells.addToNewRow(mutations, this.#table)
      : cells.addMutations(mutations, this.#table);
    if (!isAdded) return undefined;
    return this.#encode(index, key, 0, key.length, cells);
  }

  /** Encodes a row with the key in `[keyStart, keyEnd)` of a buffer and the cells to set. */
  #encode(
    index: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    cells: CellsToSet,
  ): PreparedRow | undefined {
    const keyBytes = keyEnd - keyStart;
    if (keyBytes === 0 || keyBytes > maxRowKeyBytes || !cells.sort()) return undefined;
    const writer = this.#reserve(prefixBytes + keyBytes + cells.maxRecordBytes);
    const start = writer.position;
    writeUint32BE(writer.bytes, start, this.#table.id);
    writer.position += prefixBytes;
    writer.putSlice(bytes, keyStart, keyEnd);
    const recordStart = writer.position;
    cells.write(writer);
    this.bytes += writer.position - recordStart;
    return new PreparedRow(
      index,
      this.#table,
      writer.bytes,
      start,
      recordStart,
      writer.position,
      cells.needCommitTime,
    );
  }

  #reserve(bytes: number): ByteWriter {
    if (this.#writer.bytes.length - this.#writer.position < bytes) {
      if (this.#rowCount === 1) this.#writer = new ByteWriter(bytes);
      // Not a Buffer: its views are slower to create.
      else this.#writer = new ByteWriter(new Uint8Array(Math.max(bytes, sharedBufferBytes)));
    }
    return this.#writer;
  }
}

/** Reused for all rows, to save allocations; undefined while it is in use. */
let freeCells: CellsToSet | undefined = undefined;

/** Sorts rows by store key; rows of the same key keep their order. */
export function sortByStoreKey(rows: PendingRow[]): PendingRow[] {
  if (rows.length < 2) return rows;
  const { bytes: first, keyStart: firstStart, recordStart: firstEnd } = rows[0];
  let shared = firstEnd - firstStart;
  for (const { bytes, keyStart, recordStart } of rows) {
    let same = 0;
    shared = Math.min(shared, recordStart - keyStart);
    while (same < shared && first[firstStart + same] === bytes[keyStart + same]) same++;
    shared = same;
  }
  const order = (a: PendingRow, b: PendingRow): number =>
    compareSlices(
      a.bytes,
      a.keyStart + shared,
      a.recordStart,
      b.bytes,
      b.keyStart + shared,
      b.recordStart,
    );
  return rows.sort(order);
}
