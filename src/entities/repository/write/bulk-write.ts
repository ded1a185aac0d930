/** Writes any number of rows in batches, a limited number in flight; reports failed items. */
import { abortable, maxMutations, RowsmithError } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { checkCount } from '../../query/index.js';
import { type Engine, type RowMutation, Silence } from '../../../data/store/index.js';
import type { BulkOptions, BulkResult } from '../types/bulk-types.js';
import { BulkFailures } from './bulk-failures.js';
import { checkInFlight, requestsInFlight, type RequestsInFlight } from './calls-in-flight.js';
import type { CompletedRow } from './complete.js';

/**
 * A batch is sent when its values and qualifiers reach this many bytes, so that the batches in
 * flight fit in memory and each of them in a Bigtable request.
 */
const maxBatchBytes = 4 << 20;
/** A batch is sent at half of Bigtable's limit, which leaves room for the mutations of one row. */
const maxBatchMutations = maxMutations / 2;

/**
 * What an item becomes: a row of a batch; a separate request, for what a batch cannot hold; or
 * undefined if it changes nothing.
 */
export type ItemWrite = CompletedRow | (() => Promise<unknown>) | undefined;

const written = [undefined] as const;

/**
 * Rows that are sent together. They are kept apart from the items, so that they can be freed as
 * soon as the engine has taken them.
 */
class Batch<T> {
  readonly rows: RowMutation[] = [];
  readonly items: T[] = [];
  readonly indexes: number[] = [];
  /** By the number of the row; undefined if no row has one. */
  onWritten: Map<number, () => void> | undefined;
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
  readonly #writeOf: (item: T) => ItemWrite | Promise<ItemWrite>;
  readonly #options: BulkOptions<T>;
  readonly #batchRows: number;
  readonly #failures: BulkFailures<T>;
  readonly #inFlight: RequestsInFlight;
  readonly #silence: Silence;
  #batch = new Batch<T>();
  #written = 0;
  #fatal: { readonly error: unknown } | undefined;

  constructor(
    engine: Engine,
    model: EntityModel,
    writeOf: (item: T) => ItemWrite | Promise<ItemWrite>,
    options: BulkOptions<T>,
  ) {
    const { batchRows = 4096, inFlight } = options;
    this.#engine = engine;
    this.#model = model;
    this.#writeOf = writeOf;
    this.#options = options;
    this.#silence = new Silence(engine, model.name);
    this.#failures = new BulkFailures(options.onFailure);
    this.#batchRows = checkCount(model, 'batchRows', batchRows, maxMutations);
    this.#inFlight = requestsInFlight(checkInFlight(model, inFlight));
  }

  /** Set once no further rows are sent, because the storage does not answer: their error. */
  get notSent(): RowsmithError | undefined {
    return this.#silence.notSent;
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
      await this.#inFlight.batches.idle();
      await this.#inFlight.rows.idle();
    }
    this.#check();
    if (this.#written === 0) this.#failures.assertNotRefused();
    const { count, first } = this.#failures;
    return { written: this.#written, failed: count, failures: first };
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
    if (this.#isRefused(index, item)) return undefined;
    try {
      const write = this.#writeOf(item);
      if (write instanceof Promise)
        return write.then(
          (ready) => this.#start(index, item, ready),
          (error: unknown) => this.#fail(index, item, error),
        );
      return this.#start(index, item, write);
    } catch (error) {
      this.#fail(index, item, error);
      return undefined;
    }
  }

  /** Whether rows are no longer sent: then it has failed. */
  #isRefused(index: number, item: T): boolean {
    const { notSent } = this;
    if (notSent === undefined) return false;
    this.#addFailure(index, item, notSent);
    return true;
  }

  #start(index: number, item: T, write: ItemWrite): Promise<void> | undefined {
    if (typeof write === 'object') return this.#put(index, item, write);
    if (write === undefined) {
      this.#written++;
      return undefined;
    }
    // It may have been validated for a while.
    if (this.#isRefused(index, item)) return undefined;
    const { rows } = this.#inFlight;
    rows.start(() => this.#call(index, item, write));
    return rows.ready();
  }

  /** Never rejects. */
  async #call(index: number, item: T, write: () => Promise<unknown>): Promise<void> {
    const sent = this.#silence.start();
    try {
      await write();
      this.#written++;
      this.#silence.end(sent, written);
    } catch (error) {
      if (error instanceof RowsmithError) this.#silence.end(sent, [error]);
      this.#addFailure(index, item, error);
    }
    this.#report();
  }

  #put(index: number, item: T, row: CompletedRow): Promise<void> | undefined {
    const batch = this.#batch;
    batch.rows.push(row);
    batch.items.push(item);
    batch.indexes.push(index);
    if (row.onWritten !== undefined)
      (batch.onWritten ??= new Map()).set(batch.rows.length - 1, row.onWritten);
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
    return this.#inFlight.batches.ready();
  }

  #send(): void {
    const { rows, items, indexes, onWritten } = this.#batch;
    this.#batch = new Batch<T>();
    if (this.notSent !== undefined) {
      items.forEach((item, i) => this.#isRefused(indexes[i], item));
      return;
    }
    const sent = this.#silence.start();
    // Not in an async function, which would retain the rows until the response arrives.
    const results = this.#engine.mutateRows(this.#model.table.name, rows, {
      signal: this.#options.signal,
    });
    this.#inFlight.batches.start(() => this.#settle(results, { items, indexes, onWritten }, sent));
  }

  /** Never rejects: if a batch fails as a whole, `#check` throws its error. */
  async #settle(
    results: ReturnType<Engine['mutateRows']>,
    { items, indexes, onWritten }: Pick<Batch<T>, 'items' | 'indexes' | 'onWritten'>,
    sent: number,
  ): Promise<void> {
    try {
      const errors = await results;
      this.#silence.end(sent, errors);
      errors.forEach((error, i) => {
        if (error === undefined) {
          this.#written++;
          onWritten?.get(i)?.();
        } else this.#addFailure(indexes[i], items[i], error);
      });
      this.#report();
    } catch (error) {
      this.#fatal ??= { error };
    }
  }

  #report(): void {
    try {
      this.#options.onProgress?.({ written: this.#written, failed: this.#failures.count });
    } catch (error) {
      this.#fatal ??= { error };
    }
  }

  #fail(index: number, item: T, error: unknown): void {
    if (!(error instanceof RowsmithError)) throw error;
    this.#addFailure(index, item, error);
  }

  /** Never throws: what ends the call, `#check` throws. */
  #addFailure(index: number, item: T, error: unknown): void {
    try {
      this.#failures.add(index, item, error);
    } catch (fatal) {
      this.#fatal ??= { error: fatal };
    }
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
