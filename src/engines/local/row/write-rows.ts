/** Writes many rows, each independently of the rest. */
import { RowsmithError, withoutFrames } from '../../../base/index.js';
import type { RowMutation } from '../../../data/store/index.js';
import type { WriteQueue } from '../kv/write-queue.js';
import type { TableState } from '../table/table-state.js';
import { type PendingRow, PendingRowFactory, sortByStoreKey } from './prepared-row.js';
import type { RowWrites } from './row-writes.js';

/** The result of each row by index: undefined, or why it was not written. */
export type RowResults = (RowsmithError | undefined)[];

/** Rows that are applied without yielding to the event loop. */
const batchRows = 10_000;
/** Errors of a request with stacks that show where they were created. */
const maxErrorsWithFrames = 100;

/** Queues the rows, once `ready` has resolved if it is given, and resolves to their results. */
export async function writeRows(
  queue: WriteQueue,
  writes: RowWrites,
  table: TableState,
  rows: readonly RowMutation[],
  ready: Promise<void> | undefined,
): Promise<RowResults> {
  const results = new Results(rows.length);
  const batches: Promise<void>[] = [];
  for (let start = 0; start < rows.length; start += batchRows)
    batches.push(writeBatch(queue, writes, table, rows, start, results, ready));
  await Promise.all(batches);
  return results.results;
}

async function writeBatch(
  queue: WriteQueue,
  writes: RowWrites,
  table: TableState,
  rows: readonly RowMutation[],
  start: number,
  results: Results,
  ready: Promise<void> | undefined,
): Promise<void> {
  const end = Math.min(rows.length, start + batchRows);
  const factory = new PendingRowFactory(table, end - start);
  const pending: PendingRow[] = [];
  // One closure for all rows, because one for each row is garbage that writes wait for.
  let next = start;
  const create = (): void => void pending.push(factory.create(next, rows[next]));
  for (; next < end; next++) results.attempt(next, create);
  try {
    if (ready !== undefined) await ready;
    await queue.enqueue(end - start, factory.bytes, (writer) => {
      // In key order, so that each block is read once.
      let current: PendingRow;
      const apply = (): void => writes.apply(table.name, current, writer);
      for (current of sortByStoreKey(pending)) results.attempt(current.index, apply);
    });
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    for (let index = start; index < end; index++) results.results[index] ??= error;
  }
}

/** The results of a request, and the number of its errors. */
class Results {
  readonly results: RowResults;
  #errors = 0;

  constructor(rows: number) {
    this.results = new Array<undefined>(rows).fill(undefined);
  }

  /** Runs a step of one row. A RowsmithError becomes the row's result; other errors are thrown. */
  attempt(index: number, step: () => void): void {
    try {
      if (this.#errors < maxErrorsWithFrames) step();
      else withoutFrames(step);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      this.#errors++;
      this.results[index] ??= error;
    }
  }
}
