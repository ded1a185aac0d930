/** Reads and writes of several rows within one commit. */
import { copyBytes, latin1Text, pointRange } from '../../bytes/index.js';
import { invalidArgument } from '../../errors.js';
import {
  type Cell,
  checkCellsShape,
  checkChangesShape,
  type Filter,
  type ReadPlan,
  type RowChanges,
  type RowReader,
} from '../../store/index.js';
import { checkedRow } from './arguments.js';
import type { PairWriter } from './kv/ordered-store.js';
import { checkFilter } from './read/check-filter.js';
import type { PageCursor } from './read/page-cursor.js';
import { loadRegex } from './read/regex.js';
import { RowTakesLong } from './read/row-filtering.js';
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

/** The transactions of one engine. */
export class Transactions implements RowReader {
  readonly #context: TransactionContext;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  /** If it throws, nothing has been written. */
  run<T>(work: (rows: RowReader) => RowChanges<T>, writer: PairWriter): T {
    const { writes, tableState, onFailure } = this.#context;
    const changes = work(this);
    checkChangesShape(changes);
    const { result, rows } = changes;
    const staged = new StagedPairs();
    const names = new Set<string>();
    try {
      for (const { table, row } of rows) {
        const checked = checkedRow(row, tableState(table).granularity);
        const name = `${table} ${latin1Text(checked.key)}`;
        if (names.has(name)) throw writtenTwice(table);
        names.add(name);
        writes.applyMutations(table, checked, staged);
      }
    } catch (error) {
      onFailure();
      throw error;
    }
    staged.writeTo(writer);
    return result;
  }

  cells(name: string, key: Uint8Array, filter: Filter): readonly Cell[] | undefined {
    const { writes, tableState, cursor: open } = this.#context;
    checkCellsShape(name, key, filter);
    const table = tableState(name);
    checkFilter(filter, table);
    if (loadRegex(filter) !== undefined) return undefined;
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

  writeTo(writer: PairWriter): void {
    for (const { key, value } of this.#pairs)
      if (value === undefined) writer.remove(key);
      else writer.put(key, value);
  }
}

function writtenTwice(table: string): Error {
  return invalidArgument(
    'rows',
    `a row of table ${table} is there twice`,
    'join the mutations of a row',
  );
}
