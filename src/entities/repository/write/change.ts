/** The first stage of a write: the arguments of a call become a change. */
import {
  nearestName,
  quotedList,
  RowsmithError,
  type Values,
  valueText,
  wrongObject,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  type RowCellChanges,
  checkCellChanges,
  checkProperties,
  columnNamed,
  type RowCondition,
} from '../../mapping/index.js';
import { argumentError, type EntityModel, isEntityOf } from '../../model/index.js';
import { keyArgument } from '../key-argument.js';
import { assertNotManaged } from '../managed/managed-values.js';
import { type CellStep, cellSteps } from './cell-steps.js';
import { assertReadWhole, entityArgument } from './entity-argument.js';

/** What must hold for a change to be made. */
interface Conditions {
  readonly if?: RowCondition | undefined;
  /** The revision that the row must have, null for none; undefined for any. */
  readonly expected?: unknown;
}

/** Nothing, or what the kind of the change says. */
interface NoConditions {
  readonly if?: undefined;
  readonly expected?: undefined;
}

/** What becomes of one row, and on which condition: plain data with checked names and types. */
export type Change = SaveChange | InsertChange | PatchChange | DeleteChange | ReadModifyChange;

/** Replaces the row. */
export interface SaveChange extends Conditions {
  readonly kind: 'save';
  readonly entity: Values;
}

/** Writes a row that does not exist. */
export interface InsertChange extends NoConditions {
  readonly kind: 'insert';
  readonly entity: Values;
}

/** Writes, deletes and adds to some cells. */
export interface PatchChange extends Conditions {
  readonly kind: 'patch';
  readonly key: Values;
  readonly cells: RowCellChanges;
}

/** Deletes the row. */
export interface DeleteChange extends Conditions {
  readonly kind: 'delete';
  readonly key: Values;
}

/** Increments and appends. Storage returns their new values. */
export interface ReadModifyChange extends NoConditions {
  readonly kind: 'readModify';
  readonly key: Values;
  readonly steps: readonly CellStep[];
}

/** WriteOptions without the entity's types. */
export interface WriteCall {
  readonly if?: RowCondition;
  readonly signal?: AbortSignal;
  readonly mustExist?: boolean;
}

/** PatchOptions without the entity's types. */
export interface PatchCall extends WriteCall, Pick<RowCellChanges, 'remove' | 'add'> {}

/** IncrementOptions, unchecked. */
export interface IncrementCall {
  readonly append?: unknown;
  readonly signal?: AbortSignal;
  readonly mustExist?: boolean;
}

/** An item of `patchMany` or `incrementMany`, unchecked. */
export interface ChangeItem extends PatchCall {
  readonly key: Values;
  readonly changes: unknown;
}

/**
 * Makes changes of the arguments of calls; its methods are named after them. They check names and
 * types, and throw INVALID_ARGUMENT and INVALID_KEY. Values are checked as they are encoded.
 */
export class ChangeBuilder {
  readonly #model: EntityModel;
  readonly #revision: string | undefined;

  constructor(model: EntityModel) {
    this.#model = model;
    this.#revision = model.managed?.revision;
  }

  /**
   * The revision the row must have: the one in the given entity or result; null for an entity
   * without one, undefined for a plain key.
   */
  expected(key: unknown): unknown {
    if (this.#revision === undefined) return undefined;
    const found = (key as Values | null | undefined)?.[this.#revision] ?? undefined;
    if (found === undefined && isEntityOf(this.#model, key)) return null;
    return found;
  }

  save(entity: unknown, call?: WriteCall, expected = this.expected(entity)): Change {
    const values = entityArgument(this.#model, entity);
    assertReadWhole(this.#model, values);
    return { kind: 'save', entity: values, if: this.#given(call), expected };
  }

  insert(entity: unknown): Change {
    return { kind: 'insert', entity: entityArgument(this.#model, entity) };
  }

  delete(key: unknown, call?: WriteCall): Change {
    const expected = this.expected(key);
    const condition = this.#given(call);
    return { kind: 'delete', key: keyArgument(this.#model, key), if: condition, expected };
  }

  patch(key: unknown, changes: unknown, call?: PatchCall): Change {
    checkProperties(this.#model, 'changes', changes, [
      'patch() takes an object of columns to write',
      'write patch(key, { column: value })',
    ]);
    this.#assertExpiryKnown('patch()');
    const { remove, add } = call ?? {};
    const cells = { set: changes as Values, remove, add };
    checkCellChanges(this.#model, cells);
    assertNotManaged(this.#model, cells);
    const expected = this.expected(key);
    const condition = this.#condition(call);
    return { kind: 'patch', key: keyArgument(this.#model, key), cells, if: condition, expected };
  }

  /** Of one counter, which may be in an aggregate family. */
  increment(key: unknown, property: string, amount: unknown, call?: IncrementCall): Change {
    const column = columnNamed(this.#model, property, 'incremented');
    const amounts = { [property]: amount };
    if (column.kind === 'counter' && column.aggregate) return this.#add(key, amounts, call);
    return this.#readModify(key, { increment: amounts }, call);
  }

  /** Of several amounts, with what is appended in the same request. */
  incrementAll(key: unknown, amounts: unknown, call?: IncrementCall): Change {
    return this.#readModify(key, { increment: amounts, append: call?.append }, call);
  }

  append(key: unknown, append: unknown, call?: IncrementCall): Change {
    checkProperties(this.#model, 'values', append, [
      'append() takes an object of columns',
      "write append(key, { column: 'text' })",
    ]);
    return this.#readModify(key, { append }, call);
  }

  incrementEntry(
    key: unknown,
    property: unknown,
    entry: unknown,
    amount: unknown,
    call?: IncrementCall,
  ): Change {
    const column = this.#model.columns.find((candidate) => candidate.property === property);
    if (column?.kind !== 'columnMap' || column.codec.kind !== 'int64')
      throw this.#error(
        typeof property === 'string' ? property : 'property',
        faults.notInt64Entries(property),
      );
    const amounts = { [column.property]: new Map([[entry, amount]]) };
    if (column.aggregate) return this.#add(key, amounts, call);
    return this.#readModify(key, { increment: amounts }, call);
  }

  /** Of an item of `patchMany`. */
  patchItem(item: ChangeItem): Change {
    this.#checkItem('patchMany()', item, ['key', 'changes', 'add', 'remove', 'if', 'mustExist']);
    return this.patch(item.key, item.changes, item);
  }

  /**
   * Of an item of `incrementMany`: if storage adds all amounts itself, without a separate request.
   */
  incrementItem(item: ChangeItem): Change {
    this.#checkItem('incrementMany()', item, ['key', 'changes', 'mustExist']);
    const amounts = item.changes as Values;
    checkProperties(this.#model, 'changes', amounts, [
      'incrementMany() takes an object of amounts',
      'write { key, changes: { counter: 1n } }',
    ]);
    if (this.#areAggregates(amounts)) return this.#add(item.key, amounts, item);
    return this.#readModify(item.key, { increment: amounts }, item);
  }

  /** Whether something is incremented, and all of it is in aggregate families. */
  #areAggregates(amounts: Values): boolean {
    const columns = Object.entries(amounts)
      .filter(([, amount]) => amount !== undefined)
      .map(([property]) => columnNamed(this.#model, property, 'incremented'));
    return (
      columns.length > 0 && columns.every((column) => 'aggregate' in column && column.aggregate)
    );
  }

  #add(key: unknown, add: Values, call?: IncrementCall): Change {
    const condition = this.#condition(call);
    return { kind: 'patch', key: keyArgument(this.#model, key), cells: { add }, if: condition };
  }

  /** The condition of a call: one that is given as undefined was meant to hold. */
  #given(call: WriteCall | null | undefined): RowCondition | undefined {
    const { if: condition } = call ?? {};
    if (condition === undefined && call && 'if' in call)
      throw this.#error('if', faults.undefinedCondition);
    return condition;
  }

  /** The condition of a call, with the existence of the row where that is demanded. */
  #condition(call: WriteCall | null | undefined): RowCondition | undefined {
    const condition = this.#given(call);
    if (!this.#mustExist(call)) return condition;
    if (condition?.exists !== false) return { ...condition, exists: true };
    throw this.#error('if', faults.contradiction);
  }

  #mustExist(call: IncrementCall | null | undefined): boolean {
    const given: unknown = call?.mustExist;
    if (given === undefined) return this.#model.mustExist === true;
    if (typeof given === 'boolean') return given;
    throw this.#error('mustExist', faults.wrongMustExist(valueText(given)));
  }

  #readModify(
    key: unknown,
    changes: Parameters<typeof cellSteps>[1],
    call?: IncrementCall,
  ): Change {
    if (this.#model.expiresAt !== undefined)
      throw unsupportedWrite(this.#model, 'increment', faults.storageTimes);
    const steps = cellSteps(this.#model, changes);
    if (this.#mustExist(call)) throw blindIncrement(this.#model);
    return { kind: 'readModify', key: keyArgument(this.#model, key), steps };
  }

  /** A patch would give its cells another end than the other cells of the row have. */
  #assertExpiryKnown(call: string): void {
    const { expiresAt } = this.#model;
    if (expiresAt?.isColumn !== true) return;
    throw unsupportedWrite(this.#model, 'patch', faults.partOfRow(call, expiresAt.property));
  }

  #checkItem(call: string, item: unknown, names: readonly string[]): void {
    const { key } = this.#named(call, item, names);
    const wrong = wrongObject(key, true);
    if (wrong === undefined) return;
    throw this.#error(
      'key',
      faults.wrongKey(
        call,
        wrong.given,
        wrong.fix ?? `write { key: { ${this.#model.key.names.join(', ')} }, changes: { ... } }`,
      ),
    );
  }

  /** Rejects unknown names: a misspelt one would be ignored. */
  #named(call: string, changes: unknown, known: readonly string[]): Values {
    const wrong = wrongObject(changes);
    if (wrong !== undefined)
      throw this.#error(
        'changes',
        faults.wrongChanges(call, known, wrong.given, wrong.fix ?? `write { ${known[0]}: ... }`),
      );
    for (const name of Object.keys(changes as Values)) {
      if (known.includes(name)) continue;
      const nearest = nearestName(name, known);
      let fix = `use ${quotedList(known)}`;
      if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
      throw this.#error(name, faults.unknownOption(call, name, fix));
    }
    return changes as Values;
  }

  #error(property: string, fault: FaultText): Error {
    return argumentError(this.#model, property, fault);
  }
}

function unsupportedWrite({ name }: EntityModel, property: string, fault: FaultText): Error {
  return new RowsmithError('UNSUPPORTED', { entity: name, property, ...fault });
}

/** Bigtable's ReadModifyWriteRow has no condition, and makes the row if there is none. */
function blindIncrement(model: EntityModel): Error {
  return argumentError(model, 'mustExist', faults.blindIncrement);
}

const faults = {
  partOfRow: (call: string, property: string) => ({
    problem: `the cells of a row expire together at '${property}', and ${call} writes some of them`,
    fix: 'read the row, change it and save() it; with @Revision, update() does the three',
  }),
  storageTimes: {
    problem:
      'storage gives incremented and appended cells its own time, ' +
      'so that they would not expire with the row',
    fix: 'read the row, change it and save() it; with @Revision, update() does the three',
  },
  notInt64Entries: (property: unknown) => ({
    problem: `incrementEntry() takes a column map of int64, and ${valueText(property)} is not one`,
    fix: "declare it with @ColumnMap(family, 'int64')",
  }),
  undefinedCondition: {
    problem: 'the condition is undefined, and the write would be made without one',
    fix: 'give a condition, or leave `if` out',
  },
  contradiction: {
    problem: 'the row must exist (mustExist), and `if` demands that it does not',
    fix: 'leave out `exists: false`, or pass mustExist: false',
  },
  wrongMustExist: (given: string) => ({
    problem: `mustExist is ${given}`,
    fix: 'pass true or false',
  }),
  wrongKey: (call: string, given: string, fix: string) => ({
    problem: `the key of an item of ${call} is ${given}`,
    fix,
  }),
  wrongChanges: (call: string, known: readonly string[], given: string, fix: string) => ({
    problem: `${call} takes an object with ${quotedList(known)}, not ${given}`,
    fix,
  }),
  unknownOption: (call: string, name: string, fix: string) => ({
    problem: `${call} has no option '${name}'`,
    fix,
  }),
  blindIncrement: {
    problem: 'increments and appends of plain families cannot depend on a row that exists',
    fix:
      "declare the counter in a family of aggregate('sum'), which mustExist can guard; or pass " +
      'mustExist: false, and call exists() before',
  },
} satisfies FaultTexts;
