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
import { hookOf, type RunHook } from '../managed/hooks.js';
import { type Expected, ManagedValues } from '../managed/managed-values.js';
import { type RevisedCall, RevisedWrites } from './revised-writes.js';
import { RowSender, type WriteCall } from './row-sender.js';
import { runNow, type Values, WriteChecks } from './write-checks.js';

const deleteRow: readonly Mutation[] = Object.freeze([
  Object.freeze({ kind: 'deleteFromRow' } as const),
]);

/** A row that is written whole. The row is a promise only if there are rules to check. */
export interface WholeRow {
  readonly row: RowMutation | Promise<RowMutation>;
  /** Sets in the entity what the library has set in the row. */
  readonly onWritten: (() => void) | undefined;
}

type WriteKind = 'save' | 'insert';

/** The writes of one repository that are mutations of cells. */
export class EntityWriter {
  readonly checks: WriteChecks;
  readonly sender: RowSender;
  /** Undefined if rows have no revision. */
  readonly revised: RevisedWrites | undefined;
  readonly #model: EntityModel;
  readonly #dehydrate: Dehydrator;
  readonly #clock: CellClock;
  readonly #managed: ManagedValues | undefined;
  readonly #beforeWrite: RunHook | undefined;

  /** `validate` is whether class-validator rules are checked. */
  constructor(engine: Engine, model: EntityModel, clock: CellClock, validate: boolean) {
    this.#model = model;
    this.#dehydrate = compileDehydrator(model);
    this.#clock = clock;
    this.#beforeWrite = hookOf(model, 'beforeWrite');
    this.checks = new WriteChecks(model, validate);
    this.sender = new RowSender({ engine, model, clock, dehydrate: this.#dehydrate });
    const { managed } = model;
    if (managed === undefined) return;
    this.#managed = new ManagedValues(model, managed, clock);
    if (managed.revision !== undefined)
      this.revised = new RevisedWrites(engine, model, this.sender, managed.revision);
  }

  async save(entity: unknown, call: RevisedCall = {}): Promise<void> {
    const expected = this.expectedOf(entity);
    const { row, onWritten } = this.rowOf(entity);
    // Without rules nothing is awaited here, so that a write called before close() has reached the
    // engine.
    const ready = row instanceof Promise ? await row : row;
    await this.send(entity as Values, ready, { expected, ...call });
    onWritten?.();
  }

  /** Whether the library sets columns of the entities. */
  get isManaged(): boolean {
    return this.#managed !== undefined;
  }

  /** The validated mutation that saves an entity. */
  rowOf(entity: unknown): WholeRow {
    const values = this.checks.entity(entity);
    this.checks.readWhole(values);
    return this.#wholeRow(values, 'save');
  }

  /** The validated mutation that inserts an entity. */
  insertionOf(entity: unknown): WholeRow {
    return this.#wholeRow(this.checks.entity(entity), 'insert');
  }

  #wholeRow(entity: Values, kind: WriteKind): WholeRow {
    this.#beforeWrite?.(entity, () => this.checks.keyText(entity));
    const managed = this.#managed;
    if (managed === undefined)
      return { row: this.#checked(entity, entity, kind), onWritten: undefined };
    const stamp = managed.ofRow(entity);
    return {
      row: this.#checked(entity, managed.stamped(entity, stamp), kind),
      onWritten: () => managed.assign(entity, stamp),
    };
  }

  #checked(entity: Values, values: Values, kind: WriteKind): RowMutation | Promise<RowMutation> {
    const rules = this.checks.rules();
    if (rules === undefined) return this.#dehydrated(values, kind);
    const ready = runNow(() => this.#dehydrated(values, kind));
    const subject = values === entity ? entity : this.checks.instanceOf(entity, values);
    return rules.checkEntity(subject, () => this.checks.keyText(entity)).then(ready);
  }

  #dehydrated(values: Values, kind: WriteKind): RowMutation {
    const now = this.#clock.next();
    return kind === 'save'
      ? this.#dehydrate.save(values, now)
      : this.#dehydrate.insert(values, now);
  }

  /** The revision that the row of a key, or of an entity, must have; undefined for any. */
  expectedOf(key: unknown): Expected {
    return this.revised?.expectedOf(key);
  }

  /** Sends a row with its conditions; undefined only checks them. */
  send(key: Values, row: RowMutation | undefined, call: RevisedCall): Promise<void> {
    if (this.revised !== undefined) return this.revised.send(key, row, call);
    const { if: condition, signal } = call;
    if (row !== undefined) return this.sender.mutate(row, condition, signal);
    if (condition === undefined) return Promise.resolve();
    return this.sender.check(key, condition, signal);
  }

  /** The mutation that deletes the row of a key. */
  deletionOf(key: Values): RowMutation {
    return { key: this.#model.key.encode(key), mutations: deleteRow };
  }

  async insert(entity: unknown, { signal }: WriteCall = {}): Promise<void> {
    const { row, onWritten } = this.insertionOf(entity);
    await this.sender.insert(row instanceof Promise ? await row : row, signal);
    onWritten?.();
  }

  /** Writes some cells; undefined if there are none, a promise only if there are rules to check. */
  changeOf(
    key: Values,
    changes: CellChanges,
  ): RowMutation | undefined | Promise<RowMutation | undefined> {
    const row = (): RowMutation | undefined => this.#changedRow(key, changes);
    const rules = this.checks.rules();
    if (rules === undefined) return row();
    checkCellChanges(this.#model, changes);
    const ready = runNow(row);
    return this.checks.patchRules(rules, key, cellValues(changes)).then(ready);
  }

  #changedRow(key: Values, changes: CellChanges): RowMutation | undefined {
    const now = this.#clock.next();
    const managed = this.#managed;
    if (managed === undefined) return this.#dehydrate.change(key, changes, now);
    checkCellChanges(this.#model, changes);
    const stamp = managed.ofChanges(changes);
    const set = { ...changes.set, ...stamp };
    const row = this.#dehydrate.change(key, { ...changes, set }, now);
    if (stamp === undefined || row === undefined) return row;
    // Changes without an effect, such as an empty Map, must not only set a revision.
    const stampOnly = this.#dehydrate.change(key, { set: stamp }, now);
    return row.mutations.length > (stampOnly?.mutations.length ?? 0) ? row : undefined;
  }

  /** Changes some cells in one request. */
  async change(key: Values, changes: CellChanges, call: RevisedCall = {}): Promise<void> {
    let row = this.changeOf(key, changes);
    if (row instanceof Promise) row = await row;
    await this.send(key, row, call);
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

  async delete(key: Values, call: RevisedCall = {}): Promise<void> {
    await this.send(key, this.deletionOf(key), call);
  }
}
