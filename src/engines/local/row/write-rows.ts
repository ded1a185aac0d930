/** Writes many rows, each independently of the rest. */
import { RowsmithError, withoutFrames } from '../../../base/index.js';
import { type Mutation, PackedRow, type RowMutation } from '../../../data/store/index.js';
import type { PairWriter } from '../kv/ordered-store.js';
import type { WriteQueue } from '../kv/write-queue.js';
import type { TableState } from '../table/table-state.js';
import { type PendingRow, PendingRowFactory, sortByStoreKey } from './prepared-row.js';
import type { RowWrites } from './row-writes.js';

/** The result of each row by index: undefined, or why it was not written. */
export type RowOutcomes = (RowsmithError | undefined)[];

/** Rows, and about the bytes, that are applied without yielding to the event loop: 3 to 8 ms. */
const batchRows = 512;
const batchBytes = 1024 * 1024;
/** A batch that takes longer, because large rows are read, goes on in the next commit. */
const maxBatchMs = 10;
/** Rows that are encoded by the call itself; further ones are when they are written. */
const encodedRows = 2 * batchRows;
/** Errors of a request with stacks that show where they were created. */
const maxErrorsWithFrames = 100;

/**
 * Queues the rows, once `ready` has resolved if it is given, and resolves to their results. The
 * rows must not be changed meanwhile.
 */
export async function writeRows(
  queue: WriteQueue,
  writes: RowWrites,
  table: TableState,
  rows: readonly RowMutation[],
  ready: Promise<void> | undefined,
): Promise<RowOutcomes> {
  const results = new Results(rows.length);
  const request: WriteRequest = { writes, table, rows, results };
  const batches: Promise<void>[] = [];
  for (let start = 0; start < rows.length;) {
    const end = endOfBatch(rows, start);
    const batch = new RowBatch(request, start, end);
    if (start < encodedRows) batch.encode();
    batches.push(writeBatch(queue, batch, ready));
    start = end;
  }
  await Promise.all(batches);
  return results.results;
}

/** What the batches of a request have in common. */
interface WriteRequest {
  readonly writes: RowWrites;
  readonly table: TableState;
  readonly rows: readonly RowMutation[];
  readonly results: Results;
}

function endOfBatch(rows: readonly RowMutation[], start: number): number {
  let end = start;
  for (let bytes = 0; end < rows.length && end - start < batchRows && bytes < batchBytes; end++)
    bytes += rowBytes(rows[end]);
  return end;
}

/** About the bytes of a row; 0 for what is no row, which is an error later. */
function rowBytes(row: RowMutation): number {
  if (row instanceof PackedRow)
    return row.endCell > row.firstCell ? row.cells.valueEnd(row.endCell - 1) - row.keyStart : 0;
  const mutations: unknown = (row as RowMutation | undefined)?.mutations;
  if (!Array.isArray(mutations)) return 0;
  let bytes = 0;
  for (const mutation of mutations as readonly (Partial<SetCell> | undefined)[])
    bytes += mutation?.value?.length ?? 0;
  return bytes;
}

type SetCell = Extract<Mutation, { readonly kind: 'setCell' }>;

async function writeBatch(
  queue: WriteQueue,
  batch: RowBatch,
  ready: Promise<void> | undefined,
): Promise<void> {
  try {
    if (ready !== undefined) await ready;
    await queue.enqueueSteps(batch.rows, batch.bytes, (writer) => batch.apply(writer));
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    batch.fail(error);
  }
}

/** Rows of a request that are written in one commit, or in several if they take long. */
class RowBatch {
  #pending: PendingRow[] | undefined = undefined;
  /** In key order, so that each block is read once. */
  #sorted: readonly PendingRow[] | undefined = undefined;
  /** Rows in key order that were applied, and how many of them before the current commit. */
  #applied = 0;
  #committed = 0;
  readonly #factory: PendingRowFactory;
  readonly #request: WriteRequest;
  readonly #start: number;
  readonly #end: number;

  constructor(request: WriteRequest, start: number, end: number) {
    this.#request = request;
    this.#start = start;
    this.#end = end;
    this.#factory = new PendingRowFactory(request.table, end - start);
  }

  get rows(): number {
    return this.#end - this.#start;
  }

  get bytes(): number {
    return this.#pending === undefined ? batchBytes : this.#factory.bytes;
  }

  encode(): PendingRow[] {
    const { rows, results } = this.#request;
    const pending: PendingRow[] = [];
    // One closure for all rows, because one for each row is garbage that writes wait for.
    let next = this.#start;
    const create = (): void => void pending.push(this.#factory.create(next, rows[next]));
    for (; next < this.#end; next++) results.attempt(next, create);
    return (this.#pending = pending);
  }

  /** Applies rows; false if some are left for another commit. */
  apply(writer: PairWriter): boolean {
    const { writes, table, results } = this.#request;
    const sorted = (this.#sorted ??= sortByStoreKey(this.#pending ?? this.encode()));
    const end = performance.now() + maxBatchMs;
    this.#committed = this.#applied;
    let current: PendingRow;
    const apply = (): void => writes.apply(table.name, current, writer);
    while (this.#applied < sorted.length) {
      current = sorted[this.#applied++];
      results.attempt(current.index, apply);
      if (performance.now() > end) break;
    }
    return this.#applied === sorted.length;
  }

  /** The error is the result of all rows that were not committed. */
  fail(error: RowsmithError): void {
    const { results } = this.#request.results;
    const committed = new Set(this.#sorted?.slice(0, this.#committed).map(({ index }) => index));
    for (let index = this.#start; index < this.#end; index++)
      if (!committed.has(index)) results[index] ??= error;
  }
}

/** The results of a request, and the number of its errors. */
class Results {
  readonly results: RowOutcomes;
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
