/** Writes single rows inside a commit. */
import type {
  Cell,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../../data/store/index.js';
import { noBytes, tokenTable } from '../../../base/index.js';
import type { OrderedStore, PairCursor, PairWriter } from '../kv/ordered-store.js';
import { rowStoreKey } from '../kv/store-key.js';
import type { Catalog } from '../table/catalog.js';
import { familyOf, type TableState } from '../table/table-state.js';
import { applyMutations, applyRules, checkFamilies } from './record/apply-mutations.js';
import type { OverflowIdAllocator } from './overflow-ids.js';
import { PreparedRow, type PendingRow } from './prepared-row.js';
import { mergeRecords, RecordSlice } from './record/record-merge.js';
import { RowBuilder } from './record/row-builder.js';
import { isRemembered, tokenCell, tokenFamily, tokenKey } from './write-tokens.js';

/** The options of the engine that concern writes. */
export interface RowWriteOptions {
  /** Microseconds since 1970, in whole milliseconds. */
  readonly nowMicros: () => number;
  /** The server timestamp of a write, in microseconds. */
  readonly nextTimestamp: () => number;
  /**
   * True when a write removes the cells that the garbage collection rules collect from the row that
   * it writes.
   */
  readonly hideExpired: boolean;
  /** Called for every row that was written. */
  readonly onWrite: (table: TableState) => void;
}

/** The row writes of a database. */
export class RowWrites {
  readonly #store: OrderedStore;
  readonly #catalog: Catalog;
  readonly #overflowIds: OverflowIdAllocator;
  readonly #options: RowWriteOptions;

  constructor(
    store: OrderedStore,
    catalog: Catalog,
    overflowIds: OverflowIdAllocator,
    options: RowWriteOptions,
  ) {
    this.#store = store;
    this.#catalog = catalog;
    this.#overflowIds = overflowIds;
    this.#options = options;
  }

  /** Reads a row to change it. */
  openRow(table: TableState, key: Uint8Array): RowBuilder {
    return new RowBuilder(this.#store, table, key, this.#overflowIds);
  }

  /** Writes a row that was changed. */
  save(row: RowBuilder, writer: PairWriter): void {
    row.save(writer);
    this.#overflowIds.save(writer);
    this.#options.onWrite(row.table);
  }

  /** Applies a pending row. If it throws, nothing has been written. */
  apply(table: string, row: PendingRow, writer: PairWriter): void {
    const state = this.#catalog.table(table);
    if (row instanceof PreparedRow && row.table === state && this.#applyPrepared(row, writer))
      return;
    const mutations = row.mutations();
    if (mutations.token === undefined) this.applyMutations(table, mutations, writer);
    else this.#applyOnce(state, mutations, mutations.token, writer);
  }

  /** Applies mutations unless their token was used, and remembers it in the same commit. */
  #applyOnce(table: TableState, row: RowMutation, token: Uint8Array, writer: PairWriter): void {
    const tokens = this.#catalog.table(tokenTable);
    const used = this.openRow(tokens, tokenKey(table.id, row.key, token));
    const family = used.family(familyOf(tokens, tokenFamily));
    const now = this.nowMicros();
    const last = family.newest(noBytes);
    if (last !== undefined && isRemembered(last.timestamp, now)) return;
    this.applyMutations(table.name, row, writer);
    family.clear();
    family.set(tokenCell(now));
    this.save(used, writer);
  }

  /** Whether a row may be stored: if not, it has no cells, not even expired ones. */
  mayExist(table: TableState, key: Uint8Array): boolean {
    const cursor = this.#store.lookup(rowStoreKey(table.id, key));
    const exists = cursor.next();
    cursor.release();
    return exists;
  }

  /** Writes a row that is not stored; false if it must be applied as mutations. */
  applyNew(row: PreparedRow, writer: PairWriter): boolean {
    if (!this.#merge(row, undefined, writer)) return false;
    this.#options.onWrite(row.table);
    return true;
  }

  /** Applies mutations that are valid except that their families are not checked. */
  applyMutations(table: string, { key, mutations }: RowMutation, writer: PairWriter): void {
    const state = this.#catalog.table(table);
    checkFamilies(state, mutations);
    const row = this.openRow(state, key);
    const columns = mutations.filter(hasColumn);
    this.#prune(row, columns);
    applyMutations(state, row, mutations, BigInt(this.#options.nextTimestamp()));
    this.#prune(row, columns);
    row.checkSize(() => this.#storedBytes(row, columns));
    this.save(row, writer);
  }

  /** Applies a read-modify-write and returns the new cells. */
  applyRules(
    table: TableState,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
    writer: PairWriter,
  ): Cell[] {
    const row = this.openRow(table, key);
    this.#prune(row, rules);
    const cells = applyRules(table, row, rules, BigInt(this.#options.nextTimestamp()));
    this.#prune(row, rules);
    row.checkSize(() => this.#storedBytes(row, rules));
    this.save(row, writer);
    return cells;
  }

  /** Microseconds since 1970, in whole milliseconds. */
  nowMicros(): number {
    return this.#options.nowMicros();
  }

  #prune(row: RowBuilder, columns: Parameters<RowBuilder['prune']>[1]): void {
    if (this.#options.hideExpired) row.prune(this.nowMicros(), columns);
  }

  /** The exact size of a row before it was changed, without the cells that `#prune` deletes. */
  #storedBytes({ table, key }: RowBuilder, columns: Parameters<RowBuilder['prune']>[1]): number {
    const stored = this.openRow(table, key);
    this.#prune(stored, columns);
    return stored.exactBytes();
  }

  #lookup(row: PreparedRow): PairCursor {
    const store = this.#store;
    if (store.lookupSlice === undefined) return store.lookup(row.storeKey);
    return store.lookupSlice(row.bytes, row.keyStart, row.recordStart);
  }

  /** Returns false, and writes nothing, when the row must be applied as mutations. */
  #applyPrepared(row: PreparedRow, writer: PairWriter): boolean {
    const cursor = this.#lookup(row);
    try {
      let stored: RecordSlice | undefined;
      if (cursor.next())
        stored = storedRecord.set(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
      if (!this.#merge(row, stored, writer)) return false;
    } finally {
      cursor.release();
    }
    this.#options.onWrite(row.table);
    return true;
  }

  #merge(row: PreparedRow, stored: RecordSlice | undefined, writer: PairWriter): boolean {
    const { table, needsCommitTime } = row;
    const { hideExpired } = this.#options;
    if (needsCommitTime) row.setCommitTime(BigInt(this.#options.nextTimestamp()));
    if (stored === undefined && !(hideExpired && table.canCollectNewest)) {
      putPrepared(row, writer);
      return true;
    }
    const fresh = freshRecord.set(row.bytes, row.recordStart, row.end);
    const clock = hideExpired ? this.#options.nowMicros : undefined;
    const merged = mergeRecords(table, stored, fresh, clock);
    if (merged === 'too large') return false;
    if (merged === 'fresh') putPrepared(row, writer);
    else if (merged !== 'empty') writer.put(row.storeKey, merged);
    else if (stored !== undefined) writer.remove(row.storeKey);
    return true;
  }
}

/** Reused for all rows, to save allocations. */
const storedRecord = new RecordSlice();
const freshRecord = new RecordSlice();

function putPrepared(row: PreparedRow, writer: PairWriter): void {
  const { bytes, keyStart, recordStart, end } = row;
  if (writer.putSlice === undefined) writer.put(row.storeKey, bytes.subarray(recordStart, end));
  else writer.putSlice(bytes, keyStart, recordStart, end);
}

function hasColumn(
  mutation: Mutation,
): mutation is Exclude<Mutation, { kind: 'deleteFromFamily' | 'deleteFromRow' }> {
  return mutation.kind !== 'deleteFromFamily' && mutation.kind !== 'deleteFromRow';
}
