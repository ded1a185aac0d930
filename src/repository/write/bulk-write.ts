/** Writes any number of rows in batches, a limited number in flight; reports every failed item. */
import { abortable, maxMutations } from '../../base/index.js';
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import { checkCount } from '../../query/index.js';
import type { Engine, RowMutation } from '../../store/index.js';
import type { BulkFailure, BulkOptions, BulkResult } from '../types/bulk-types.js';

/**
 * A batch is sent when its values and qualifiers reach this many bytes, so that the batches in
 * flight fit in memory and each of them in a Bigtable request.
 */
const maxBatchBytes = 4 << 20;
/** A batch is sent at half of Bigtable's limit, which leaves room for the mutations of one row. */
const maxBatchMutations = maxMutations / 2;
const maxInFlight = 64;

/**
 * Rows that are sent together. They are kept apart from the items, so that they can be freed as
 * soon as the engine has taken them.
 */
class Batch<T> {
  readonly rows: RowMutation[] = [];
  readonly items: T[] = [];
  readonly indexes: number[] = [];
  bytes = 0;
  mutations = 0;
}

/**
 * Converts items to rows and writes them. Rejects if the input throws, the signal is aborted, or no
 * row can be written (no such table, database closed).
 */
export class BulkWrite<T> {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #rowOf: (item: T) => RowMutation | Promise<RowMutation>;
  readonly #options: BulkOptions;
  readonly #batchRows: number;
  readonly #inFlight: number;
  readonly #failed: BulkFailure<T>[] = [];
  readonly #sending = new Set<Promise<void>>();
  #batch = new Batch<T>();
  #written = 0;
  #fatal: { readonly error: unknown } | undefined;

  constructor(
    engine: Engine,
    model: EntityModel,
    rowOf: (item: T) => RowMutation | Promise<RowMutation>,
    options: BulkOptions,
  ) {
    const { batchRows = 4096, inFlight = 4 } = options;
    this.#engine = engine;
    this.#model = model;
    this.#rowOf = rowOf;
    this.#options = options;
    this.#batchRows = checkCount(model, 'batchRows', batchRows, maxMutations);
    this.#inFlight = checkCount(model, 'inFlight', inFlight, maxInFlight);
  }

  async run(items: Iterable<T> | AsyncIterable<T>): Promise<BulkResult<T>> {
    try {
      if (Symbol.iterator in items) {
        let index = 0;
        for (const item of items) {
          const pending = this.#add(index++, item);
          // An await of undefined for each item was measured to cost 0.1 s per million.
          if (pending !== undefined) await pending;
        }
      } else {
        await this.#addAll(items);
      }
      if (this.#batch.rows.length > 0) this.#send();
    } finally {
      // However the input ends, no write is in flight when the call settles.
      await Promise.all(this.#sending);
    }
    this.#check();
    return { written: this.#written, failed: this.#failed.sort((a, b) => a.index - b.index) };
  }

  /** A `for await` loop that also ends when the signal is aborted while the source is pending. */
  async #addAll(items: AsyncIterable<T>): Promise<void> {
    const { signal } = this.#options;
    const iterator = items[Symbol.asyncIterator]();
    let ended = false;
    try {
      for (let index = 0; ; index++) {
        const step: IteratorResult<T, unknown> = await abortable(
          Promise.resolve(iterator.next()),
          signal,
        );
        if (step.done === true) {
          ended = true;
          return;
        }
        await this.#add(index, step.value);
      }
    } finally {
      if (!ended) await closeInput(iterator, signal);
    }
  }

  #add(index: number, item: T): Promise<void> | undefined {
    this.#check();
    try {
      const row = this.#rowOf(item);
      if (row instanceof Promise)
        return row.then(
          (ready) => this.#put(index, item, ready),
          (error: unknown) => this.#fail(index, item, error),
        );
      return this.#put(index, item, row);
    } catch (error) {
      this.#fail(index, item, error);
      return undefined;
    }
  }

  #put(index: number, item: T, row: RowMutation): Promise<void> | undefined {
    const batch = this.#batch;
    batch.rows.push(row);
    batch.items.push(item);
    batch.indexes.push(index);
    batch.mutations += row.mutations.length;
    for (const mutation of row.mutations)
      if (mutation.kind === 'setCell')
        batch.bytes += mutation.value.length + mutation.qualifier.length;
    if (
      batch.rows.length < this.#batchRows &&
      batch.bytes < maxBatchBytes &&
      batch.mutations < maxBatchMutations
    )
      return undefined;
    this.#send();
    if (this.#sending.size < this.#inFlight) return undefined;
    return Promise.race(this.#sending);
  }

  #send(): void {
    const { rows, items, indexes } = this.#batch;
    this.#batch = new Batch<T>();
    // Not in an async function, which would retain the rows until the response arrives.
    const results = this.#engine.mutateRows(this.#model.table.name, rows, {
      signal: this.#options.signal,
    });
    const sent = this.#settle(results, items, indexes).finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  /** Never rejects: if a batch fails as a whole, `#check` throws its error. */
  async #settle(
    results: ReturnType<Engine['mutateRows']>,
    items: readonly T[],
    indexes: readonly number[],
  ): Promise<void> {
    try {
      (await results).forEach((error, i) => {
        if (error === undefined) this.#written++;
        else this.#failed.push({ index: indexes[i], item: items[i], error });
      });
      this.#options.onProgress?.({ written: this.#written, failed: this.#failed.length });
    } catch (error) {
      this.#fatal ??= { error };
    }
  }

  #fail(index: number, item: T, error: unknown): void {
    if (!(error instanceof RowsmithError)) throw error;
    this.#failed.push({ index, item, error });
  }

  #check(): void {
    this.#options.signal?.throwIfAborted();
    if (this.#fatal !== undefined) throw this.#fatal.error;
  }
}

/**
 * Closes an input that has not ended. After an abort it is not waited for, and may never settle.
 */
async function closeInput(
  iterator: AsyncIterator<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const closed = Promise.resolve(iterator.return?.());
  if (signal?.aborted === true) closed.catch(() => undefined);
  else await closed;
}
