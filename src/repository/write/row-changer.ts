/** Several changes of one row, and what changes of many rows become. */
import { nearestName, quotedList, valueText } from '../../base/index.js';
import { type CellChanges, checkedAmount, type Condition } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import type { RowMutation } from '../../store/index.js';
import type { ItemWrite } from './bulk-write.js';
import type { Expected } from '../managed/managed-values.js';
import type { EntityWriter } from './entity-writer.js';
import { ReadModifyWriter } from './read-modify-writer.js';
import type { RevisedCall } from './revised-writes.js';
import type { Values } from './write-checks.js';

/** Changes that a MutateRow holds, and those that a ReadModifyWriteRow holds. */
const cellNames = ['set', 'remove', 'add'];
const readModifyNames = ['increment', 'append'];

/** An item of `patchMany`, `mutateMany` or `incrementMany`. */
export interface ChangeItem {
  readonly key: Values;
  readonly changes: unknown;
  readonly if?: Condition;
}

/** The changes of one repository. */
export class RowChanger {
  readonly #model: EntityModel;
  readonly #writer: EntityWriter;
  readonly #readModify: ReadModifyWriter;

  constructor(model: EntityModel, writer: EntityWriter) {
    this.#model = model;
    this.#writer = writer;
    this.#readModify = new ReadModifyWriter(model, writer.checks, writer.sender);
  }

  /** Makes the changes in one request, and returns the values after increments and appends. */
  async mutate(key: Values, changes: unknown, call: RevisedCall = {}): Promise<unknown> {
    const given = this.#checkNames('mutate()', changes, [...cellNames, ...readModifyNames]);
    const cell = cellNames.find((name) => given[name] !== undefined);
    const readModify = readModifyNames.find((name) => given[name] !== undefined);
    if (readModify === undefined) return this.#writer.change(key, given, call);
    if (cell !== undefined)
      throw this.#error(
        readModify,
        `'${readModify}' cannot go in one request with '${cell}'`,
        "make two calls, or use 'add' for counters of aggregate families",
      );
    if (call.if !== undefined)
      throw this.#error(
        'if',
        `Bigtable has no condition for '${readModify}'`,
        "leave out `if`, or write values with 'set'",
      );
    const request = this.#readModify.requestOf(key, given);
    return this.#readModify.send(request, call.signal);
  }

  /**
   * Adds to one counter. Returns the new value, or undefined in an aggregate family, where storage
   * does not report it.
   */
  async increment(
    key: Values,
    property: string,
    amount: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const column = this.#writer.checks.column(property, 'increment()');
    if (column.kind === 'counter' && column.aggregate)
      return this.#writer.change(key, { add: this.#amounts(property, amount) }, { signal });
    const request = this.#readModify.requestOf(key, { increment: { [property]: amount } });
    return (await this.#readModify.send(request, signal))[property];
  }

  /** Adds to several counters, none of them in an aggregate family. Returns the new values. */
  async incrementAll(key: Values, amounts: unknown, signal?: AbortSignal): Promise<Values> {
    const request = this.#readModify.requestOf(key, { increment: amounts as Values });
    return this.#readModify.send(request, signal);
  }

  /** Appends to a string or bytes column and returns the new value. */
  async append(
    key: Values,
    property: string,
    value: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    this.#writer.checks.column(property, 'append()');
    // Undefined would be ignored among several changes.
    const request = this.#readModify.requestOf(key, { append: { [property]: value ?? null } });
    return (await this.#readModify.send(request, signal))[property];
  }

  /** The write of an item of `saveMany`. */
  savedRowOf(entity: unknown, signal?: AbortSignal): ItemWrite | Promise<ItemWrite> {
    const { revised, isManaged } = this.#writer;
    // Nothing else is allocated for each of the rows.
    if (!isManaged) return this.#writer.rowOf(entity).row;
    const expected = revised?.expectedOf(entity);
    const { row, onWritten } = this.#writer.rowOf(entity);
    const write = (ready: RowMutation): ItemWrite => {
      if (revised === undefined) return { ...ready, onWritten };
      return async () => {
        await revised.send(entity as Values, ready, { expected, signal });
        onWritten?.();
      };
    };
    if (row instanceof Promise) return row.then(write);
    return write(row);
  }

  /** The request of an item of `insertMany`. */
  insertionOf(entity: unknown, signal?: AbortSignal): ItemWrite | Promise<ItemWrite> {
    const { row, onWritten } = this.#writer.insertionOf(entity);
    const insert = (ready: RowMutation) => async () => {
      await this.#writer.sender.insert(ready, signal);
      onWritten?.();
    };
    if (row instanceof Promise) return row.then(insert);
    return insert(row);
  }

  /** The write of an item of `deleteMany`; `expected` as in EntityWriter. */
  deletionOf(key: Values, expected: Expected, signal?: AbortSignal): ItemWrite {
    const row = this.#writer.deletionOf(key);
    if (expected === undefined) return row;
    return () => this.#writer.send(key, row, { expected, signal });
  }

  /** The write of an item of `patchMany`. */
  patchOf(item: ChangeItem, signal?: AbortSignal): ItemWrite | Promise<ItemWrite> {
    this.#checkItem('patchMany()', item, ['key', 'changes', 'if']);
    return this.#writeOf(item, this.#writer.patchOf(item.changes), signal);
  }

  /** The write of an item of `mutateMany`. */
  mutationOf(item: ChangeItem, signal?: AbortSignal): ItemWrite | Promise<ItemWrite> {
    this.#checkItem('mutateMany()', item, ['key', 'changes', 'if']);
    const readModify = readModifyNames.find(
      (name) => (item.changes as Values | undefined)?.[name] !== undefined,
    );
    if (readModify !== undefined)
      throw this.#error(
        readModify,
        `mutateMany() changes rows by set, remove and add, not by ${readModify}`,
        'use incrementMany(), or mutate() for each row',
      );
    const changes = this.#checkNames('mutateMany()', item.changes, cellNames);
    return this.#writeOf(item, changes, signal);
  }

  /** The write of an item of `incrementMany`. */
  incrementOf(item: ChangeItem, signal?: AbortSignal): ItemWrite | Promise<ItemWrite> {
    this.#checkItem('incrementMany()', item, ['key', 'changes']);
    const { key } = item;
    const amounts = item.changes as Values;
    if (typeof amounts === 'object' && amounts !== null && this.#areAggregates(amounts))
      return this.#writer.changeOf(key, { add: amounts });
    const request = this.#readModify.requestOf(key, { increment: amounts });
    if (request.steps.length === 0) return undefined;
    return () => this.#readModify.send(request, signal);
  }

  #writeOf(
    { key, if: condition }: ChangeItem,
    changes: CellChanges,
    signal: AbortSignal | undefined,
  ): ItemWrite | Promise<ItemWrite> {
    const expected = this.#writer.expectedOf(key);
    const row = this.#writer.changeOf(key, changes);
    if (condition === undefined && this.#writer.revised === undefined) return row;
    const conditional = (ready: RowMutation | undefined) => () =>
      this.#writer.send(key, ready, { if: condition, expected, signal });
    if (row instanceof Promise) return row.then(conditional);
    return conditional(row);
  }

  /** Whether something is incremented, and all of it is in aggregate families. */
  #areAggregates(amounts: Values): boolean {
    const columns = Object.keys(amounts)
      .filter((property) => amounts[property] !== undefined)
      .map((property) => this.#writer.checks.column(property, 'incrementMany()'));
    if (columns.length === 0) return false;
    return columns.every((column) => column.kind === 'counter' && column.aggregate);
  }

  #amounts(property: string, amount: unknown): Values {
    return { [property]: checkedAmount(this.#model, property, amount) };
  }

  #checkItem(call: string, item: unknown, names: readonly string[]): void {
    const { key } = this.#checkNames(call, item, names);
    if (typeof key === 'object' && key !== null) return;
    throw this.#error(
      'key',
      `the key of an item of ${call} is ${valueText(key)}`,
      `write { key: { ${this.#model.key.names.join(', ')} }, changes: { ... } }`,
    );
  }

  /** Rejects unknown names: a misspelt one would be ignored. */
  #checkNames(call: string, changes: unknown, known: readonly string[]): Values {
    if (typeof changes !== 'object' || changes === null)
      throw this.#error(
        'changes',
        `${call} takes an object with ${quotedList(known)}, not ${valueText(changes)}`,
        `write { ${known[0]}: ... }`,
      );
    for (const name of Object.keys(changes)) {
      if (known.includes(name)) continue;
      const nearest = nearestName(name, known);
      let fix = `use ${quotedList(known)}`;
      if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
      throw this.#error(name, `${call} has no '${name}'`, fix);
    }
    return changes as Values;
  }

  #error(property: string, problem: string, fix: string): Error {
    return this.#writer.checks.argumentError(property, problem, fix);
  }
}
