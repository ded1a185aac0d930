/**
 * Changes of many rows or pairs of a table, in steps of one commit each, so that other calls are
 * executed in between.
 */
import { everyKey, type KeyRange, rangeFrom } from '../../../base/index.js';
import type { Compaction } from '../../../data/store/index.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import { rowSpan, rowStoreKey, tableOverflowSpan, tableRowSpan } from '../kv/store-key.js';
import type { WriteQueue } from '../kv/write-queue.js';
import type { RowBuilder } from '../row/record/row-builder.js';
import type { RowWrites } from '../row/row-writes.js';
import type { Catalog } from '../table/catalog.js';
import { firstRowKeys, hasPairs, overflowRows, rangeAfter } from './row-sweep.js';

/** Rows of one step. */
const stepRows = 500;

/** The result of collecting garbage in a table. */
export interface CollectedGarbage extends Compaction {
  readonly visited: number;
}

/** What a sweep does between two commits. */
export interface SweepHooks {
  /** Awaited before the next commit. */
  readonly pause?: () => Promise<void>;
  /** Called after each commit with the number of rows visited so far. */
  readonly onStep?: (visited: number) => void;
}

export class TableSweeps {
  readonly #store: OrderedStore;
  readonly #queue: WriteQueue;
  readonly #catalog: Catalog;
  readonly #writes: RowWrites;
  readonly #checkOpen: () => void;

  /** `checkOpen` throws when the engine is closed. */
  constructor(
    store: OrderedStore,
    queue: WriteQueue,
    catalog: Catalog,
    writes: RowWrites,
    checkOpen: () => void,
  ) {
    this.#store = store;
    this.#queue = queue;
    this.#catalog = catalog;
    this.#writes = writes;
    this.#checkOpen = checkOpen;
  }

  /** Deletes all rows of the range. */
  async deleteRows(table: string, range: KeyRange): Promise<void> {
    for (let rest: KeyRange | undefined = range; rest !== undefined;) {
      const step: KeyRange = rest;
      this.#checkOpen();
      rest = await this.#queue.enqueue(1, 0, (writer) => this.#deleteStep(table, step, writer));
    }
  }

  /**
   * Deletes the first rows of the range, and returns the rest of it. Large values are not in the
   * order of the rows: each is removed with its row.
   */
  #deleteStep(table: string, range: KeyRange, writer: PairWriter): KeyRange | undefined {
    const state = this.#catalog.table(table);
    const { start, end } = rowSpan(state.id, range);
    if (!hasPairs(this.#store, tableOverflowSpan(state.id))) {
      writer.removeRange(start, end);
      return undefined;
    }
    const { keys, next } = overflowRows(this.#store, state.id, range, stepRows);
    for (const key of keys) {
      const row = this.#writes.openRow(state, key);
      row.clear();
      this.#writes.save(row, writer);
    }
    writer.removeRange(start, next === undefined ? end : rowStoreKey(state.id, next));
    return next && rangeFrom(next, range.end);
  }

  /** Deletes the cells of dropped families. */
  async deleteDroppedFamilies(table: string): Promise<void> {
    await this.#visitRows(table, everyKey, (row, writer) => {
      if (row.hasDroppedFamilies) this.#writes.save(row, writer);
    });
  }

  /** Applies the garbage collection rules to every row of the table. */
  async collectGarbage(table: string, hooks?: SweepHooks): Promise<CollectedGarbage> {
    this.#checkOpen();
    this.#catalog.table(table);
    const total = { rows: 0, cells: 0, bytes: 0 };
    const visit = (row: RowBuilder, writer: PairWriter): void => {
      const deleted = row.prune(this.#writes.nowMicros());
      if (deleted === 0 && !row.hasDroppedFamilies) return;
      total.cells += deleted;
      total.bytes += row.overflow.droppedBytes;
      if (deleted > 0 && row.isEmpty) total.rows++;
      this.#writes.save(row, writer);
    };
    const visited = await this.#visitRows(table, everyKey, visit, hooks);
    return { ...total, visited };
  }

  /** After many removals: reads step over each buffered removal. */
  async settle(): Promise<void> {
    await this.#store.settle?.();
  }

  /** Removes all rows and overflow values of a table that is no longer in the catalog. */
  removeTablePairs(id: number, writer: PairWriter): void {
    for (const { start, end } of [tableRowSpan(id), tableOverflowSpan(id)])
      writer.removeRange(start, end);
  }

  /** Calls `visit` for every row of the range and returns the number of rows. */
  async #visitRows(
    table: string,
    range: KeyRange,
    visit: (row: RowBuilder, writer: PairWriter) => void,
    { pause, onStep }: SweepHooks = {},
  ): Promise<number> {
    let visited = 0;
    for (let rest: KeyRange | undefined = range; rest !== undefined;) {
      const step: KeyRange = rest;
      this.#checkOpen();
      rest = await this.#queue.enqueue(stepRows, 0, (writer) => {
        // The table may have been changed or deleted since the last step.
        const state = this.#catalog.table(table);
        const keys = firstRowKeys(this.#store, state, step, stepRows);
        for (const key of keys) visit(this.#writes.openRow(state, key), writer);
        visited += keys.length;
        if (keys.length < stepRows) return undefined;
        return rangeAfter(step, keys[keys.length - 1]);
      });
      onStep?.(visited);
      if (rest !== undefined) await pause?.();
    }
    return visited;
  }
}
