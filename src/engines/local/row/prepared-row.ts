/**
 * Rows that are queued for a commit. A row that only sets cells, at most one in each column, is
 * encoded as a record when it is queued: its bytes are copied once, and are stored as they are
 * where no row exists. Other rows are queued as mutations.
 */
import { maxInt64, maxQualifierBytes } from '../../../base/index.js';
import { compareBytes, compareSlices } from '../../../bytes/index.js';
import {
  checkRowShape,
  type Mutation,
  type RowMutation,
  type Micros,
} from '../../../store/index.js';
import { checkedRow, isCommitTime, mutationBytes } from '../arguments.js';
import { ByteReader, ByteWriter, readUint32, varintBytes, writeUint32 } from '../kv/bytes.js';
import { isLongKey, prefixBytes, rowStoreKey } from '../kv/store-key.js';
import { readCells } from './cell-entry.js';
import { maxInlineFamilyBytes, maxInlineValueBytes } from './record-limits.js';
import type { TableState } from '../table/table-state.js';

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

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
        if (readUint32(bytes, reader.position) === allOnes) {
          writeUint32(bytes, reader.position, Number(micros >> 32n));
          writeUint32(bytes, reader.position + 4, Number(micros & 0xffff_ffffn));
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

/** Both halves of a timestamp that is set when the row is committed. */
const allOnes = 0xffff_ffff;
/** Bytes of a buffer that several rows of a request share. */
const sharedBufferBytes = 64 * 1024;
/** From some number of cells on, sorting them costs more than applying mutations. */
const maxPreparedCells = 256;

/** Creates the pending rows of one request. */
export class PendingRowFactory {
  /** Bytes of the rows so far, which count towards the size of the commit. */
  bytes = 0;
  #writer: ByteWriter;
  #needsCommitTime = false;

  readonly #table: TableState;
  readonly #isMillis: boolean;
  readonly #rowCount: number;

  /** `rowCount` is the number of rows in the request. */
  constructor(table: TableState, rowCount: number) {
    this.#table = table;
    this.#isMillis = table.granularity === 'millis';
    this.#rowCount = rowCount;
    this.#writer = new ByteWriter(0);
  }

  /** Returns a copy of the row; throws when it is invalid. `index` is its index in the request. */
  create(index: number, row: RowMutation): PendingRow {
    checkRowShape(row);
    const prepared = row.token === undefined ? this.#prepare(index, row) : undefined;
    if (prepared !== undefined) return prepared;
    const checked = checkedRow(row, this.#table.granularity);
    this.bytes += mutationBytes(checked.mutations);
    return new MutatedRow(index, this.#table, checked);
  }

  /** Encodes the row as a record. Undefined when this is not possible, or the row is invalid. */
  #prepare(index: number, { key, mutations }: RowMutation): PreparedRow | undefined {
    if (!(key instanceof Uint8Array) || key.length === 0 || isLongKey(key)) return undefined;
    this.#needsCommitTime = false;
    const size = this.#maxRecordBytes(mutations);
    if (size === undefined) return undefined;
    const cells = sortByColumn(mutations as readonly SetCell[]);
    if (cells === undefined) return undefined;
    const writer = this.#reserve(prefixBytes + key.length + size);
    const keyStart = writer.position;
    writeUint32(writer.bytes, keyStart, this.#table.id);
    writer.position += prefixBytes;
    writer.put(key);
    const recordStart = writer.position;
    writer.byte(0);
    for (let from = 0; from < cells.length;) from = this.#writeFamily(writer, cells, from);
    this.bytes += writer.position - recordStart;
    return new PreparedRow(
      index,
      this.#table,
      writer.bytes,
      keyStart,
      recordStart,
      writer.position,
      this.#needsCommitTime,
    );
  }

  /**
   * Upper bound of the record's size. Undefined when the row cannot be encoded as a record because
   * of its mutations, or because it would need overflow values.
   */
  #maxRecordBytes(mutations: readonly Mutation[]): number | undefined {
    const { families } = this.#table;
    const isMillis = this.#isMillis;
    if (mutations.length === 0 || mutations.length > maxPreparedCells) return undefined;
    let size = 1;
    for (let i = 0; i < mutations.length; i++) {
      const mutation = mutations[i];
      if (mutation.kind !== 'setCell') return undefined;
      const { qualifier, timestamp, value } = mutation;
      const state = families.get(mutation.family);
      if (
        state === undefined ||
        state.schema.aggregate !== undefined ||
        !(qualifier instanceof Uint8Array) ||
        !(value instanceof Uint8Array)
      )
        return undefined;
      if (qualifier.length > maxQualifierBytes || value.length > maxInlineValueBytes)
        return undefined;
      if (isCommitTime(timestamp)) this.#needsCommitTime = true;
      else if (!isTimestamp(timestamp, isMillis && mutation.truncate !== true)) return undefined;
      // The timestamp, up to eight bytes of varints, and up to seven of the section's header.
      size += qualifier.length + value.length + 8 + 8 + 7;
    }
    if (size > maxInlineFamilyBytes) return undefined;
    return size;
  }

  /** Writes the section of the family of cell `from`, and returns the index of the next cell. */
  #writeFamily(writer: ByteWriter, cells: readonly SetCell[], from: number): number {
    const { family } = cells[from];
    let to = from;
    let bytes = 0;
    for (; to < cells.length && cells[to].family === family; to++) {
      const { qualifier, value } = cells[to];
      bytes +=
        varintBytes(qualifier.length) +
        qualifier.length +
        8 +
        varintBytes(value.length * 2) +
        value.length;
    }
    writer.varint(this.#table.families.get(family)!.id * 2);
    writer.varint(bytes);
    for (let i = from; i < to; i++) {
      const { qualifier, timestamp, value, truncate } = cells[i];
      writer.varint(qualifier.length);
      writer.put(qualifier);
      writeTimestamp(writer, timestamp, truncate === true && this.#isMillis);
      writer.varint(value.length * 2);
      writer.put(value);
    }
    return to;
  }

  #reserve(bytes: number): ByteWriter {
    if (this.#writer.bytes.length - this.#writer.position < bytes) {
      if (this.#rowCount === 1) this.#writer = new ByteWriter(bytes);
      // Not a Buffer, whose views are slower to create.
      else this.#writer = new ByteWriter(new Uint8Array(Math.max(bytes, sharedBufferBytes)));
    }
    return this.#writer;
  }
}

/** `truncate` rounds down to milliseconds. */
function writeTimestamp(writer: ByteWriter, timestamp: Micros, truncate: boolean): void {
  if (isCommitTime(timestamp)) {
    writeUint32(writer.bytes, writer.position, allOnes);
    writeUint32(writer.bytes, writer.position + 4, allOnes);
    writer.position += 8;
  } else if (typeof timestamp === 'bigint')
    writer.uint64(truncate ? timestamp - (timestamp % 1000n) : timestamp);
  else writer.number64(truncate ? Math.floor(timestamp / 1000) * 1000 : timestamp);
}

/** Sorts rows by store key; those of the same key keep their order. */
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

/** Returns the cells sorted by column; undefined when two are in the same column. */
function sortByColumn(cells: readonly SetCell[]): readonly SetCell[] | undefined {
  let sorted = true;
  for (let i = 1; i < cells.length; i++) {
    const order = compareColumns(cells[i - 1], cells[i]);
    if (order === 0) return undefined;
    if (order > 0) sorted = false;
  }
  if (sorted) return cells;
  const copy = [...cells].sort(compareColumns);
  for (let i = 1; i < copy.length; i++)
    if (compareColumns(copy[i - 1], copy[i]) === 0) return undefined;
  return copy;
}

/** Names of families are ASCII, so that their string order is their byte order. */
function compareColumns(a: SetCell, b: SetCell): number {
  if (a.family === b.family) return compareBytes(a.qualifier, b.qualifier);
  return a.family < b.family ? -1 : 1;
}

/** True for a timestamp that is valid in tables of the granularity. */
function isTimestamp(value: Micros, millis: boolean): boolean {
  if (typeof value === 'bigint') {
    if (value < 0n || value > maxInt64) return false;
    return !millis || value % 1000n === 0n;
  }
  if (!Number.isSafeInteger(value) || value < 0) return false;
  // Exact for safe integers, and faster than the remainder of a large number.
  return !millis || Math.floor(value / 1000) * 1000 === value;
}
