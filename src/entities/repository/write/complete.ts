/** The second stage of a write: a change becomes the mutations or rules of one row. */
import { printable, type Values } from '../../../base/index.js';
import {
  cellValues,
  compileDehydrator,
  type Dehydrator,
  type Validators,
  validatorsOf,
} from '../../mapping/index.js';
import { type EntityModel, givenValues, type HeldRules, declaredRules } from '../../model/index.js';
import type {
  CellClock,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../../data/store/index.js';
import { hookOf, type RunHook } from '../managed/hooks.js';
import { changeStamp, revisionRule, rowStamp, stamped } from '../managed/managed-values.js';
import type { CellStep } from './cell-steps.js';
import type { Change, InsertChange, PatchChange, SaveChange } from './change.js';

/** A row to be written; without mutations there is nothing to write. */
export interface CompletedRow extends RowMutation {
  /** Called once the row was written: sets in the entity what the library has set in the row. */
  readonly onWritten?: () => void;
}

/** Increments and appends of a row; without rules there is nothing to do. */
export interface CompletedSteps {
  readonly key: Uint8Array;
  readonly rules: readonly ReadModifyWriteRule[];
  readonly steps: readonly CellStep[];
}

/** A change that is ready to be sent. */
export type Completed = CompletedRow | CompletedSteps;

const deleteRow: readonly Mutation[] = Object.freeze([
  Object.freeze({ kind: 'deleteFromRow' } as const),
]);

/** The deletion of a row. */
export function deletion({ key }: EntityModel, values: Values): RowMutation {
  return { key: key.encode(values), mutations: deleteRow };
}

/** Whether a change is made on a condition that the call gives, or on a revision. */
export function isConditional(change: Change): boolean {
  return change.if !== undefined || change.expected !== undefined;
}

/**
 * Completes changes: runs hooks, adds what the library sets, checks the rules of class-validator,
 * and encodes. A function of the change and the clock alone.
 */
export class Completer {
  readonly #model: EntityModel;
  readonly #clock: CellClock;
  readonly #validate: boolean;
  readonly #dehydrate: Dehydrator;
  readonly #beforeWrite: RunHook | undefined;
  /** The declared rules; undefined if there are none. */
  readonly #held: HeldRules | undefined;
  readonly #given: ReturnType<typeof givenValues>;
  #validators: Validators | undefined | 'unknown' = 'unknown';

  /** `validate` is whether class-validator rules are checked. */
  constructor(model: EntityModel, clock: CellClock, validate: boolean) {
    this.#model = model;
    this.#clock = clock;
    this.#validate = validate;
    this.#dehydrate = compileDehydrator(model);
    this.#beforeWrite = hookOf(model, 'beforeWrite');
    this.#held = declaredRules(model);
    this.#given = givenValues(model);
  }

  /** A promise only if there are rules to check. */
  complete(change: Change): Completed | Promise<Completed> {
    switch (change.kind) {
      case 'save':
      case 'insert':
        return this.#entity(change);
      case 'patch':
        return this.#patch(change);
      case 'delete':
        return deletion(this.#model, change.key);
      case 'readModify':
        return this.#steps(change.key, change.steps);
    }
  }

  #entity(change: SaveChange | InsertChange): CompletedRow | Promise<CompletedRow> {
    const { entity } = change;
    const ids = change.kind === 'insert' ? this.#given.ids?.(entity) : undefined;
    // An entity keeps its id if the insert fails: the second attempt must not make another row.
    if (ids !== undefined) setAll(entity, ids);
    if (this.#beforeWrite !== undefined) {
      const initial = change.kind === 'insert' ? this.#given.initial?.(entity) : undefined;
      if (initial !== undefined) setAll(entity, initial);
      this.#runHook(this.#beforeWrite, entity);
    }
    const stamp = this.#stamp(change, ids);
    const held = this.#held;
    // Values with rules are read once: a getter must not pass the check with another value.
    const isCopied = stamp !== undefined || held?.hasColumns === true;
    const values = isCopied ? stamped(this.#model, entity, stamp ?? {}) : entity;
    held?.checkEntity(values);
    const row = this.#checkedRow(change, values);
    if (stamp === undefined) return row;
    return row instanceof Promise
      ? row.then((ready) => stampedRow(ready, entity, stamp))
      : stampedRow(row, entity, stamp);
  }

  /** What the library sets in a row that is written whole; undefined for nothing. */
  #stamp({ kind, entity }: SaveChange | InsertChange, ids: Values | undefined): Values | undefined {
    const { managed } = this.#model;
    const initial = kind === 'insert' ? this.#given.initial?.(entity) : undefined;
    if (managed === undefined) return ids === undefined ? initial : { ...ids, ...initial };
    return { ...ids, ...initial, ...rowStamp(managed, entity, this.#clock) };
  }

  #runHook(hook: RunHook, entity: Values): void {
    hook(entity, () => this.#keyText(entity));
  }

  /** `values` are the values of the entity with what the library sets. */
  #checkedRow(
    change: SaveChange | InsertChange,
    values: Values,
  ): RowMutation | Promise<RowMutation> {
    const rules = this.#rules();
    return rules === undefined ? this.#row(change, values) : this.#ruledRow(rules, change, values);
  }

  #ruledRow(
    rules: Validators,
    change: SaveChange | InsertChange,
    values: Values,
  ): Promise<RowMutation> {
    const { entity } = change;
    const ready = runNow(() => this.#row(change, values));
    const subject = values === entity ? entity : this.#instance({ ...entity, ...values });
    return rules.checkEntity(subject, () => this.#keyText(entity)).then(ready);
  }

  #row(change: SaveChange | InsertChange, values: Values): RowMutation {
    const now = this.#clock.next();
    if (change.kind === 'insert') return this.#dehydrate.insert(values, now);
    const row = this.#dehydrate.save(values, now);
    if (isConditional(change)) this.#dehydrate.assertNotExpired(row, now);
    return row;
  }

  #patch(given: PatchChange): RowMutation | Promise<RowMutation> {
    const change = this.#held === undefined ? given : heldPatch(this.#held, given);
    const rules = this.#rules();
    return rules === undefined ? this.#patchRow(change) : this.#ruledPatch(rules, change);
  }

  /** Only rules of what is written are checked, which includes null. */
  #ruledPatch(rules: Validators, change: PatchChange): Promise<RowMutation> {
    const { key, cells } = change;
    const ready = runNow(() => this.#patchRow(change));
    const values: Record<string, unknown> = {};
    for (const { property } of this.#model.segments) values[property] = key[property];
    for (const [property, value] of Object.entries(cellValues(cells)))
      if (value !== undefined) values[property] = value;
    const subject = Object.assign(new this.#model.entityClass(), values);
    return rules.checkPatch(subject, () => this.#keyText(key), Object.keys(values)).then(ready);
  }

  #patchRow(change: PatchChange): RowMutation {
    const { managed } = this.#model;
    const { key, cells } = change;
    const now = this.#clock.next();
    const stamp = managed === undefined ? undefined : changeStamp(managed, this.#clock);
    const row = this.#dehydrate.change(key, cells, now, stamp);
    // It would replace what is visible with cells that are not.
    if (isConditional(change)) this.#dehydrate.assertNotExpired(row, now);
    return row;
  }

  #steps(keyValues: Values, steps: readonly CellStep[]): CompletedSteps {
    // It may make the row.
    this.#held?.checkKey(keyValues);
    const key = this.#model.key.encode(keyValues);
    const rules = steps.map(({ rule }) => rule);
    // Counters are not part of what save() writes, so that increments do not conflict with it.
    const revision = steps.some(({ column }) => column.kind !== 'counter')
      ? revisionRule(this.#model)
      : undefined;
    if (revision !== undefined) rules.push(revision);
    return { key, rules, steps };
  }

  /**
   * Looked up at the first write, not on opening: rules may be registered later, and a class
   * without any never awaits.
   */
  #rules(): Validators | undefined {
    if (!this.#validate) return undefined;
    if (this.#validators === 'unknown') this.#validators = validatorsOf(this.#model);
    return this.#validators;
  }

  /** An instance for rules; its own properties may have setters. */
  #instance(values: Values): object {
    const instance = new this.#model.entityClass();
    for (const [property, value] of Object.entries(values))
      Object.defineProperty(instance, property, { value, enumerable: true, configurable: true });
    return instance;
  }

  /** The row key as text, for messages. */
  #keyText(values: Values): string {
    try {
      return printable(this.#model.key.encode(values));
    } catch {
      return 'not a key';
    }
  }
}

/** A patch that keeps the rules, with values that are read once. */
function heldPatch(held: HeldRules, { key, cells, ...change }: PatchChange): PatchChange {
  // It may make the row.
  held.checkKey(key);
  const read = cells.set === undefined ? cells : { ...cells, set: { ...cells.set } };
  held.checkChanges(cellValues(read));
  return { ...change, key, cells: read };
}

/** A frozen entity stays as it is. */
function stampedRow({ key, mutations }: RowMutation, entity: Values, stamp: Values): CompletedRow {
  return {
    key,
    mutations,
    onWritten: () => setAll(entity, stamp),
  };
}

function setAll(entity: Values, values: Values): void {
  for (const [property, value] of Object.entries(values)) Reflect.set(entity, property, value);
}

/**
 * Runs `work` now and returns a function that yields its result or throws its error. An entity is
 * converted as it is when the write is called, but violated rules are reported before invalid
 * values.
 */
function runNow<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
