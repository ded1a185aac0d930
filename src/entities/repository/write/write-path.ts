/**
 * How writes of entities reach storage. Each passes three stages:
 *
 * 1. `change.ts`: the arguments of the call become a change, plain data that says what happens to
 *    which row, and on which condition. Names and types are checked.
 * 2. `complete.ts`: hooks, values that the library sets and declared rules; values are encoded. The
 *    result is the mutations of one row.
 * 3. `send.ts`: one request to the engine, and the errors of its outcome.
 *
 * Calls for many rows differ in the last stage alone: `bulk-write.ts` gathers plain mutations in
 * batches. An update reads, and saves through all stages, until nobody else writes meanwhile.
 */
import type { Values } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { CellClock, Engine } from '../../../data/store/index.js';
import type { BulkOptions, BulkResult } from '../types/bulk-types.js';
import { BulkWrite, type ItemWrite } from './bulk-write.js';
import { type Change, ChangeBuilder } from './change.js';
import { type Completed, Completer } from './complete.js';
import { Sender } from './send.js';
import { type UpdateCall, updateRow, type UpdateParts } from './update.js';

type Signal = AbortSignal | undefined;

/** What the writes of one repository need. */
export interface WriteParts {
  readonly engine: Engine;
  readonly model: EntityModel;
  readonly clock: CellClock;
  /** Whether schemas and class-validator rules are checked. */
  readonly validate: boolean;
}

/** The writes of one repository. */
export class WritePath {
  /** Makes changes of the arguments of calls. */
  readonly changes: ChangeBuilder;
  readonly #parts: WriteParts;
  readonly #completer: Completer;
  readonly #sender: Sender;

  constructor(parts: WriteParts) {
    const { engine, model, clock, validate } = parts;
    this.#parts = parts;
    this.changes = new ChangeBuilder(model);
    this.#completer = new Completer(model, clock, validate);
    this.#sender = new Sender(engine, model, clock);
  }

  /** Writes one row, and returns the new values after increments and appends. */
  async write(change: Change, signal: Signal): Promise<Values | undefined> {
    let completed = this.#completer.complete(change);
    // Without rules nothing is awaited here, so that a write called before close() has reached the
    // engine.
    if (completed instanceof Promise) completed = await completed;
    return this.#sender.send(change, completed, signal);
  }

  /** Writes any number of rows. `changeOf` makes the change of an item. */
  writeMany<T>(
    items: Iterable<T> | AsyncIterable<T>,
    changeOf: (item: T) => Change,
    options: BulkOptions<T>,
  ): Promise<BulkResult<T>> {
    const { engine, model } = this.#parts;
    const writeOf = (item: T): ItemWrite | Promise<ItemWrite> =>
      this.#itemWrite(changeOf(item), options.signal);
    return new BulkWrite(engine, model, writeOf, options).run(items);
  }

  /** Reads and saves a row, on condition that it has not changed meanwhile. */
  update(
    read: UpdateParts['read'],
    key: Values,
    change: unknown,
    call: UpdateCall,
  ): Promise<object | undefined> {
    const { changes } = this;
    const write: UpdateParts['write'] = (saved, signal) => this.write(saved, signal);
    return updateRow({ model: this.#parts.model, changes, read, write }, key, change, call);
  }

  // No function is created for a row that goes into a batch.
  #itemWrite(change: Change, signal: Signal): ItemWrite | Promise<ItemWrite> {
    const completed = this.#completer.complete(change);
    if (completed instanceof Promise) return this.#laterWrite(change, completed, signal);
    return this.#readyWrite(change, completed, signal);
  }

  async #laterWrite(
    change: Change,
    completed: Promise<Completed>,
    signal: Signal,
  ): Promise<ItemWrite> {
    return this.#readyWrite(change, await completed, signal);
  }

  #readyWrite(change: Change, completed: Completed, signal: Signal): ItemWrite {
    if (!this.#sender.isPlain(change, completed)) return this.#request(change, completed, signal);
    return completed.mutations.length === 0 ? undefined : completed;
  }

  #request(change: Change, completed: Completed, signal: Signal): () => Promise<unknown> {
    return () => this.#sender.send(change, completed, signal);
  }
}
