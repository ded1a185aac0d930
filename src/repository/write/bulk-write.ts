/** Writes of any number of rows: batched, bounded in flight, each failed entity told. */
import { abortable, maxMutations } from '../../base/index.js';
/** Writes of any number of rows: batched, bounded in flight, each failed entity told. */
import { RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import type { RowMutation, Engine } from '../../store/index.js';
import type { BulkFailure, BulkResult, BulkOptions } from '../types/bulk-types.js';
/**
 * A batch is sent when its values reach this many bytes, whatever its rows: a few batches in flight
 * must fit memory and Bigtable's requests.
 */
const batchBytes = 4 << 20;

/**
 * What is sent together. Rows stand apart from what they were made of: once an engine has taken
 * them, nothing keeps them while they are on their way.
 */
class Batch<T> {
  readonly rows: RowMutation[] = [];
  readonly items: T[] = [];
  readonly indexes: number[] = [];
  bytes = 0;
  mutations = 0;
}

/**
 * Turns items into rows and writes them. Rejects when the input throws, the signal is aborted, or
 * all writes are impossible (no table, closed).
 */
export class BulkWrite<T> {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #rowOf: (item: T) => RowMutation | Promise<RowMutation>;
  readonly #options: Required<Pick<BulkOptions, 'batchRows' | 'inFlight'>> & BulkOptions;
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
    this.#engine = engine;
    this.#model = model;
    this.#rowOf = rowOf;
    this.#options = {
      ...options,
      batchRows: this.#count('batchRows', options.batchRows, 4096, maxMutations),
      inFlight: this.#count('inFlight', options.inFlight, 4, 64),
    };
  }

  async run(items: Iterable<T> | AsyncIterable<T>): Promise<BulkResult<T>> {
    try {
      if (Symbol.iterator in items) {
        let index = 0;
        for (const item of items) {
          // Awaits only what has to be awaited: a million awaits of nothing cost a tenth of a
          // second.
          const step = this.#add(index++, item);
          if (step !== undefined) await step;
        }
      } else {
        await this.#addAll(items);
      }
      if (this.#batch.rows.length > 0) this.#send();
    } finally {
      // Whatever ends the input, nothing is left writing behind the caller's back.
      await Promise.all(this.#sending);
    }
    this.#check();
    return { written: this.#written, failed: this.#failed.sort((a, b) => a.index - b.index) };
  }

  /** A `for await` that does not wait for a source that is silent while the signal is aborted. */
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
        ended = step.done === true;
        if (step.done === true) return;
        await this.#add(index, step.value);
      }
    } finally {
      const closing = ended ? undefined : Promise.resolve(iterator.return?.());
      if (signal?.aborted === true) closing?.catch(() => undefined);
      else await closing;
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
      batch.rows.length < this.#options.batchRows &&
      batch.bytes < batchBytes &&
      batch.mutations < maxMutations / 2
    )
      return undefined;
    this.#send();
    return this.#sending.size < this.#options.inFlight ? undefined : Promise.race(this.#sending);
  }

  #send(): void {
    const { rows, items, indexes } = this.#batch;
    this.#batch = new Batch<T>();
    // Not in an async function, which would keep the rows until the answer is there.
    const answers = this.#engine.mutateRows(this.#model.table.name, rows, {
      signal: this.#options.signal,
    });
    const sent = this.#settle(answers, items, indexes).finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  /** Never rejects: a batch that fails as a whole ends the run at its next step. */
  async #settle(
    answers: ReturnType<Engine['mutateRows']>,
    items: readonly T[],
    indexes: readonly number[],
  ): Promise<void> {
    try {
      (await answers).forEach((error, i) => {
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

  #count(name: string, value: number | undefined, otherwise: number, most: number): number {
    if (value === undefined) return otherwise;
    if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
    throw new RowsmithError('INVALID_ARGUMENT', {
      entity: this.#model.name,
      property: name,
      problem: `${name} is ${value}`,
      fix: `give a whole number from 1 to ${most}`,
    });
  }
}
