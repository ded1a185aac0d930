/** Reads and writes of several rows within one commit. */
import {
  copyBytes,
  invalidArgument,
  latin1Text,
  pointRange,
  type FaultTexts,
} from '../../base/index.js';
import {
  type Cell,
  checkCellsShape,
  checkChangesShape,
  checkRowKey,
  type Filter,
  type ReadPlan,
  type RowChanges,
  type RowReader,
} from '../../data/store/index.js';
import { checkedRow } from './arguments.js';
import type { PairWriter } from './kv/ordered-store.js';
import { checkFilter } from './read/filter/check-filter.js';
import type { PageCursor } from './read/page-cursor.js';
import { loadRegex } from './read/filter/regex.js';
import { RowTakesLong } from './read/filter/row-filtering.js';
import { PendingRowFactory } from './row/prepared-row.js';
import type { RowWrites } from './row/row-writes.js';
import type { TableState } from './table/table-state.js';

/** What transactions need of the engine. */
export interface TransactionContext {
  readonly writes: RowWrites;
  /** The table as it is now; throws if there is none, or the engine closed. */
  readonly tableState: (name: string) => TableState;
  readonly cursor: (table: TableState, plan: ReadPlan) => PageCursor;
  /** Called if rows were made that are not written. */
  readonly onFailure: () => void;
}

/** From so many rows on, they are encoded in buffers that they share. */
const minRowsToShare = 16;

export class Transactions {
  readonly #context: TransactionContext;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  /** If it throws, nothing has been written. */
  run<T>(work: (rows: RowReader) => RowChanges<T>, writer: PairWriter): T {
    const staged = new StagedPairs();
    const reader = new TransactionReader(this.#context);
    try {
      const changes = work(reader);
      checkChangesShape(changes);
      this.#stage(changes.rows, reader.missing, staged);
      staged.writeTo(writer);
      return changes.result;
    } catch (error) {
      this.#context.onFailure();
      throw error;
    }
  }

  /** In key order, so that each block is read once. */
  #stage(
    rows: RowChanges<unknown>['rows'],
    missing: ReadonlySet<string>,
    staged: StagedPairs,
  ): void {
    const { writes, tableState } = this.#context;
    const factories = new Map<string, PendingRowFactory>();
    let before = '';
    for (const { name, table, row } of rows.map(named).sort(byName)) {
      if (name === before) throw writtenTwice(table);
      before = name;
      const state = tableState(table);
      if (!missing.has(name) && writes.mayExist(state, row.key)) {
        writes.applyMutations(table, checkedRow(row, state.granularity), staged);
        continue;
      }
      let factory = factories.get(table);
      if (factory === undefined) {
        factory = new PendingRowFactory(state, rows.length < minRowsToShare ? 1 : rows.length);
        factories.set(table, factory);
      }
      const fresh = factory.createNew(0, row);
      if (fresh === undefined || !writes.applyNew(fresh, staged))
        writes.applyMutations(table, checkedRow(row, state.granularity), staged);
    }
  }
}

/** The rows as they are before a transaction. */
class TransactionReader implements RowReader {
  /** The rows that were looked for, and are not stored. */
  readonly missing = new Set<string>();
  readonly #context: TransactionContext;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  cells(name: string, key: Uint8Array, filter: Filter): readonly Cell[] | undefined {
    const { writes, tableState, cursor: open } = this.#context;
    checkCellsShape(name, key, filter);
    const table = tableState(name);
    checkFilter(filter, table);
    if (loadRegex(filter) !== undefined) return undefined;
    if (!writes.mayExist(table, key)) {
      this.missing.add(nameOf(name, key));
      return [];
    }
    const cursor = open(table, { table: name, ranges: [pointRange(key)], reversed: false, filter });
    cursor.beginPage(1, writes.nowMicros());
    try {
      return cursor.nextRow() ? cellsOf(cursor) : [];
    } catch (error) {
      if (error instanceof RowTakesLong) return undefined;
      throw error;
    } finally {
      cursor.close();
    }
  }
}

type ChangedRow = RowChanges<unknown>['rows'][number];
type NamedRow = ChangedRow & { readonly name: string };

function named({ table, row }: ChangedRow): NamedRow {
  checkRowKey(row.key);
  return { name: nameOf(table, row.key), table, row };
}

function nameOf(table: string, key: Uint8Array): string {
  return `${table} ${latin1Text(key)}`;
}

function byName(a: NamedRow, b: NamedRow): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

function cellsOf(cursor: PageCursor): Cell[] {
  const cells: Cell[] = [];
  while (cursor.nextCell()) {
    const { family, qualifierBytes, qualifierStart, qualifierEnd } = cursor;
    cells.push({
      family,
      qualifier: copyBytes(qualifierBytes, qualifierStart, qualifierEnd),
      timestamp: cursor.timestamp(),
      value: copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    });
  }
  return cells;
}

/** Keeps pairs until all rows are known to be valid. */
class StagedPairs implements PairWriter {
  readonly #pairs: { readonly key: Uint8Array; readonly value: Uint8Array | undefined }[] = [];

  put(key: Uint8Array, value: Uint8Array): void {
    this.#pairs.push({ key, value });
  }

  remove(key: Uint8Array): void {
    this.#pairs.push({ key, value: undefined });
  }

  removeRange(): void {
    throw new TypeError('transactions write rows');
  }

  writeTo(writer: PairWriter): void {
    for (const { key, value } of this.#pairs)
      if (value === undefined) writer.remove(key);
      else writer.put(key, value);
  }
}

function writtenTwice(table: string): Error {
  return invalidArgument('rows', faults.duplicateRow(table));
}

const faults = {
  duplicateRow: (table: string) => ({
    problem: `a row of table ${table} is given twice`,
    fix: 'give each row once, with all its mutations',
  }),
} satisfies FaultTexts;
