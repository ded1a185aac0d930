/** The second stage of a write: a change becomes the mutations or rules of one row. */
import { printable, type FaultTexts, type Values } from '../../../base/index.js';
import {
  cellValues,
  compileDehydrator,
  type Dehydrator,
  ValueChecks,
} from '../../mapping/index.js';
import { argumentError, type EntityModel, givenValues } from '../../model/index.js';
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
 * Completes changes: runs hooks, adds what the library sets, checks values, and encodes. A function
 * of the change and the clock alone.
 */
export class Completer {
  readonly #model: EntityModel;
  readonly #clock: CellClock;
  readonly #dehydrate: Dehydrator;
  readonly #beforeWrite: RunHook | undefined;
  readonly #checks: ValueChecks;
  readonly #given: ReturnType<typeof givenValues>;

  /** `validate` is whether schemas and class-validator rules are checked. */
  constructor(model: EntityModel, clock: CellClock, validate: boolean) {
    this.#model = model;
    this.#clock = clock;
    this.#dehydrate = compileDehydrator(model);
    this.#beforeWrite = hookOf(model, 'beforeWrite');
    this.#checks = new ValueChecks(model, validate);
    this.#given = givenValues(model);
  }

  /** A promise only if a check must be awaited. */
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
    if (ids !== undefined) this.#setIds(entity, ids);
    const scoped = this.#setScope(entity);
    if (this.#beforeWrite !== undefined) {
      const initial = change.kind === 'insert' ? this.#given.initial?.(entity) : undefined;
      if (initial !== undefined) setAll(entity, initial);
      this.#runHook(this.#beforeWrite, entity);
    }
    const stamp =
      scoped === undefined ? this.#stamp(change, ids) : { ...scoped, ...this.#stamp(change, ids) };
    // Values with rules are read once: a getter must not pass the check with another value.
    const isCopied = stamp !== undefined || this.#checks.readsColumns;
    const values = isCopied ? stamped(this.#model, entity, stamp ?? {}) : entity;
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

  /** A row without its id in the program could not be found again. */
  #setIds(entity: Values, ids: Values): void {
    setAll(entity, ids);
    for (const property of Object.keys(ids)) {
      if (entity[property] !== undefined && entity[property] !== null) continue;
      throw argumentError(this.#model, property, faults.unsettableId(property));
    }
  }

  /**
   * Gives an entity the segments of the scope that it lacks, as `create` does. Returns them if a
   * frozen entity has not taken them: schemas judge the row that is written.
   */
  #setScope(entity: Values): Values | undefined {
    const { scope } = this.#model.key;
    if (scope === undefined || !scope.names.some((name) => isUnset(entity, name))) return undefined;
    const values = Object.entries(scope.values()).filter(([name]) => isUnset(entity, name));
    const missing = Object.fromEntries(values);
    setAll(entity, missing);
    return values.some(([name]) => isUnset(entity, name)) ? missing : undefined;
  }

  #runHook(hook: RunHook, entity: Values): void {
    hook(entity, () => this.#keyText(entity));
  }

  /** `values` are the values of the entity with what the library sets. */
  #checkedRow(
    change: SaveChange | InsertChange,
    values: Values,
  ): RowMutation | Promise<RowMutation> {
    const checks = this.#checks;
    if (!checks.runsCode) {
      checks.declaredOfEntity(values);
      return this.#row(change, values);
    }
    const { entity } = change;
    const ready = runNow(() => this.#row(change, values));
    const pending = checks.entity(values, {
      instance: () => (values === entity ? entity : this.#instance({ ...entity, ...values })),
      keyText: () => this.#keyText(entity),
    });
    return pending === undefined ? ready() : pending.then(ready);
  }

  #row(change: SaveChange | InsertChange, values: Values): RowMutation {
    const now = this.#clock.next();
    if (change.kind === 'insert') return this.#dehydrate.insert(values, now);
    const row = this.#dehydrate.save(values, now);
    if (isConditional(change)) this.#dehydrate.assertNotExpired(row, now);
    return row;
  }

  /** Only rules of what is written are checked, which includes null. */
  #patch(given: PatchChange): RowMutation | Promise<RowMutation> {
    // Values with rules are read once.
    const change = this.#checks.readsColumns ? withValuesRead(given) : given;
    const { key, cells } = change;
    const checks = this.#checks;
    if (!checks.runsCode) {
      checks.declaredOfPatch(key, cellValues(cells));
      return this.#patchRow(change);
    }
    const ready = runNow(() => this.#patchRow(change));
    const written = (): Values => this.#written(key, cells);
    const pending = checks.patch(key, cellValues(cells), {
      given: () => Object.keys(written()),
      instance: () => Object.assign(new this.#model.entityClass(), written()),
      keyText: () => this.#keyText(key),
    });
    return pending === undefined ? ready() : pending.then(ready);
  }

  /** The values of a patch and of its key. */
  #written(key: Values, cells: PatchChange['cells']): Values {
    const values: Record<string, unknown> = {};
    for (const { property } of this.#model.segments) values[property] = key[property];
    for (const [property, value] of Object.entries(cellValues(cells)))
      if (value !== undefined) values[property] = value;
    return values;
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
    this.#checks.key(keyValues);
    const key = this.#model.key.encode(keyValues);
    const rules = steps.map(({ rule }) => rule);
    // Counters are not part of what save() writes, so that increments do not conflict with it.
    const revision = steps.some(({ column }) => column.kind !== 'counter')
      ? revisionRule(this.#model)
      : undefined;
    if (revision !== undefined) rules.push(revision);
    return { key, rules, steps };
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

function withValuesRead(change: PatchChange): PatchChange {
  const { cells } = change;
  return cells.set === undefined
    ? change
    : { ...change, cells: { ...cells, set: { ...cells.set } } };
}

/** A frozen entity stays as it is. */
function stampedRow({ key, mutations }: RowMutation, entity: Values, stamp: Values): CompletedRow {
  return {
    key,
    mutations,
    onWritten: () => setAll(entity, stamp),
  };
}

/** Getters are not called: they may return another value each time. */
function isUnset(entity: Values, name: string): boolean {
  const own = Object.getOwnPropertyDescriptor(entity, name);
  if (own === undefined) return !(name in entity);
  return 'value' in own && own.value === undefined;
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

const faults = {
  unsettableId: (property: string) => ({
    problem: `the id of the new row cannot be set in the entity: '${property}' is read-only, or the entity is frozen`,
    fix: 'call create(), which generates the id, and freeze the entity afterwards',
  }),
} satisfies FaultTexts;
