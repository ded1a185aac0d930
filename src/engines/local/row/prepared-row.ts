/**
 * Rows to write as they wait for their commit. A row that only sets cells, each in a column of its
 * own, is a record from the start: its bytes are copied once, and where no row is yet they are
 * stored as they are. Any other row waits as its mutations.
 */
import { maxQualifierBytes } from '../../../base/index.js';
import { compareBytes, compareSlices } from '../../../bytes/index.js';
import type { Mutation, RowMutation, Micros } from '../../../store/index.js';
import { checkedRow, mutationBytes } from '../arguments.js';
import { readCells } from './cell-entry.js';
import {
  ByteReader,
  ByteWriter,
  maxInlineFamilyBytes,
  maxInlineValueBytes,
  readUint32,
  varintBytes,
  writeUint32,
} from '../kv/record.js';
import { isLongKey, prefixBytes, rowStoreKey } from '../kv/store-key.js';
import type { TableState } from '../table/table-state.js';

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

/** A row that was checked and copied, and waits. */
export type PendingRow = PreparedRow | MutatedRow;

/** A row as its record. */
export class PreparedRow {
  constructor(
    /** Its place in the request. */
    readonly index: number,
    /** The table as it was: under another schema the row is no longer ready. */
    readonly table: TableState,
    readonly storeKey: Uint8Array,
    readonly record: Uint8Array,
    /** True when cells take the time of the commit: their timestamps are all ones until then. */
    readonly timed: boolean,
  ) {}

  /** The same as mutations. */
  mutations(): RowMutation {
    const { table, storeKey, record } = this;
    const mutations: Mutation[] = [];
    const reader = new ByteReader(record, 1, record.length);
    while (reader.at < reader.end) {
      const family = table.byId[reader.varint() >>> 1]!.name;
      const end = reader.varint() + reader.at;
      for (const { qualifier, timestamp, value } of readCells(
        new ByteReader(record, reader.at, end),
      )) {
        mutations.push({
          kind: 'setCell',
          family,
          qualifier,
          timestamp: BigInt.asIntN(64, timestamp),
          value: value!,
        });
      }
      reader.at = end;
    }
    return { key: storeKey.subarray(prefixBytes), mutations };
  }

  /** Gives the cells that wait for it the time of the commit, in microseconds. */
  setTime(micros: bigint): void {
    const { record } = this;
    const reader = new ByteReader(record, 1, record.length);
    while (reader.at < reader.end) {
      reader.varint();
      const end = reader.varint() + reader.at;
      while (reader.at < end) {
        const qualifier = reader.varint();
        reader.at += qualifier;
        const high = readUint32(record, reader.at);
        if (high === 0xffff_ffff) {
          writeUint32(record, reader.at, Number(micros >> 32n));
          writeUint32(record, reader.at + 4, Number(micros & 0xffff_ffffn));
        }
        reader.at += 8;
        const value = reader.varint() / 2;
        reader.at += value;
      }
    }
  }
}

/** A row as mutations. */
export class MutatedRow {
  readonly storeKey: Uint8Array;

  readonly #row: RowMutation;

  constructor(
    readonly index: number,
    table: TableState,
    row: RowMutation,
  ) {
    this.#row = row;
    this.storeKey = rowStoreKey(table.id, row.key);
  }

  /** What is to be done to the row. */
  mutations(): RowMutation {
    return this.#row;
  }
}

/** Bytes of a stretch that rows of a request share. */
const stretch = 64 * 1024;
/** Most cells of a ready row: sorting them costs more than a draft from some number on. */
const mostCells = 256;

/** Makes the rows of one request wait. */
export class PendingRows {
  /** Bytes of the values, for the size of the commit. */
  bytes = 0;
  #writer: ByteWriter;
  #timed = false;

  readonly #table: TableState;
  readonly #rows: number;

  /** `rows` is how many come. */
  constructor(table: TableState, rows: number) {
    this.#table = table;
    this.#rows = rows;
    this.#writer = new ByteWriter(0);
  }

  /** The row, with its own copy of all bytes; throws what refuses it. */
  add(index: number, row: RowMutation): PendingRow {
    const ready = this.#ready(index, row);
    if (ready !== undefined) return ready;
    const checked = checkedRow(row, this.#table.granularity);
    this.bytes += mutationBytes(checked.mutations);
    return new MutatedRow(index, this.#table, checked);
  }

  /** Undefined for a row that is not of this kind, or that will be refused. */
  #ready(index: number, { key, mutations }: RowMutation): PreparedRow | undefined {
    if (!(key instanceof Uint8Array) || key.length === 0 || isLongKey(key)) return undefined;
    this.#timed = false;
    const size = this.#sizeOf(mutations);
    if (size === undefined) return undefined;
    const cells = inColumnOrder(mutations as readonly SetCell[]);
    if (cells === undefined) return undefined;
    const writer = this.#room(prefixBytes + key.length + size);
    const start = writer.at;
    writeUint32(writer.bytes, start, this.#table.id);
    writer.at += prefixBytes;
    writer.put(key);
    const middle = writer.at;
    writer.byte(0);
    for (let from = 0; from < cells.length;) from = this.#writeFamily(writer, cells, from);
    this.bytes += writer.at - middle;
    return new PreparedRow(
      index,
      this.#table,
      writer.bytes.subarray(start, middle),
      writer.bytes.subarray(middle, writer.at),
      this.#timed,
    );
  }

  /**
   * At most how many bytes the record takes; undefined when it is more than cells, or more than a
   * record holds by itself.
   */
  #sizeOf(mutations: readonly Mutation[]): number | undefined {
    const { families, granularity } = this.#table;
    if (mutations.length === 0 || mutations.length > mostCells) return undefined;
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
      if (
        qualifier.length > maxQualifierBytes ||
        value.length > maxInlineValueBytes ||
        !isTimestamp(timestamp, granularity === 'millis')
      )
        return undefined;
      if (timestamp === -1 || timestamp === -1n) this.#timed = true;
      // Three varints of a cell take up to eight bytes, the head of a section up to seven.
      size += qualifier.length + value.length + 8 + 8 + 7;
    }
    return size > maxInlineFamilyBytes ? undefined : size;
  }

  /** Writes the section that begins at cell `from`; answers the first cell behind it. */
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
      const { qualifier, timestamp, value } = cells[i];
      writer.varint(qualifier.length);
      writer.put(qualifier);
      if (typeof timestamp === 'number') writeMicros(writer, timestamp);
      else writer.uint64(BigInt.asUintN(64, timestamp));
      writer.varint(value.length * 2);
      writer.put(value);
    }
    return to;
  }

  #room(bytes: number): ByteWriter {
    const writer = this.#writer;
    if (writer.bytes.length - writer.at >= bytes) return writer;
    return (this.#writer = new ByteWriter(this.#rows === 1 ? bytes : Math.max(bytes, stretch)));
  }
}

/** The rows in the order of their store keys; those of one key stay in order. */
export function inKeyOrder(rows: PendingRow[]): PendingRow[] {
  if (rows.length < 2) return rows;
  const first = rows[0].storeKey;
  let shared = first.length;
  for (const { storeKey } of rows) {
    let same = 0;
    while (same < shared && first[same] === storeKey[same]) same++;
    shared = same;
  }
  const order = (a: PendingRow, b: PendingRow): number =>
    compareSlices(a.storeKey, shared, a.storeKey.length, b.storeKey, shared, b.storeKey.length);
  return rows.sort(order);
}

/** The cells by column; undefined when two are in the same. */
function inColumnOrder(cells: readonly SetCell[]): readonly SetCell[] | undefined {
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
  return a.family === b.family
    ? compareBytes(a.qualifier, b.qualifier)
    : a.family < b.family
      ? -1
      : 1;
}

/** An int64 that is not negative, or -1 for the time of the commit. */
function isTimestamp(value: Micros, millis: boolean): boolean {
  if (typeof value === 'bigint')
    return value === -1n || (value >= 0n && value < 2n ** 63n && (!millis || value % 1000n === 0n));
  if (value === -1) return true;
  // Exact for safe integers, and quicker than the remainder of a large number.
  return (
    Number.isSafeInteger(value) &&
    value >= 0 &&
    (!millis || Math.floor(value / 1000) * 1000 === value)
  );
}

function writeMicros(writer: ByteWriter, micros: number): void {
  const high = Math.floor(micros / 0x1_0000_0000);
  writeUint32(writer.bytes, writer.at, high);
  writeUint32(writer.bytes, writer.at + 4, micros - high * 0x1_0000_0000);
  writer.at += 8;
}
