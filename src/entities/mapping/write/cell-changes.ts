/** Changes of some cells of a row, and their checks: everything is checked before it is sent. */
import {
  isMap,
  maxInt64,
  minInt64,
  nearestName,
  type Values,
  valueText,
  wrongObject,
  type FaultTexts,
} from '../../../base/index.js';
import { indexPath } from '../../../data/cell/index.js';
import {
  argumentError,
  type ColumnModel,
  type EntityModel,
  invalidValueError,
  isEntityOf,
} from '../../model/index.js';
import type { Mutation } from '../../../data/store/index.js';
import { encodeQualifier, type MapColumn } from '../qualifier.js';

/** Changes that one MutateRow request can hold. */
export interface RowCellChanges {
  /** Values by property: undefined is ignored, null deletes. */
  readonly set?: Values;
  /** Properties with cells to delete. */
  readonly remove?: readonly string[];
  /** Amounts by property, for counters of aggregate families; amounts of entries as a Map. */
  readonly add?: Values;
}

/** The values to write: `set`, and null for each removed property. */
export function cellValues({ set = {}, remove = [] }: RowCellChanges): Values {
  if (remove.length === 0) return set;
  return { ...set, ...Object.fromEntries(remove.map((property) => [property, null])) };
}

/** Rejects changes that name no column, or the same column twice. */
export function checkCellChanges(model: EntityModel, { set, remove, add }: RowCellChanges): void {
  checkAmounts(model, add);
  checkRemoved(model, remove);
  for (const [property, value] of Object.entries(set ?? {})) {
    if (value === undefined) continue;
    checkSettable(model, property);
    if (remove?.includes(property) !== true) continue;
    throw argumentError(model, property, faults.writtenAndRemoved);
  }
}

function checkAmounts(model: EntityModel, add: unknown): void {
  if (add === undefined) return;
  const problem = '`add` takes an object of amounts';
  checkProperties(model, 'add', add, [problem, 'write { add: { counter: 1n } }']);
}

/**
 * Throws INVALID_ARGUMENT unless the value is an object with changes as properties. An entity is
 * none: it has the segments of its key, and its columns without a value would be left unchanged.
 */
export function checkProperties(
  model: EntityModel,
  property: string,
  value: unknown,
  [problem, fix]: readonly [problem: string, fix: string],
): void {
  const wrong = wrongObject(value);
  if (wrong !== undefined)
    throw argumentError(
      model,
      property,
      faults.wrongChanges(problem, wrong.given, wrong.fix ?? fix),
    );
  if (!isEntityOf(model, value)) return;
  throw argumentError(model, property, faults.entityAsChanges(problem, valueText(value)));
}

function checkRemoved(model: EntityModel, remove: unknown): void {
  if (remove === undefined) return;
  if (!Array.isArray(remove))
    throw argumentError(model, 'remove', faults.wrongRemove(valueText(remove)));
  for (const property of remove as readonly unknown[])
    columnNamed(model, property, 'removed', 'remove');
}

/** Throws INVALID_ARGUMENT unless the property is a column with a value that can be written. */
function checkSettable(model: EntityModel, property: string): void {
  const column = columnNamed(model, property, 'patched');
  if (column.kind !== 'counter') return;
  let fix = `call increment(key, '${property}', amount)`;
  if (column.aggregate) fix += `, or patch(key, {}, { add: { ${property}: amount } })`;
  throw argumentError(model, property, faults.counterPatched(fix));
}

/**
 * The column of a property; `change` says what is done with it. Throws INVALID_ARGUMENT for a
 * segment and for an unknown name, and of the argument `argument` for anything but a name.
 */
export function columnNamed(
  model: EntityModel,
  property: unknown,
  change: string,
  argument = 'property',
): ColumnModel {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column !== undefined) return column;
  if (typeof property !== 'string')
    throw argumentError(model, argument, faults.wrongColumn(property));
  if (model.segments.some((segment) => segment.property === property))
    throw argumentError(model, property, faults.segmentChanged(change));
  const columns = model.columns.map((candidate) => candidate.property);
  const nearest = nearestName(property, columns);
  let fix = `use one of ${columns.join(', ')}`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
  throw argumentError(model, property, faults.unknownColumn(fix));
}

/** The additions of changes. Throws INVALID_ARGUMENT, and INVALID_VALUE for the key of an entry. */
export function counterAdditions(model: EntityModel, add: Values = {}): Mutation[] {
  return Object.entries(add)
    .filter(([, amount]) => amount !== undefined)
    .flatMap(([property, amount]) => columnAdditions(model, property, amount));
}

/** Additions to a counter of an aggregate family, or to entries of a column map of one. */
function columnAdditions(model: EntityModel, property: string, amount: unknown): Mutation[] {
  const column = aggregateColumn(model, property);
  if (column.kind === 'counter')
    return [addition(column, column.qualifier, checkedAmount(model, property, amount))];
  return mapEntries(model, property, amount, '1n').map(([entry, each]) =>
    addition(
      column,
      entryQualifier(model, column, entry),
      checkedAmount(model, property + indexPath(entry), each),
    ),
  );
}

function addition({ family }: ColumnModel, qualifier: Uint8Array, input: bigint): Mutation {
  // Always timestamp 0: aggregation is per cell, and a cell is identified by its timestamp.
  return { kind: 'addToCell', family, qualifier, timestamp: 0, input };
}

/** Throws INVALID_ARGUMENT unless the values of the property are added up by storage. */
function aggregateColumn(
  model: EntityModel,
  property: string,
): Extract<ColumnModel, { readonly kind: 'counter' | 'columnMap' }> {
  const column = columnNamed(model, property, 'added to');
  if (column.kind !== 'counter' && column.kind !== 'columnMap')
    throw argumentError(model, property, faults.notAnAggregateCounter);
  if (column.aggregate) return column;
  const what = column.kind === 'counter' ? 'the counter is' : 'its entries are';
  throw argumentError(model, property, faults.plainFamily(what, column.family, property));
}

/** The entries of a column map that a call names. Throws INVALID_ARGUMENT unless it gives a Map. */
export function mapEntries(
  model: EntityModel,
  property: string,
  value: unknown,
  example: string,
): [unknown, unknown][] {
  if (isMap(value)) return [...value];
  throw argumentError(model, property, faults.notAMap(value, example));
}

/** The qualifier of an entry. Throws INVALID_VALUE. */
export function entryQualifier(model: EntityModel, column: MapColumn, entry: unknown): Uint8Array {
  try {
    return encodeQualifier(column, entry);
  } catch (error) {
    throw invalidValueError(model, column.property, error);
  }
}

/** The amount of an increment or addition: an int64. */
export function checkedAmount(model: EntityModel, property: string, amount: unknown): bigint {
  if (typeof amount === 'bigint' && amount >= minInt64 && amount <= maxInt64) return amount;
  throw argumentError(model, property, faults.notAnInt64);
}

/**
 * Deletions of counters, by property. All cells are deleted: their times are the storage's, so that
 * timestamps of the writer say nothing about the order.
 */
export function counterDeleters(
  model: EntityModel,
): ReadonlyMap<string, (out: Mutation[]) => void> {
  const deleters = new Map<string, (out: Mutation[]) => void>();
  for (const column of model.columns) {
    if (column.kind !== 'counter') continue;
    const { family, qualifier } = column;
    const mutation = Object.freeze({ kind: 'deleteFromColumn', family, qualifier } as const);
    deleters.set(column.property, (out) => void out.push(mutation));
  }
  return deleters;
}

const faults = {
  writtenAndRemoved: {
    problem: 'it is both written and removed',
    fix: 'leave it out of the changes, or of `remove`',
  },
  wrongChanges: (problem: string, given: string, fix: string) => ({
    problem: `${problem}, not ${given}`,
    fix,
  }),
  entityAsChanges: (problem: string, given: string) => ({
    problem: `${problem}, not ${given}, which is an entity`,
    fix: 'name the columns to write: { column: entity.column }; save() writes a whole entity',
  }),
  wrongRemove: (given: string) => ({
    problem: `\`remove\` is ${given}, not an array of names`,
    fix: "write { remove: ['column'] }",
  }),
  counterPatched: (fix: string) => ({
    problem: 'a counter can only be changed by increments',
    fix,
  }),
  wrongColumn: (property: unknown) => ({
    problem: `${valueText(property)} is not the name of a column`,
    fix: 'name a column of the entity',
  }),
  segmentChanged: (change: string) => ({
    problem: `a segment of the row key cannot be ${change}`,
    fix: 'save the entity under its new key and delete the old one',
  }),
  unknownColumn: (fix: string) => ({ problem: 'no column has this name', fix }),
  notAnAggregateCounter: {
    problem: 'only a counter of an aggregate family can be added to',
    fix: "declare it with @Counter in a family of aggregate('sum'), 'min' or 'max'",
  },
  plainFamily: (what: string, family: string, property: string) => ({
    problem: `${what} in the plain family '${family}'`,
    fix: `call increment(key, { ${property}: amount }), or declare the family with aggregate('sum')`,
  }),
  notAMap: (value: unknown, example: string) => ({
    problem: `the entries of a column map are given as a Map, not ${valueText(value)}`,
    fix: `write new Map([['key', ${example}]])`,
  }),
  notAnInt64: {
    problem: 'the amount is not an int64 bigint',
    fix: 'write 1n, -5n, ...',
    shell: {
      problem: 'the amount is outside the range of an int64',
      fix: 'give a whole number from -2^63 to 2^63-1',
    },
  },
} satisfies FaultTexts;
