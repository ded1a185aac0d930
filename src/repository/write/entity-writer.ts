/** Writes one entity class: validates entities, converts them to row mutations, and sends those. */
import {
  type CellChanges,
  cellValues,
  checkCellChanges,
  compileDehydrator,
  type Dehydrator,
} from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import type { CellClock, Engine, Mutation, RowMutation } from '../../store/index.js';
import { RowSender, type WriteCall } from './row-sender.js';
import { runNow, type Values, WriteChecks } from './write-checks.js';

const deleteRow: readonly Mutation[] = Object.freeze([
  Object.freeze({ kind: 'deleteFromRow' } as const),
]);

/** The writes of one repository that are mutations of cells. */
export class EntityWriter {
  readonly checks: WriteChecks;
  readonly sender: RowSender;
  readonly #model: EntityModel;
  readonly #dehydrate: Dehydrator;
  readonly #clock: CellClock;

  /** `validate` is whether class-validator rules are checked. */
  constructor(engine: Engine, model: EntityModel, clock: CellClock, validate: boolean) {
    this.#model = model;
    this.#dehydrate = compileDehydrator(model);
    this.#clock = clock;
    this.checks = new WriteChecks(model, validate);
    this.sender = new RowSender({ engine, model, clock, dehydrate: this.#dehydrate });
  }

  async save(entity: unknown, { if: condition, signal }: WriteCall = {}): Promise<void> {
    let row = this.rowOf(entity);
    // Without rules nothing is awaited here, so that a write called before close() has reached the
    // engine.
    if (row instanceof Promise) row = await row;
    await this.sender.mutate(row, condition, signal);
  }

  /** The validated mutation that saves an entity; a promise only if there are rules to check. */
  rowOf(entity: unknown): RowMutation | Promise<RowMutation> {
    const values = this.checks.entity(entity);
    this.checks.readWhole(values);
    return this.#checked(values, () => this.#dehydrate.save(values, this.#clock.next()));
  }

  /** The validated mutation that inserts an entity, as `rowOf`. */
  insertionOf(entity: unknown): RowMutation | Promise<RowMutation> {
    const values = this.checks.entity(entity);
    return this.#checked(values, () => this.#dehydrate.insert(values, this.#clock.next()));
  }

  #checked(values: Values, row: () => RowMutation): RowMutation | Promise<RowMutation> {
    const rules = this.checks.rules();
    if (rules === undefined) return row();
    const ready = runNow(row);
    return rules.checkEntity(values, () => this.checks.keyText(values)).then(ready);
  }

  /** The mutation that deletes the row of a key. */
  deletionOf(key: Values): RowMutation {
    return { key: this.#model.key.encode(key), mutations: deleteRow };
  }

  async insert(entity: unknown, { signal }: WriteCall = {}): Promise<void> {
    let row = this.insertionOf(entity);
    if (row instanceof Promise) row = await row;
    await this.sender.insert(row, signal);
  }

  /** Writes some cells; undefined if there are none, a promise only if there are rules to check. */
  changeOf(
    key: Values,
    changes: CellChanges,
  ): RowMutation | undefined | Promise<RowMutation | undefined> {
    const row = (): RowMutation | undefined =>
      this.#dehydrate.change(key, changes, this.#clock.next());
    const rules = this.checks.rules();
    if (rules === undefined) return row();
    checkCellChanges(this.#model, changes);
    const ready = runNow(row);
    return this.checks.patchRules(rules, key, cellValues(changes)).then(ready);
  }

  /** Changes some cells in one request. */
  async change(
    key: Values,
    changes: CellChanges,
    { if: condition, signal }: WriteCall = {},
  ): Promise<void> {
    let row = this.changeOf(key, changes);
    if (row instanceof Promise) row = await row;
    if (row !== undefined) return this.sender.mutate(row, condition, signal);
    if (condition !== undefined) await this.sender.check(key, condition, signal);
  }

  /** Throws INVALID_ARGUMENT unless `changes` is an object. */
  patchOf(changes: unknown): CellChanges {
    if (typeof changes === 'object' && changes !== null) return { set: changes as Values };
    throw this.checks.argumentError(
      'changes',
      'patch() takes an object of columns to write',
      'write patch(key, { column: value })',
    );
  }

  async delete(key: Values, { if: condition, signal }: WriteCall = {}): Promise<void> {
    await this.sender.mutate(this.deletionOf(key), condition, signal);
  }
}
